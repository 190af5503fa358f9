import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli } from "../support/cli.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/temporary.ts";

let database: TestDatabase;
const folder = temporaryFolder("direct");
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.close();
  await folder.remove();
});

const direct = (...args: string[]) =>
  cli([...args, "--direct"], { cwd: folder.path, env: { DATABASE_URL: database.url, DATA_DIR: folder.path } });

describe("--direct", () => {
  it("--direct: works on the database without a daemon", async () => {
    const added = await direct("cameras", "add", "Front door", "-o", "json");
    expect(added.code, added.err).toBe(0);
    expect(JSON.parse(added.out)).toMatchObject({ camera_id: "front_door", folder_path: join(folder.path, "cameras", "front_door") });
    expect((await direct("cameras", "list", "-o", "id")).out).toBe("front_door\n");
    expect((await direct("cameras", "update", "front_door", "--name", "Gate", "-o", "csv")).out).toContain("front_door,Gate,");
    expect((await direct("cameras", "remove", "front_door")).err).toBe(
      "camera front_door removed; undo with homesec cameras restore front_door\n",
    );
    expect((await direct("cameras", "show", "front_door")).code).toBe(3);
    expect((await direct("cameras", "list", "--deleted", "-o", "id")).out).toBe("front_door\n");
    expect((await direct("cameras", "restore", "front_door")).code).toBe(0);
    expect((await direct("events", "list", "-o", "json")).out).toContain('"total": 0');
    expect((await direct("detections", "list")).err).toBe("no detections\n");
  });

  it("--direct: warns when the daemon will not read a camera's folder", async () => {
    expect((await direct("cameras", "add", "Elsewhere", "--folder-path", "/etc")).err).toBe(
      `camera elsewhere added; it uploads to /etc
homesec reads no pictures from /etc: The folder is outside of CAMERA_ROOT and CAMERA_EXTRA_ROOTS (${join(folder.path, "cameras")}); add a root or move it. It is not read
`,
    );
  });

  it("--direct: names the full path of a missing folder, and the base of a relative path", async () => {
    await direct("cameras", "add", "Shed");
    const folderPath = join(folder.path, "cameras", "cams", ".away");
    expect((await direct("cameras", "update", "shed", "--folder-path", "cams/.away")).err).toBe(
      `camera shed changed
homesec reads no pictures from ${folderPath}: The folder does not exist; create it or correct folder_path
--folder-path cams/.away is relative to CAMERA_ROOT, not to the working directory; give an absolute path to use another folder
`,
    );
    expect((await direct("cameras", "update", "shed", "--folder-path", folderPath)).err).not.toContain("CAMERA_ROOT");
    expect((await direct("cameras", "update", "shed", "--folder-path", "shed")).err).toBe("camera shed changed\n");
  });

  it("--direct: ends with the same exit codes as the API", async () => {
    expect((await direct("cameras", "show", "nobody")).code).toBe(3);
    expect((await direct("cameras", "add", "x".repeat(256))).code).toBe(2);
    expect(await direct("cameras", "add", "")).toMatchObject({ code: 2, err: "homesec: name: Must not be empty\n" });
    await direct("cameras", "add", "Twice");
    expect((await direct("cameras", "add", "Twice")).code).toBe(5);
  });

  it("--direct: migrates an empty database", async () => {
    const empty = await testDatabase({ migrated: false });
    const env = { DATABASE_URL: empty.url, DATA_DIR: folder.path };
    const status = await cli(["db", "status", "-o", "csv"], { env });
    expect(status.out).toMatch(/^version,name,state,applied_at\r\n1,0001_init.sql,pending,\r\n/);
    expect(await cli(["cameras", "list", "--direct"], { env })).toEqual({ code: 0, out: "", err: "no cameras\n" });
    expect((await cli(["db", "status"], { env })).out).toMatch(/1 {2}0001_init.sql\s+applied {2}(just now|\d+ s ago)/);
    await empty.close();
  });

  it("--direct: db migrate updates the schema once", async () => {
    const empty = await testDatabase({ migrated: false });
    const env = { DATABASE_URL: empty.url, DATA_DIR: folder.path };
    expect((await cli(["db", "migrate", "-o", "json"], { env })).out).toContain('"0001_init.sql"');
    expect(await cli(["db", "migrate"], { env })).toEqual({ code: 0, out: "", err: "the schema is up to date\n" });
    await empty.db.query((sql) => sql`update schema_migrations set checksum = 'x' where version = 1`);
    for (const command of [
      ["db", "status"],
      ["db", "migrate"],
      ["cameras", "list", "--direct"],
    ]) {
      const { code, err } = await cli(command, { env });
      expect(code).toBe(5);
      expect(err).toContain("0001_init.sql was changed");
    }
    await empty.close();
  });

  it("--direct: starts and stops the embedded server without delay", async () => {
    const own = temporaryFolder("direct-embedded");
    const env = { DATA_DIR: own.path };
    const first = await cli(["cameras", "add", "Garage", "--direct", "-o", "id"], { env });
    expect([first.code, first.out], first.err).toEqual([0, "garage\n"]);
    const start = performance.now();
    expect((await cli(["cameras", "list", "--direct", "-o", "id"], { env })).out).toBe("garage\n");
    // if homesec mistook its own session for another client's, it would wait 10 s for it
    expect(performance.now() - start).toBeLessThan(8_000);
    await own.remove();
  });

  it("--direct: config show prints settings that were changed at run time", async () => {
    await database.db.query((sql) => sql`insert into settings (key, value) values ('RETENTION_DAYS', '3')`);
    const env = { DATABASE_URL: database.url, RETENTION_DAYS: "9" };
    const { out, err } = await cli(["config", "show", "-o", "csv"], { env });
    expect(err).toBe("");
    expect(out).toContain("RETENTION_DAYS,3,settings\r\n");
    expect(out).toContain("BATCH_WINDOW_SECONDS,90,default\r\n");
  });
});
