import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { deleteEmbeddingsBefore } from "../../../src/monitoring/entities/embeddings-repository.ts";
import { deleteUnusedEntities, forgetSightings, lockEntities } from "../../../src/monitoring/entities/entities-repository.ts";
import { createRecognition, type Recognition, type Seen } from "../../../src/monitoring/entities/recognition.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { eventually } from "../../support/eventually.ts";

let database: TestDatabase;
let here: Recognition;
/** Another process with the same database. */
let elsewhere: Recognition;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.db.query(async (sql) => {
    await emptyTables(sql, "cameras, entities, journal");
    await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/yard'), ('gate', 'Gate', '/gate')`;
  });
  const options = { db: database.db, clock: systemClock, threshold: 0.85, ttlMs: 24 * 3_600_000 };
  here = createRecognition(options);
  elsewhere = createRecognition(options);
});

const now = new Date();
const turned = (degrees: number) => Float32Array.of(Math.cos((degrees / 180) * Math.PI), Math.sin((degrees / 180) * Math.PI));

async function seen(degrees: number, more: Partial<Seen> = {}): Promise<Seen> {
  const sight = { cameraId: "yard", objectType: "person", confidence: 0.9, seenAt: now, frame: crypto.randomUUID(), source: "x", ...more };
  const [row] = await database.db.query(
    (sql) => sql<[{ id: number }]>`
      insert into detections (camera_id, file_path, detected_at, object_type, confidence)
      values (${sight.cameraId}, '/x.jpg', ${sight.seenAt}, ${sight.objectType}, ${sight.confidence})
      returning detection_id as id
    `,
  );
  return { detectionId: row.id, vector: turned(degrees), ...sight };
}

const entityOf = async (recognition: Recognition, one: Seen): Promise<string | undefined> =>
  (await recognition.recognise(one.objectType, [one])).get(one.detectionId)?.entityId;
const count = async (): Promise<number> => (await database.db.query((sql) => sql`select 1 from entities`)).length;

test("recognition: similar vectors of the same class and embedder are the same entity in every process; others are not", async () => {
  const first = await entityOf(here, await seen(0));
  expect(await entityOf(elsewhere, await seen(20))).toBe(first);
  expect(await entityOf(here, await seen(-25))).toBe(first);
  for (const other of [
    await seen(90),
    await seen(0, { objectType: "dog" }),
    await seen(0, { source: "another embedder" }),
    await seen(0, { seenAt: new Date(now.getTime() - 25 * 3_600_000) }),
  ]) {
    expect(await entityOf(elsewhere, other)).not.toBe(first);
  }
});

test("exactly at the threshold is the same", async () => {
  const strict = createRecognition({ db: database.db, clock: systemClock, threshold: 1, ttlMs: 1_000 });
  const vector = Float32Array.of(0, 1);
  expect(await entityOf(strict, await seen(0, { vector }))).toBe(await entityOf(strict, await seen(0, { vector })));
});

test("two on one picture are two, however alike", async () => {
  const frame = "one";
  const both = [await seen(0, { frame }), await seen(1, { frame })];
  const found = await here.recognise("person", both);
  expect(new Set([...found.values()].map(({ entityId }) => entityId)).size).toBe(2);
});

test("recognition: a new entity that two processes see at the same moment is stored once", async () => {
  const all = await Promise.all(Array.from({ length: 20 }, (_, at) => seen(at / 10, { cameraId: at % 2 ? "yard" : "gate" })));
  const ids = await Promise.all(all.map((one, at) => entityOf(at % 2 ? here : elsewhere, one)));
  expect(new Set(ids).size).toBe(1);
  const [entity] = await database.db.query(
    (sql) => sql`
      select n.detection_count as count, array(select v.camera_id from entity_cameras v order by 1) as cameras from entities n
    `,
  );
  expect(entity).toEqual({ count: 20, cameras: ["gate", "yard"] });
  const told = await database.db.query((sql) => sql`select 1 from journal j where j.type = 'entity_discovered'`);
  expect(told.length).toBe(1);
});

test("recognition: after a crash the answer is the same and counted once; a deleted detection has no entity", async () => {
  const one = await seen(0);
  const first = await entityOf(here, one);
  expect(await entityOf(elsewhere, one)).toBe(first);
  expect(await database.db.query((sql) => sql`select n.detection_count as count from entities n`)).toMatchObject([{ count: 1 }]);
  expect(await entityOf(here, { ...one, detectionId: 999_999 })).toBeUndefined();
});

test("recognition: vectors expire, entities without vectors are deleted, and the next sighting is a new entity", async () => {
  const { db } = database;
  const one = await seen(0);
  const first = await entityOf(here, one);
  await db.query((sql) => sql`update detections d set entity_id = ${first ?? null} where d.detection_id = ${one.detectionId}`);
  const later = new Date(Date.now() + 60_000);
  expect(await db.transaction((sql) => deleteEmbeddingsBefore(sql, later, 100))).toBe(1);
  expect(await db.transaction((sql) => deleteUnusedEntities(sql, later, 100))).toBe(0);
  await db.query((sql) => sql`delete from detections d where d.detection_id = ${one.detectionId}`);
  expect(await db.transaction((sql) => deleteUnusedEntities(sql, later, 100))).toBe(1);
  // the process still caches the vector of the deleted entity
  expect(await entityOf(here, await seen(0))).not.toBe(first);
  expect(await count()).toBe(1);
});

test("recognition: entities are locked by id, so that it never deadlocks with sightings that are replaced", async () => {
  const { db } = database;
  const frame = "one";
  const first = await Promise.all(Array.from({ length: 12 }, (_, at) => seen(at * 30, { frame })));
  const found = [...(await here.recognise("person", first))].map(([detectionId, { entityId }]) => ({ detectionId, entityId }));
  const ids = found.map(({ entityId }) => entityId).toSorted();
  const again = await Promise.all(Array.from({ length: 12 }, (_, at) => seen(at * 30, { frame: "two" })));
  const works: (() => Promise<unknown>)[] = [
    () => here.recognise("person", again),
    () => db.transaction((sql) => forgetSightings(sql, found.map(({ detectionId }) => detectionId).toReversed())),
  ];
  for (const work of works) {
    let other: Promise<unknown> | undefined;
    await db.transaction(async (sql) => {
      await lockEntities(sql, ids.slice(0, 1));
      other = work();
      other.catch(() => {});
      await eventually(async () => {
        const [row] = await db.query(
          (one) => one<[{ waits: boolean }]>`select exists (select from pg_locks l where not l.granted) as waits`,
        );
        return row.waits;
      });
      await lockEntities(sql, ids);
    });
    await other;
  }
  // The sightings of the second picture are left.
  expect(await count()).toBe(12);
});
