import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/**
 * For how long the rows of each table are kept. `always`: what a person made, or one row for each thing there is, so that it does not grow by
 * itself. `age`: the cleanup deletes what is old. `counts`: made from other rows, and goes down with them. Else: goes with a row of that table.
 */
const kept: Readonly<Record<string, string>> = {
  cameras: "always",
  settings: "always",
  rules: "always",
  rule_versions: "rules",
  webhooks: "always",
  baseline_configs: "always",
  activity_baselines: "always",
  class_baselines: "always",
  // one per camera and light condition
  camera_views: "always",
  chores: "always",
  journal_head: "always",
  rollup_folds: "always",
  reported_health: "always",
  schema_migrations: "always",
  // those whose heartbeat stopped are removed by the others
  processes: "age",
  images: "age",
  batches: "age",
  events: "age",
  detections: "age",
  // dead ones by age; others go when their work is done, or with what they are about
  jobs: "age",
  journal: "age",
  cooldowns: "age",
  webhook_deliveries: "age",
  received_alerts: "age",
  gpu_stats: "age",
  anomalies: "age",
  scene_changes: "age",
  // those that are over
  silences: "age",
  silenced_alerts: "silences",
  camera_incidents: "age",
  // those from before what baselines know
  observed_hours: "age",
  // when neither a detection nor a vector is left
  entities: "age",
  entity_cameras: "entities",
  embeddings: "detections",
  analysis_attempts: "events",
  alerts: "events",
  rule_verdicts: "events",
  digests: "alerts",
  notifications: "alerts",
  notification_attempts: "notifications",
  webhook_delivery_attempts: "webhook_deliveries",
  event_search: "counts",
  totals: "counts",
  image_totals: "counts",
  detection_days: "counts",
  detection_type_days: "counts",
  detection_camera_days: "counts",
  detection_changes: "counts",
  event_scores: "counts",
  event_score_months: "counts",
  event_score_days: "counts",
  event_days: "counts",
  event_hours: "counts",
  event_changes: "counts",
};

it("retention: the documentation states for every table how long its rows are kept", async () => {
  const tables = await database.db.query(
    (sql) => sql<{ name: string }[]>`
      select c.relname as name from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
    `,
  );
  // a new table: say above for how long, and have src/admin/retention delete it where that is `age`
  expect(tables.map(({ name }) => name).filter((name) => kept[name] === undefined)).toEqual([]);
});

it("retention: dependent rows refer to the row they are deleted with", async () => {
  const references = await database.db.query(
    (sql) => sql<{ name: string }[]>`
      select c.conrelid::regclass || ' ' || c.confrelid::regclass as name from pg_constraint c where c.contype = 'f'
    `,
  );
  const owned = Object.entries(kept).filter(([, owner]) => owner in kept);
  const names = new Set(references.map(({ name }) => name));
  expect(owned.filter(([table, owner]) => !names.has(`${table} ${owner}`))).toEqual([]);
});
