import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Sql } from "../../../src/platform/database/database.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

/* Migration 21: what earlier versions dropped for a fault of a service is tried again. */

const migration = readFileSync(join(import.meta.dirname, "../../../migrations/0021_service_faults.sql"), "utf8");
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/** The error of a dead letter, its age in hours, and whether it is tried again. */
const letters: [error: string, hours: number, isRevived: boolean][] = [
  ["status 401: no key", 1, true],
  ["status 404: <html>", 23, true],
  ["status 426", 1, true],
  ["status 404: <html>", 25, false],
  ["status 400: bad picture", 1, false],
  ["status 413", 1, false],
  ["status 415", 1, false],
  ["status 422: no face", 1, false],
  ["failed after 20 attempts that never ended", 1, false],
];

async function insertLetters(sql: Sql): Promise<void> {
  await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/yard')`;
  for (const [error, hours] of letters) {
    const [image] = await sql<[{ id: number }]>`
      insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status, reason, finished_at)
      values ('yard', ${`/yard/${error} ${hours}.jpg`}, 1, 1, 'watch', now(), now(), 'skipped', 'refused', now())
      returning image_id as id
    `;
    const [event] = await sql<[{ id: number }]>`
      insert into events (camera_id, started_at, ended_at, analysis_status) values ('yard', now(), now(), 'failed') returning event_id as id
    `;
    const jobs = [
      { queue: "detect", subject: String(image.id), error: error.startsWith("status") ? `refused: ${error}` : error },
      { queue: "analyze", subject: String(event.id), error },
    ];
    for (const job of jobs) {
      await sql`
        insert into jobs (queue, subject, status, position, available_at, attempts, last_error, created_at)
        values (${job.queue}, ${job.subject}, 'dead', now(), now(), 1, ${job.error}, now() - ${`${hours} hours`}::interval)
      `;
    }
  }
}

test("upgrade: pictures and events of the last day that were dropped for a fault of the service wait again, and no others", async () => {
  await database.db.query(insertLetters);
  await database.db.query((sql) => sql.unsafe(migration));
  const [images, events] = await database.db.query(async (sql) => [
    await sql<{ status: string; job: string }[]>`
      select i.status, j.status as job from images i join jobs j on j.queue = 'detect' and j.subject = i.image_id::text order by i.image_id
    `,
    await sql<{ status: string; job: string }[]>`
      select e.analysis_status as status, j.status as job
      from events e
      join jobs j on j.queue = 'analyze' and j.subject = e.event_id::text
      order by e.event_id
    `,
  ]);
  expect(images).toEqual(letters.map(([, , is]) => (is ? { status: "pending", job: "pending" } : { status: "skipped", job: "dead" })));
  expect(events).toEqual(letters.map(([, , is]) => (is ? { status: "pending", job: "pending" } : { status: "failed", job: "dead" })));
});
