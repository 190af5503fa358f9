import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restore } from "../../src/admin/backup/restore.ts";
import { type Clock, systemClock } from "../../src/base/clock/clock.ts";
import { migrationStatus } from "../../src/platform/database/migrate.ts";
import { startBinary } from "../support/cli.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../support/upstream.ts";
import { type Evening, type Release, recordedRoot, releases } from "./fixture.ts";
import { cameraFolders, moveCameras } from "./places.ts";
import { replacedIn, whatIsSeen, withoutWording } from "./seen.ts";

const migrations = join(import.meta.dirname, "../../migrations");

describe.each(releases)("upgrade from homesec $version", (release: Release) => {
  const folder = temporaryFolder("release");
  let evening: Evening;
  let database: TestDatabase;
  let standIns: readonly StandIn[];
  let daemon: TestDaemon;
  let firstPending: number;

  beforeAll(async () => {
    evening = JSON.parse(await readFile(release.evening, "utf8")) as Evening;
    // Private, which a clone of the project cannot preserve.
    await writeFile(join(folder.path, "secret.key"), Buffer.from(evening.key, "hex"), { mode: 0o600 });
    const [detector, model] = await Promise.all([detectorStandIn(), languageModelStandIn()]);
    standIns = [detector, model];
    database = await testDatabase({ migrated: false });
    await asItWas(release, database, folder.path);
    firstPending = (await migrationStatus(database.db)).pending.length;
    const cameraRoot = join(folder.path, "cameras");
    await moveCameras(database.db, recordedRoot, cameraRoot);
    for (const folder of await cameraFolders(database.db, cameraRoot)) await mkdir(folder, { recursive: true });
    daemon = await testDaemon({
      env: {
        ...{ DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, BATCH_IDLE_TIMEOUT_SECONDS: "1" },
        ...{ CAMERA_ROOT: cameraRoot, SECRET_KEY_PATH: join(folder.path, "secret.key") },
        ...{
          REID_ENABLED: "true",
          VISION_EXTRACTION_ENABLED: "true",
          VISION_URL: "http://127.0.0.1:9",
          EMBEDDER_URL: "http://127.0.0.1:9",
        },
        ...{ ENRICHMENT_URL: "http://127.0.0.1:9" },
      },
      clock: startingAt(new Date(Date.parse(evening.at) + 1_000)),
    });
  });
  afterAll(async () => {
    await daemon.stop();
    await Promise.all([...standIns, database].map((each) => each.close()));
    await folder.remove();
  });

  it("upgrade: starting the daemon migrates the data to the newest schema", async () => {
    const { pending, refusal, applied } = await migrationStatus(database.db);
    expect([pending, refusal]).toEqual([[], null]);
    expect(applied.length).toBeGreaterThanOrEqual(14 + firstPending);
  });

  it("upgrade: events, pictures, alerts, rules, silences, deliveries, explanations and statistics stay the same", {
    timeout: 90_000,
  }, async () => {
    const now = replacedIn(await whatIsSeen(daemon.url, evening.day), { [daemon.cameraRoot]: recordedRoot });
    const before = withoutWording(evening.seen);
    expect(Object.keys(before).length).toBeGreaterThan(60);
    expect(withoutWording(now)).toMatchObject(before);
  });

  it("upgrade: the next picture becomes the next event, and the rules raise the next alert", async () => {
    const events = async () => {
      const { items } = (await (await fetch(`${daemon.url}/api/events?limit=100`)).json()) as {
        items: readonly { id: number; risk_score: number | null }[];
      };
      return items;
    };
    const newest = Math.max(...(await events()).map(({ id }) => id));
    await renameIn(join(daemon.cameraRoot, "porch", "next.jpg"), await uniqueJpeg());
    const judged = await eventually(async () => (await events()).find(({ id, risk_score }) => id > newest && risk_score === 42));
    const alerts = await eventually(async () => {
      const { items } = (await (await fetch(`${daemon.url}/api/alerts?event_id=${judged.id}`)).json()) as { items: readonly object[] };
      return items.length === 2 ? items : undefined;
    });
    expect(alerts.map((alert) => (alert as { severity: string }).severity).toSorted()).toEqual(["critical", "medium"]);
  });
});

describe("database of a later version", () => {
  it("database of a later version: is refused with a helpful message and stays unchanged", async () => {
    const database = await testDatabase();
    const folder = temporaryFolder("older");
    await database.db.query(
      (sql) => sql`insert into schema_migrations (version, name, checksum, applied_at) values (9999, '9999_later.sql', 'x', now())`,
    );
    const { exitCode, stderr } = await startBinary(["serve"], { env: { DATABASE_URL: database.url, DATA_DIR: folder.path, PORT: "0" } });
    expect(exitCode).toBe(5);
    expect(stderr).toMatch(
      /made by a newer homesec \(it has migration 9999_later\.sql, .*install that version or a later one, or restore a backup/,
    );
    expect((await migrationStatus(database.db)).applied.at(-1)?.name).toBe("9999_later.sql");
    await database.db.query((sql) => sql`delete from schema_migrations m where m.version = 9999`);
    await Promise.all([database.close(), folder.remove()]);
  });
});

/** Fills the database as the release left it, without the effects of later versions. */
async function asItWas(release: Release, { db }: TestDatabase, folder: string): Promise<void> {
  const older = join(folder, "migrations");
  await cp(migrations, older, { recursive: true });
  const known = Number((JSON.parse(await readFile(release.evening, "utf8")) as Evening).schema.slice(0, 4));
  for (const name of await readdir(older)) if (Number(name.slice(0, 4)) > known) await rm(join(older, name));
  await restore({ db, path: release.backup, replace: false, alone: false, clock: systemClock, folder: older });
}

/** The machine's clock with an offset. */
function startingAt(start: Date): Clock {
  const ahead = start.getTime() - Date.now();
  return { now: () => new Date(Date.now() + ahead), monotonic: () => performance.now() };
}
