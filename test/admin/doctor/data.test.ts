import { chmodSync, chownSync, realpathSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mountOf, parseMounts } from "../../../src/platform/disk/mounts.ts";
import { openSealer } from "../../../src/platform/secrets/sealer.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { filesIn, finds, make, ownFolder, says, script, skips, well } from "./support.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
const isRoot = process.getuid?.() === 0;

describe("doctor: data folder", () => {
  it("reports a folder that cannot be used or created", async () => {
    const DATA_DIR = ownFolder();
    await well("data-folder", { env: { DATA_DIR } });
    expect(await skips("data-folder", { env: { DATA_DIR: join(DATA_DIR, "a", "b") } })).toContain("the first start of homesec creates it");
    const file = join(filesIn({ file: "" }), "file");
    expect(await finds("data-folder", { env: { DATA_DIR: file } }, "error")).toContain(`Delete the file ${file}`);
    expect(await finds("data-folder", { env: { DATA_DIR: join(file, "below") } })).toContain("ENOTDIR");
    expect(await finds("data-folder", { env: { DATA_DIR: "/proc/homesec/data" } }).catch(String)).not.toBe("");
  });

  it("reports a folder that other users may read or write", async () => {
    const DATA_DIR = ownFolder();
    expect(await well("data-folder", { env: { DATA_DIR } })).toBe(`${DATA_DIR} (0700)`);
    chmodSync(DATA_DIR, 0o755);
    expect(await finds("data-folder", { env: { DATA_DIR } }, "warning")).toContain(
      `may read ${DATA_DIR} (0755) -> chmod o-rw,g-w ${DATA_DIR}`,
    );
    chmodSync(DATA_DIR, 0o777);
    expect(await finds("data-folder", { env: { DATA_DIR } }, "error")).toContain("read and write to");
    chmodSync(DATA_DIR, 0o710);
    await well("data-folder", { env: { DATA_DIR } });
    expect(await skips("data-folder")).toContain("does not exist yet");
  });

  it.skipIf(!isRoot)("reports files that belong to another user", async () => {
    const DATA_DIR = filesIn({ "logs/a.ndjson": "", "secret.key": "", "cameras/a/b.jpg": "" });
    await well("data-folder", { env: { DATA_DIR } });
    chownSync(join(DATA_DIR, "cameras"), 65534, 65534);
    await well("data-folder", { env: { DATA_DIR } });
    chownSync(join(DATA_DIR, "logs"), 65534, 65534);
    expect(await finds("data-folder", { env: { DATA_DIR } }, "error")).toContain(
      `logs in ${DATA_DIR} belongs to another user than the folder: homesec once ran as that user -> sudo chown -R 0 ${join(DATA_DIR, "logs")}`,
    );
  });

  it("skips a folder of another user", async () => {
    for (const id of ["data-folder", "key-file", "camera-roots", "disk-space"])
      expect(await skips(id, { isForeign: true }), id).toContain("as the user that runs homesec");
  });

  it("daemon: reports a process that was killed or does not answer", async () => {
    const daemon = { url: "http://127.0.0.1:1" };
    expect(await finds("daemon", { holder: { pid: 41, lives: false } }, "error")).toContain("(pid 41) was killed");
    expect(await finds("daemon", { holder: { pid: 41, lives: true } })).toContain("kill 41");
    for (const lives of [true, false]) await well("daemon", { holder: { pid: 41, lives }, daemon });
    await skips("daemon", { holder: { pid: 41, lives: true }, isDirect: true });
  });

  it("daemon: reads the pid of a dead process from the lock file", async () => {
    const DATA_DIR = filesIn({ "homesec.pid": "999999 abcd1234-77\n" });
    expect(await finds("daemon", { env: { DATA_DIR } })).toContain("pid 999999");
  });
});

describe("doctor: disks", () => {
  const free = (share: number) => ({ bsize: 4096, blocks: 1_000_000, bfree: 1_000_000 * share, bavail: 1_000_000 * share });
  const disk = (share: number) => ({ machine: { statfs: async () => free(share) } });

  it("reports low disk space", async () => {
    expect(await finds("disk-space", disk(0.03), "error")).toMatch(/Only 123 MB \(3.0 %\) of the disk with DATA_DIR.*du -xh/);
    expect(await finds("disk-space", disk(0.08), "warning")).toContain("8.0 %");
    expect(await well("disk-space", disk(0.5))).toContain("50.0 %");
  });

  it("checks the disk of the pictures only if it is another one", async () => {
    expect((await make("disk-space", disk(0.01))).findings).toHaveLength(1);
    const [shm, tmp] = ["/dev/shm", ownFolder()].map((path) => statSync(path, { throwIfNoEntry: false })?.dev);
    if (shm === undefined || shm === tmp) return;
    expect(await finds("disk-space", { env: { CAMERA_ROOT: "/dev/shm" }, ...disk(0.01) }, "error")).toContain("CAMERA_ROOT (/dev/shm)");
  });

  it("warns when the pictures fill the disk within two weeks", async () => {
    const now = "2026-03-01T12:00:00Z";
    const given = { now, db: database.db };
    expect(await skips("disk-growth", given)).toContain("no picture");
    await database.db.query(async (sql) => {
      await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/nowhere')`;
      await sql`
        insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status)
        select 'yard', n || '.jpg', 10000000, n, 'watch', ${new Date("2026-03-01T10:00:00Z")}, ${new Date("2026-03-01T10:00:00Z")}, 'processed'
        from generate_series(1, 20) n
      `;
    });
    // 200 MB a day, 1.2 GB left
    expect(await finds("disk-growth", { ...given, ...disk(0.3) }, "warning")).toMatch(
      /take 200 MB a day: the disk .* is full in 6.1 days.*DELETE_IMAGES=false.*RETENTION_DAYS=3/,
    );
    expect(await finds("disk-growth", { ...given, ...disk(0.3), env: { DELETE_IMAGES: "true" } })).toContain(
      "homesec config set --retention-days 3",
    );
    await well("disk-growth", { ...given, ...disk(0.3), env: { DELETE_IMAGES: "true", RETENTION_DAYS: "4" } });
    await well("disk-growth", { ...given, ...disk(0.3), env: { DELETE_IMAGES: "true", DISK_PRESSURE_DELETE: "true" } });
    expect(await well("disk-growth", { ...given, ...disk(1) })).toContain("room for 20 days");
    expect(await well("disk-growth", { ...given, ...disk(500) })).toContain("room for years");
  });
});

describe("doctor: mounts", () => {
  const line = (folder: string, type: string, options = "rw") =>
    `36 35 98:0 / ${folder} ${options},noatime shared:1 - ${type} /dev/x ${options}`;
  const proc = (...lines: string[]) => ({ proc: filesIn({ "self/mountinfo": lines.join("\n") }) });
  const root = line("/", "ext4");

  it("finds the mount of a path", () => {
    const mounts = parseMounts(
      [root, line("/srv", "xfs"), line("/srv/my\\040share", "nfs4"), line("/srv", "btrfs"), "", "nonsense"].join("\n"),
    );
    expect(mountOf(mounts, "/srv/my share/cam")).toMatchObject({ folder: "/srv/my share", type: "nfs4" });
    expect(mountOf(mounts, "/srvx")).toMatchObject({ type: "ext4" });
    expect(mountOf(mounts, "/srv/other")).toMatchObject({ type: "btrfs" });
    expect(mountOf([], "/")).toBeUndefined();
  });

  it("reports a data folder on a network share, in memory, or on a read-only mount", async () => {
    const env = { DATA_DIR: "/srv/homesec" };
    expect(await well("mounts", { env, machine: proc(root) })).toBe("ext4");
    expect(await finds("mounts", { env, machine: proc(root, line("/srv", "nfs4")) }, "error")).toContain("network share (nfs4)");
    expect(await finds("mounts", { env, machine: proc(root, line("/srv", "tmpfs")) }, "warning")).toContain("in memory");
    expect(await finds("mounts", { env, machine: proc(root, line("/srv", "ext4", "ro")) })).toContain("remount,rw /srv");
    await well("mounts", { env: { ...env, DATABASE_URL: "postgres://h/d" }, machine: proc(line("/", "cifs")) });
    await well("mounts", { env, machine: { proc: "/nonexistent" } });
  });

  it("warns about camera folders on network shares", async () => {
    const env = { CAMERA_ROOT: "/srv/cams", CAMERA_EXTRA_ROOTS: "/mnt/nas" };
    expect(await well("camera-mounts", { env, machine: proc(root) })).toBe("ext4");
    expect(await finds("camera-mounts", { env, machine: proc(root, line("/mnt/nas", "cifs")) }, "warning")).toMatch(
      /\/mnt\/nas is a network share \(cifs\).*--skip camera-mounts/,
    );
    const nested = proc(root, line("/srv/cams/yard", "fuse.sshfs"), line("/srv/other", "nfs4"));
    const found = await finds("camera-mounts", { env, machine: nested }, "warning");
    expect(found).toContain("/srv/cams/yard is a network share (fuse.sshfs)");
    expect(found).not.toContain("/srv/other");
  });

  it("finds mounts behind links, without reading links on a share", async () => {
    const folder = realpathSync(filesIn({ "nas/deep/x": "" }));
    symlinkSync("nas", join(folder, "link"));
    symlinkSync(join(folder, "link", "deep"), join(folder, "further"));
    symlinkSync("round", join(folder, "round"));
    symlinkSync("..", join(folder, "nas", "out"));
    const machine = proc(root, line(join(folder, "nas"), "nfs4"));
    for (const place of ["link/homesec", "further", "nas/out"]) {
      const env = { DATA_DIR: join(folder, place), CAMERA_ROOT: join(folder, place) };
      expect(await finds("mounts", { env, machine }, "error")).toContain("network share (nfs4)");
      expect(await finds("camera-mounts", { env, machine }, "warning")).toContain(`${place} is a network share (nfs4)`);
      expect(await says("mounts", { env, machine })).not.toContain("did not answer");
    }
    expect(await well("mounts", { env: { DATA_DIR: join(folder, "round") }, machine })).toBe("ext4");
  });

  it("reports a share that hangs, without hanging", async () => {
    const env = { CAMERA_ROOT: "/" };
    const machine = proc(line("/", "nfs4"));
    expect(await says("mounts", { env, machine })).not.toContain("did not answer");
    await well("mounts", { env, machine: proc(root) });
    const silent = { env, machine: { ...machine, stat: script("exec sleep 30") } };
    const [text, reason] = await Promise.all([finds("mounts", silent, "error"), skips("data-folder", silent)]);
    expect(text).toContain("umount -l /");
    expect(reason).toBe("the network share / does not answer");
  });

  it("reads no key file and no model on a share that hangs", async () => {
    const place = ownFolder();
    const env = { SECRET_KEY_PATH: join(place, "secret.key"), DETECTOR_MODEL_PATH: join(place, "yolo.onnx") };
    const given = { env, machine: { ...proc(root, line(place, "nfs4")), stat: script("exec sleep 30") } };
    const [text, reason, folders] = await Promise.all([
      finds("mounts", given, "error"),
      skips("key-file", given),
      says("inotify", given),
      well("configuration", given),
    ]);
    expect(text).toContain(`${place} did not answer`);
    expect(reason).toBe(`the network share of ${join(place, "secret.key")} does not answer`);
    expect(folders).not.toContain("does not answer");
  });

  it("checks the data folder while a camera share hangs, even one inside the data folder", async () => {
    const home = filesIn({ "data/cameras/yard/1.jpg": "", "data/cameras/door/1.jpg": "" });
    const machine = {
      ...proc(root, line(join(home, "data", "cameras", "yard"), "nfs4"), line(join(home, "data", "cameras", "door"), "nfs4")),
      stat: script('case "$2" in *yard) exec sleep 30;; esac'),
    };
    const given = { env: { DATA_DIR: join(home, "data"), CAMERA_ROOT: join(home, "data", "cameras") }, machine };
    const [text, reason] = await Promise.all([finds("mounts", given, "error"), skips("inotify", given), says("data-folder", given)]);
    expect(text).toMatch(/cameras\/yard did not answer/);
    expect(text).not.toContain("door");
    expect(reason).toBe(`the network share ${join(home, "data", "cameras", "yard")} does not answer`);
    await skips("key-file", { ...given, env: { ...given.env, DATA_DIR: join(home, "data", "cameras", "yard", "data") } });
  });
});

describe("doctor: inotify", () => {
  const limits = (watches: number) => ({ proc: filesIn({ "sys/fs/inotify/max_user_watches": `${watches}\n` }) });

  it("reports too few watches for the camera folders", async () => {
    const CAMERA_ROOT = filesIn({ "a/2026/01/x.jpg": "", "a/2026/02/x.jpg": "", "b/x.jpg": "" });
    expect(await well("inotify", { env: { CAMERA_ROOT }, machine: limits(100) })).toBe("6 of 100 watches needed");
    expect(await finds("inotify", { env: { CAMERA_ROOT }, machine: limits(7) }, "error")).toMatch(
      /6 camera folders.*may watch 7.*fs.inotify.max_user_watches=524288/,
    );
    expect(await skips("inotify", { machine: { proc: "/nonexistent" } })).toContain("no such limit");
  });
});

describe("doctor: key file", () => {
  it("reports a key file that others may read, or that is damaged", async () => {
    const DATA_DIR = ownFolder();
    const path = join(DATA_DIR, "secret.key");
    expect(await well("key-file", { env: { DATA_DIR } })).toContain("does not exist yet");
    openSealer(path);
    expect(await well("key-file", { env: { DATA_DIR } })).toBe(path);
    chmodSync(path, 0o644);
    expect(await finds("key-file", { env: { DATA_DIR } }, "error")).toContain(`chmod 600 ${path}`);
    writeFileSync(path, "short");
    chmodSync(path, 0o600);
    expect(await finds("key-file", { env: { DATA_DIR } })).toContain("5 bytes");
  });

  it("reports secrets that were sealed with another key", async () => {
    const DATA_DIR = ownFolder();
    const given = { env: { DATA_DIR }, db: database.db };
    expect(await well("key-file", given)).toContain("the first start of homesec creates it");
    const seal = async (sealed: Buffer) =>
      await database.db.query(
        (sql) => sql`
          insert into webhooks (webhook_id, name, url, event_types, integration_type, sealed_secret, max_retries, retry_delay_seconds, created_at, updated_at)
          values (gen_random_uuid(), 'chat', 'http://127.0.0.1:1', '{alert_fired}', 'generic', ${sealed}, 4, 10, now(), now())
        `,
      );
    await seal(openSealer(join(DATA_DIR, "secret.key")).seal("x"));
    expect(await well("key-file", given)).toBe(join(DATA_DIR, "secret.key"));
    await seal(openSealer(join(ownFolder(), "secret.key")).seal("x"));
    expect(await finds("key-file", given, "error")).toContain("Secrets of 1 webhook were sealed with another key");
    expect(await finds("key-file", { db: database.db }, "error")).toContain("only it can open the secrets of 2 webhooks");
  });
});

describe("doctor: backups", () => {
  it("warns about an old backup, and skips unknown places", async () => {
    const now = "2026-03-01T12:00:00Z";
    const DATA_DIR = filesIn({ "backups/home.backup": "" });
    const path = join(DATA_DIR, "backups", "home.backup");
    const at = (time: string) => utimesSync(path, new Date(time), new Date(time));
    at("2026-02-27T12:00:00Z");
    expect(await well("backup", { env: { DATA_DIR }, now })).toContain("2 days old");
    at("2026-01-01T12:00:00Z");
    expect(await finds("backup", { env: { DATA_DIR }, now }, "warning")).toContain(
      `is 59 days old -> homesec db backup ${join(DATA_DIR, "backups/homesec-2026-03-01.backup")}`,
    );
    expect(await skips("backup", { now })).toContain("other places are unknown");
  });

  it("reads the real file system", async () => {
    await expect(statfs("/")).resolves.toHaveProperty("bavail");
    expect((await Promise.allSettled([well("disk-space"), finds("disk-space", {})])).some(({ status }) => status === "fulfilled")).toBe(
      true,
    );
  });
});
