import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, type StandIn } from "../support/upstream.ts";
import { cronCommands, shellIn } from "./shell.ts";

const root = join(import.meta.dirname, "../..");

describe("nightly export by cron", () => {
  const home = temporaryFolder("cron");
  let database: TestDatabase;
  let detector: StandIn;
  let daemon: TestDaemon;

  beforeAll(async () => {
    [database, detector] = await Promise.all([testDatabase(), detectorStandIn()]);
    daemon = await testDaemon({ env: { DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: detector.url } });
  });
  afterAll(async () => {
    await daemon.stop();
    await Promise.all([database.close(), detector.close(), home.remove()]);
  });

  /** Stores an event with a time some minutes ago. */
  async function happened(): Promise<void> {
    await database.db.query(
      (sql) => sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/b') on conflict do nothing`,
    );
    const event = { camera_id: "yard", started_at: new Date().toISOString() };
    const headers = { "content-type": "application/json" };
    const made = await fetch(`${daemon.url}/api/events/bulk`, { method: "POST", headers, body: JSON.stringify({ events: [event] }) });
    expect(made.ok, await made.text()).toBe(true);
    await database.db.query((sql) => sql`update events set created_at = now() - interval '3 minutes'`);
  }

  it("nightly export: docs/exports.md sets it up, and it saves each event once", async () => {
    const recipe = shellIn(readFileSync(join(root, "docs/exports.md"), "utf8")).blocks.find((block) => block.includes("crontab -"));
    // A fake crontab in place of the user's
    const bin = join(home.path, "bin");
    const crontab = join(home.path, "crontab");
    mkdirSync(bin);
    writeFileSync(
      join(bin, "crontab"),
      `#!/bin/sh\nif [ "$1" = - ]; then cat > ${crontab}.new && mv ${crontab}.new ${crontab}; else cat ${crontab}; fi\n`,
      { mode: 0o755 },
    );
    writeFileSync(crontab, "1 2 3 4 5 true\n");
    const env = { HOME: home.path, PATH: `${bin}:${process.env["PATH"]}` };
    await execa("bash", ["-ec", recipe ?? ""], { cwd: root, env, extendEnv: false });
    expect(readFileSync(crontab, "utf8")).toMatch(/^1 2 3 4 5 true\n0 7 \* \* \* cd ~\/events && .* >> export\.log 2>&1\n$/);

    // As cron runs it: minimal environment, home folder, percent signs replaced
    const [, line = ""] = cronCommands(readFileSync(crontab, "utf8")).split("\n");
    const poor = { HOME: home.path, LOGNAME: "me", SHELL: "/bin/sh", PATH: "/usr/bin:/bin", HOMESEC_URL: daemon.url };
    const events = join(home.path, "events");
    const morning = async () => {
      const { exitCode } = await execa("/bin/sh", ["-c", line], { cwd: home.path, env: poor, extendEnv: false, reject: false });
      return {
        exitCode,
        log: readFileSync(join(events, "export.log"), "utf8"),
        files: readdirSync(events).filter((name) => name.endsWith(".csv")),
      };
    };
    expect(await morning()).toEqual({ exitCode: 0, log: "no new events\n", files: [] });
    await happened();
    // The first run set the mark to a minute before it. This event is older, so move the mark back
    writeFileSync(join(events, "export.mark"), "2026-01-01T00:00:00.000Z\n");
    const first = await morning();
    expect(first).toEqual({
      exitCode: 0,
      log: expect.stringMatching(/\nsaved /),
      files: [expect.stringMatching(/^\d{4}-\d\d-\d\d\.csv$/)],
    });
    expect(readFileSync(join(events, first.files[0] as string), "utf8")).toContain(",yard,");
    // Without new events the file stays, and the run succeeds
    expect(await morning()).toEqual({ ...first, log: `${first.log}no new events\n` });
  });
});
