import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { examined, filesIn, finds, ownFolder, script, skips, well } from "./support.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

describe("doctor: machine", () => {
  it("reports a Node.js without security fixes", async () => {
    expect(await finds("node-version", { machine: { nodeVersion: "23.4.0" } }, "warning")).toContain("odd versions");
    for (const nodeVersion of ["20.19.0", "22.1.0", "24.0.0"])
      expect(await well("node-version", { machine: { nodeVersion } })).toBe(nodeVersion);
  });

  it("warns about little free memory", async () => {
    const proc = (kilobytes: number) => ({
      machine: { proc: filesIn({ meminfo: `MemTotal: 4000000 kB\nMemAvailable:   ${kilobytes} kB\n` }) },
    });
    expect(await finds("memory", proc(100_000), "warning")).toContain("Only 102 MB of memory is free -> Stop other programs");
    expect(await well("memory", proc(3_000_000))).toContain("3.1 GB free");
    expect(await skips("memory", { machine: { proc: "/nonexistent" } })).toContain("does not report");
  });
});

describe("doctor: memory limit of a container or unit", () => {
  const group = (limits: Readonly<Record<string, string>>, kills = 0) => ({
    machine: {
      proc: filesIn({ meminfo: "MemAvailable:   3000000 kB\n", "self/cgroup": "0::/system.slice/homesec.service\n" }),
      cgroup: filesIn({
        ...limits,
        "system.slice/homesec.service/memory.events": `low 0\nhigh 0\nmax 12\noom 1\noom_kill ${kills}\n`,
      }),
    },
  });

  it("is named if everything does not fit into it, wherever above the process it is set", async () => {
    for (const at of ["system.slice/homesec.service", "system.slice", "."]) {
      const found = await finds("memory", group({ [`${at}/memory.max`]: "268435456\n" }), "warning");
      expect(found).toContain("homesec may use only 268 MB of memory -> Raise the limit to 512 MiB (MemoryMax=");
    }
    expect(await well("memory", group({ "system.slice/memory.max": "max\n" }))).toContain("no limit");
    expect(await well("memory", group({ "memory.max": "1073741824\n" }))).toContain("limited to 1.1 GB");
  });

  it("is an error once the kernel has killed a process because of it", async () => {
    const found = await finds("memory", group({ "system.slice/homesec.service/memory.max": "536870912\n" }, 5), "error");
    expect(found).toContain("The kernel killed 5 processes of homesec because memory ran out");
  });
});

describe("doctor: clock and time zone", () => {
  it("reports a clock that is years behind, or behind files of homesec", async () => {
    expect(await finds("clock", { now: "2000-01-01T00:05:00Z" }, "error")).toContain("timedatectl");
    const dataDir = filesIn({ "logs/2026-03-01.ndjson": "{}\n" });
    const set = (time: string) => utimesSync(join(dataDir, "logs", "2026-03-01.ndjson"), new Date(time), new Date(time));
    const now = "2026-03-01T12:00:00Z";
    for (const name of ["logs", "."]) utimesSync(join(dataDir, name), new Date(now), new Date(now));
    set("2026-03-01T13:00:00Z");
    expect(await finds("clock", { now, env: { DATA_DIR: dataDir } })).toMatch(/2026-03-01.ndjson was written 3600 s later/);
    set("2026-03-01T11:59:00Z");
    utimesSync(join(dataDir, "logs"), new Date(now), new Date(now));
    await well("clock", { now, env: { DATA_DIR: dataDir } });
    await well("clock", { now });
  });

  it("warns when systemd-timesyncd reached no time server", async () => {
    const run = ownFolder();
    await well("clock", { machine: { run } });
    mkdirSync(join(run, "systemd", "timesync"), { recursive: true });
    expect(await finds("clock", { machine: { run } }, "warning")).toContain("UDP port 123");
    writeFileSync(join(run, "systemd", "timesync", "synchronized"), "");
    await well("clock", { machine: { run } });
  });

  it("warns about an unknown time zone", async () => {
    expect(await finds("time-zone", { machine: { zoneVariable: "Europe/Berln", timeZone: "UTC" } })).toContain(
      "TZ=Europe/Berln is not a time zone",
    );
    for (const zoneVariable of [undefined, "", "Europe/Berlin", ":Europe/Berlin", "CET-1CEST"])
      await well("time-zone", { machine: { zoneVariable } });
  });
});

describe("doctor: external programs", () => {
  it("ffmpeg: reports it missing only while videos wait for it", async () => {
    await well("ffmpeg", { machine: { ffmpeg: script("exit 0") } });
    expect(await skips("ffmpeg", { machine: { ffmpeg: "/nonexistent" } })).toContain("only videos");
    const without = { machine: { ffmpeg: script("exit 1") }, db: database.db };
    expect(await skips("ffmpeg", without)).toContain("only videos");
    await database.db.query(async (sql) => {
      await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/nowhere')`;
      await sql`
        insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status, reason)
        values ('yard', '/nowhere/a.mp4', 1, 1, 'watch', now(), now(), 'skipped', 'no_ffmpeg')
      `;
    });
    expect(await finds("ffmpeg", without, "error")).toContain("sudo apt-get install ffmpeg");
    const tellOf = (machine: string) =>
      database.db.query((sql) => sql`update images set detail = ${`ffmpeg is not installed on the machine ${machine}. Install it there`}`);
    await tellOf("nas");
    expect(await finds("ffmpeg", without, "error")).toContain("sudo apt-get install ffmpeg");
    await well("ffmpeg", { ...without, machine: { ffmpeg: script("exit 0") } });
    await tellOf("attic");
    for (const ends of ["exit 0", "exit 1"])
      expect(await finds("ffmpeg", { ...without, machine: { ffmpeg: script(ends) } }, "error")).toContain("on the machine attic.");
  });

  it("nvidia-smi: reports it missing only if a driver is installed", async () => {
    expect(await skips("nvidia-smi", { machine: { nvidiaSmi: "/nonexistent", proc: ownFolder() } })).toContain("no NVIDIA card");
    const closed = filesIn({ "nvidia-smi": "not a program" });
    expect(await skips("nvidia-smi", { machine: { nvidiaSmi: `${closed}/nvidia-smi`, proc: ownFolder() } })).toContain("no NVIDIA card");
    const proc = filesIn({ "driver/nvidia/version": "NVRM" });
    expect(await finds("nvidia-smi", { machine: { nvidiaSmi: "/nonexistent", proc } })).toContain("but nvidia-smi is not");
    expect(await finds("nvidia-smi", { machine: { nvidiaSmi: script("exit 18"), proc } }, "warning")).toContain("exit code 18");
    expect(await well("nvidia-smi", { machine: { nvidiaSmi: script("echo '<product_name>Card 9</product_name>'") } })).toBe("Card 9");
  });
});

describe("doctor: version", () => {
  it("warns about running processes of another version", async () => {
    expect(await well("version")).toBe("1.2.3");
    expect(await finds("version", { daemon: { url: "http://127.0.0.1:1", version: "1.2.2" } }, "warning")).toContain(
      "is version 1.2.2, this program is 1.2.3",
    );
    const given = { db: database.db, daemon: { url: "http://127.0.0.1:1" } };
    await well("version", examined(given));
    await database.db.query(
      (sql) => sql`
        insert into processes (process_id, host, pid, version, started_at, heartbeat_at)
        values (gen_random_uuid(), 'attic', 7, '1.1.0', now(), now()), (gen_random_uuid(), 'gone', 7, '0.9.0', now(), now() - interval '1 hour')
      `,
    );
    const text = await finds("version", given);
    expect(text).toContain("attic runs 1.1.0 on this database");
    expect(text).not.toContain("gone");
  });
});
