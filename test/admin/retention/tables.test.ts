import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/**
 * How long the rows of each table are kept. `always`: created by a person, or one row per thing, so that it does not grow. `age`: the
 * cleanup deletes old rows. `counts`: derived from other rows, and shrinks with them. Otherwise: deleted with a row of that table.
 */
const kept: Readonly<Record<string, string>> = {
  cameras: "always",
  settings: "always",
  keys: "always",
  camera_logins: "always",
  mail_rules: "always",
  // At most 20 per camera.
  camera_zones: "always",
  // One per camera and level.
  retention_rules: "always",
  // At most 100 per camera.
  camera_masks: "always",
  // The newest 500.
  delivery_faults: "age",
  // Those of the last 30 days.
  delivery_notes: "age",
  // Nothing that was shared is forgotten.
  shares: "always",
  rules: "always",
  // Custom modes, and those that a person changed.
  modes: "always",
  mode_state: "always",
  // All but the newest.
  mode_switches: "age",
  rule_versions: "rules",
  webhooks: "always",
  channels: "always",
  recipients: "always",
  answer_sources: "always",
  // One.
  vapid_keys: "always",
  // One, and another with each new key file.
  evidence_keys: "always",
  // Nothing that was handed on is forgotten.
  evidence_packs: "always",
  // One per day: the hash stays when the records are deleted.
  evidence_days: "always",
  // One per sealed day and table: the nightly sealing joins them.
  evidence_corrections: "always",
  baseline_configs: "always",
  activity_baselines: "always",
  class_baselines: "always",
  // One per camera and light condition.
  camera_views: "always",
  chores: "always",
  journal_head: "always",
  rollup_folds: "always",
  reported_health: "always",
  schema_migrations: "always",
  camera_root: "always",
  // One per restore, which a person does.
  restores: "always",
  // One per camera.
  camera_pulls: "always",
  camera_parking: "always",
  // Other daemons remove those whose heartbeat stopped.
  processes: "age",
  images: "age",
  batches: "age",
  events: "age",
  detections: "age",
  // Dead ones by age; others when their work is done, or with their subject.
  jobs: "age",
  journal: "age",
  cooldowns: "age",
  webhook_deliveries: "age",
  received_alerts: "age",
  gpu_stats: "age",
  anomalies: "age",
  scene_changes: "age",
  changes: "age",
  // Those that have ended.
  silences: "age",
  daily_summaries: "age",
  catch_ups: "age",
  alert_recipients: "alerts",
  silenced_alerts: "silences",
  camera_incidents: "age",
  // Those from before the baselines.
  observed_hours: "age",
  // Without detections and vectors.
  entities: "age",
  entity_cameras: "entities",
  embeddings: "detections",
  analysis_attempts: "events",
  alerts: "events",
  rule_verdicts: "events",
  digests: "alerts",
  answers: "alerts",
  notifications: "alerts",
  notification_attempts: "notifications",
  message_edits: "notifications",
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
  // For a new table, add its retention above, and for `age` a deletion in src/admin/retention.
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
