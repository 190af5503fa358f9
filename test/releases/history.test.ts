import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock/clock.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { migrateWithin } from "../../src/platform/database/migrate.ts";
import { contentsOf, shapeOf } from "../admin/backup/tables.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { type EarlyRow, earlyRows } from "./rows.ts";

const clock = systemClock;
let walked: TestDatabase;
let fresh: TestDatabase;
let steps: readonly number[];

beforeAll(async () => {
  [walked, fresh] = await Promise.all([testDatabase({ migrated: false }), testDatabase()]);
  const names = await readdir(join(import.meta.dirname, "../../migrations"));
  steps = names.map((name) => Number(name.slice(0, 4))).sort((left, right) => left - right);
  for (const step of steps) {
    await walked.db.transaction((sql) => migrateWithin(sql, { clock, upTo: step }));
    await put(
      walked.db,
      earlyRows.filter(({ from }) => from === step),
    );
  }
  await put(
    fresh.db,
    earlyRows.map((early) => ({ ...early, row: { ...early.row, ...early.later } })),
  );
  // Values that a migration sets to its own time are only checked for existence.
  await walked.db.query((sql) => sql`update activity_baselines b set last_hour = b.updated_at where b.last_hour is not null`);
});
afterAll(() => Promise.all([walked.close(), fresh.close()]));

async function put(db: Database, rows: readonly EarlyRow[]): Promise<void> {
  await db.transaction(async (sql) => {
    for (const { table, row } of rows) await sql`insert into ${sql(table)} ${sql(row as Record<string, never>)}`;
  });
}

/** Pending changes of counts, which are rolled up at another time in a database that has grown. */
const counted =
  /^(detection|event)_(days|changes|type_days|camera_days|scores|score_months|score_days|hours)$|^rollup_folds$|^schema_migrations$/;

describe("schema history: a database that was migrated through each version with rows in each", () => {
  it("schema history: has the same content as a new one", async () => {
    const leaveOut = Object.keys(await contentsOf(fresh.db, [])).filter((table) => counted.test(table));
    const [grown, begun] = [await contentsOf(walked.db, leaveOut), await contentsOf(fresh.db, leaveOut)];
    expect(grown).toEqual(begun);
    // A new table needs a row in rows.ts.
    expect(Object.keys(grown).filter((table) => grown[table]?.startsWith("0 rows"))).toEqual([]);
  });

  it("schema history: has the same tables, rules and functions", async () => {
    expect(await shapeOf(walked.db)).toEqual(await shapeOf(fresh.db));
  });

  it("schema history: counts its days, levels and scores correctly", async () => {
    const grown = await sums(walked.db);
    expect(grown.length).toBeGreaterThan(5);
    expect(grown).toEqual(await sums(fresh.db));
    await walked.db.query((sql) => sql`select rebuild_rollups()`);
    expect(await sums(walked.db)).toEqual(grown);
  });

  it("schema history: each migration is tested with a row", () => {
    expect(steps.filter((step) => !earlyRows.some(({ from }) => from === step))).toEqual([]);
  });
});

/** All counts by day, as analytics read them. */
async function sums(db: Database): Promise<readonly unknown[]> {
  return await db.query(
    (sql) => sql`
      select 'detections' as kind, d.day::text, d.camera_id || ' ' || d.object_type as name, sum(d.count)::int as count, sum(d.confidence_millionths)::int as sum
      from detections_per_day d
      group by 2, 3
      having sum(d.count) <> 0
      union all
      select 'events', e.day::text, e.camera_id || ' ' || e.risk_level, sum(e.count)::int, 0
      from events_per_day e
      group by 2, 3
      having sum(e.count) <> 0
      union all
      select 'scores', s.day::text, concat_ws(' ', sum(s.low), sum(s.medium), sum(s.high), sum(s.critical)), sum(s.count)::int, sum(s.score_sum)::int
      from events_scored_per_day s
      group by 2
      order by 1, 2, 3
    `,
  );
}
