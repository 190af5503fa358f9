import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli } from "../support/cli.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../support/upstream.ts";

let database: TestDatabase;
let services: readonly [StandIn, StandIn];
let daemon: TestDaemon;
let env: Record<string, string>;

beforeAll(async () => {
  [database, services] = [await testDatabase(), await Promise.all([detectorStandIn(), languageModelStandIn()])];
  const [detector, model] = services;
  daemon = await testDaemon({
    env: { DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, VISION_EXTRACTION_ENABLED: "true" },
  });
  env = { HOMESEC_URL: daemon.url, DATABASE_URL: database.url, DATA_DIR: daemon.dataDir };
  const folder = join(daemon.dataDir, "yard");
  await mkdir(folder);
  // only the picture is missing, not its disk
  await writeFile(join(folder, "notes.txt"), "");
  await database.db.query(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', ${folder})`;
    await sql`
      insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status, reason, finished_at)
      values ('yard', ${join(folder, "a.jpg")}, 1, 1, 'watch', now(), now(), 'skipped', 'refused', now())
    `;
    await sql`
      insert into jobs (queue, subject, status, position, available_at, attempts, last_error)
      select 'detect', i.image_id::text, 'dead', now(), now(), 1, 'the picture cannot be read' from images i
    `;
    await sql`insert into events (camera_id, started_at, ended_at) values ('yard', '2020-01-01', '2020-01-01')`;
  });
});
afterAll(async () => {
  await daemon.stop();
  await Promise.all(services.map((service) => service.close()));
  await database.close();
});

const homesec = (...args: string[]) => cli(args, { env });

describe("system commands", () => {
  it("system commands: list workers and breakers, and reset a breaker", async () => {
    expect((await homesec("workers", "list")).out).toMatch(/cleanup_service +running/);
    expect((await homesec("breakers", "list")).out).toMatch(/language_model +closed +0/);
    expect(JSON.parse((await homesec("breakers", "list", "-o", "json")).out).breakers).toHaveLength(5);
    expect(await homesec("breakers", "reset", "detector")).toMatchObject({ code: 0, err: expect.stringContaining("closed already") });
    expect(await homesec("breakers", "reset", "nobody")).toMatchObject({ code: 3, err: expect.stringContaining("detector") });
  });

  it("system commands: name the commands that need the daemon", async () => {
    for (const args of [
      ["workers", "list"],
      ["breakers", "list"],
      ["breakers", "reset", "detector"],
    ]) {
      expect(await homesec(...args, "--direct")).toMatchObject({ code: 2, err: expect.stringContaining("homesec serve") });
    }
  });

  it("system commands: show the graphics card, or say that there is none", async () => {
    expect(await homesec("gpu", "show")).toMatchObject({ code: 0, out: expect.stringMatching(/^card +\S/) });
    expect(JSON.parse((await homesec("gpu", "show", "--direct", "-o", "json")).out)).toHaveProperty("utilization");
    expect(JSON.parse((await homesec("gpu", "history", "--hours", "2", "-o", "json")).out)).toMatchObject({ hours: 2, interval: "5m" });
    expect((await homesec("gpu", "history", "--hours", "200")).code).toBe(2);
  });

  it("system commands: list dead letters and retry them", async () => {
    expect((await homesec("dlq", "list")).out).toMatch(/detect +1\nenrich +0\nanalyze +0/);
    const [id] = (await homesec("dlq", "list", "--queue", "detect", "-o", "id")).out.trim().split("\n");
    expect((await homesec("dlq", "list", "--queue", "detect", "--direct")).out).toContain("the picture cannot be read");
    expect((await homesec("dlq", "show", "detect", String(id))).out).toMatch(/subject +yard: \/\S+\/yard\/a.jpg/);
    expect(await homesec("dlq", "show", "detect", "999")).toMatchObject({ code: 3 });
    expect(await homesec("dlq", "requeue", "detect", "--job", String(id))).toMatchObject({ code: 0, err: "1 requeued\n" });
    // the file is missing, so the job becomes a dead letter again
    await eventually(async () => (await homesec("dlq", "list")).out.includes("detect              1"));
    expect(await homesec("dlq", "purge", "detect", "--yes", "-o", "json")).toMatchObject({
      code: 0,
      out: '{\n  "queue": "detect",\n  "purged": 1\n}\n',
    });
    expect(await homesec("dlq", "purge", "nothing", "--yes")).toMatchObject({
      code: 3,
      err: expect.stringContaining("detect, enrich, analyze"),
    });
  });

  it("system commands: change a setting, and config show prints it", async () => {
    const args = ["--retention-days", "400", "--high-from", "55", "--no-reid-enabled", "--vision-url", "http://127.0.0.1:9"];
    expect((await homesec("config", "set", ...args)).out).toMatch(
      /retention +400 days[\s\S]*high 55[\s\S]*vision +on, http:\/\/127.0.0.1:9\n/,
    );
    const shown = await homesec("config", "show", "-o", "csv");
    for (const line of ["RETENTION_DAYS,400,settings", "REID_ENABLED,false,settings", "VISION_URL,http://127.0.0.1:9,settings"]) {
      expect(shown.out).toContain(line);
    }
    expect((await homesec("config", "set", "--direct", "--vision-url", "", "-o", "json")).out).toContain('"vision_url": null');
    expect(await homesec("config", "set")).toMatchObject({ code: 2, err: expect.stringContaining("nothing to change") });
    expect(await homesec("config", "set", "--high-from", "90")).toMatchObject({ code: 2, err: expect.stringContaining("ascend") });
  });

  it("config set: takes NAME=VALUE by the names of variables, the API and options", async () => {
    const set = (...args: string[]) => homesec("config", "set", ...args, "-o", "json");
    const changed = await set("BATCH_WINDOW_SECONDS=77", "retention_days=401", "HIGH-FROM=56", "SCENE_CHANGE_ENABLED=off", "VISION_URL=");
    expect(JSON.parse(changed.out)).toMatchObject({
      batch_timeout_seconds: 77,
      retention_days: 401,
      risk_score_thresholds: { high: 56 },
      scene_change_enabled: false,
      vision_url: null,
    });
    await set("--reset", "batch_timeout_seconds,scene_change_enabled", "RETENTION_DAYS=400");
    for (const [args, message] of [
      [["RETENTION_DAYS=many"], 'RETENTION_DAYS "many" must be a whole number from 1 to 3650'],
      [["REID_ENABLED=perhaps"], 'REID_ENABLED "perhaps" must be true or false'],
      [["RETENTION_DAYS"], "RETENTION_DAYS has no value; write RETENTION_DAYS=VALUE"],
      [["RETENTION_DAY=14"], "RETENTION_DAY is no setting; did you mean RETENTION_DAYS?"],
      [["COLOUR=red"], "COLOUR is no setting; `homesec config set --help` lists the settings"],
      [["RISK_SCORE_THRESHOLDS=1"], "write MEDIUM_FROM=30, HIGH_FROM=60 or CRITICAL_FROM=80"],
      [["RETENTION_DAYS=14", "retention-days=15"], "retention-days is given twice"],
      [["RETENTION_DAYS=14", "--retention-days", "15"], "retention_days is given twice"],
      [["SMTP_HOST=mail.test"], "write SMTP_HOST=VALUE to the .env file in the daemon's folder, or to its --config file; a running daemon"],
      [["PORT=8001"], "write PORT=VALUE to the .env file in the daemon's folder, or to its --config file; then restart the daemon"],
    ] as const)
      expect(await set(...args)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(message) });
    // a secret is in no message
    for (const secret of ["SMTP_PASSWORD=hunter2", "SMTP_PASSWORT=hunter2", "=hunter2", "12hunter2"])
      expect(await set(secret)).toMatchObject({ code: 2, err: expect.not.stringContaining("hunter2") });
  });

  it("system commands: delete old data", async () => {
    expect(await homesec("cleanup")).toMatchObject({ code: 2, out: "", err: expect.stringContaining("--yes") });
    expect((await homesec("cleanup", "--dry-run")).out).toMatch(/would delete +data older than 400 days\nevents +1\n/);
    expect(JSON.parse((await homesec("cleanup", "--yes", "-o", "json")).out)).toMatchObject({ events_deleted: 1, dry_run: false });
    expect((await homesec("cleanup", "--yes", "--direct")).out).toMatch(/deleted +data older than 400 days\nevents +0\n/);
  });
});
