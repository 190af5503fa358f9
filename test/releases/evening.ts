import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestDaemon } from "../support/daemon.ts";
import type { TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { type StandIn, verdictText } from "../support/upstream.ts";

/** The place of a small evening. */
export interface Home {
  readonly daemon: TestDaemon;
  readonly database: TestDatabase;
  readonly model: StandIn;
  /** Sets the language model's reply. */
  answerWith(content: string): void;
  /** Address of a receiver that accepts everything. */
  readonly target: string;
}

/** Creates what a release must preserve: each kind of thing, in each state of rest. */
export async function spendEvening(home: Home): Promise<void> {
  const { daemon } = home;
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const response = await fetch(`${daemon.url}${path}`, { method, ...json });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  };
  const post = <T = { id: string }>(path: string, body: unknown = {}): Promise<T> => ask("POST", path, body);
  let pictures = 0;
  /** A picture arrives, and everything that follows has finished. */
  const visit = async (camera: string, score: number | undefined): Promise<void> => {
    home.answerWith(score === undefined ? "I would rather not say." : verdictText(score));
    pictures += 1;
    await renameIn(join(daemon.cameraRoot, camera, `${pictures}.jpg`), await uniqueJpeg(pictures));
    await settled(home);
  };

  const channels = { webhook: ["webhook"], email: ["email"] };
  await post("/api/alerts/rules", { name: "Somebody", severity: "medium", object_types: ["person"], cooldown_seconds: 3600 });
  const risky = await post("/api/alerts/rules", { name: "High risk", severity: "high", risk_threshold: 60, channels: channels.webhook });
  await ask("PUT", `/api/alerts/rules/${risky.id}`, { risk_threshold: 70, digest: true });
  await post("/api/alerts/rules", { name: "By mail", severity: "critical", risk_threshold: 40, channels: channels.email });
  const passing = await post("/api/alerts/rules", {
    name: "Deleted later",
    severity: "low",
    object_types: ["person"],
    camera_ids: ["yard"],
  });
  await post("/api/alerts/rules", { name: "A camera needs me", kind: "camera_health", severity: "high" });
  const schedule = { days: ["saturday", "sunday"], start_time: "22:00", end_time: "06:00", timezone: "Europe/Berlin" };
  await post("/api/alerts/rules", { name: "At weekends", severity: "low", enabled: false, schedule });

  const told = ["event_created", "alert_fired", "alert_acknowledged", "batch_analysis_failed"];
  const auth = { type: "bearer", token: "a-token-of-nobody" };
  await post("/api/outbound-webhooks", { name: "Takes all", url: home.target, event_types: told, auth });
  const nowhere = "http://127.0.0.1:9/hook";
  await post("/api/outbound-webhooks", { name: "Is given up", url: nowhere, event_types: ["event_created"], max_retries: 0 });
  await post("/api/outbound-webhooks", {
    name: "Is tried again",
    url: nowhere,
    event_types: ["alert_dismissed"],
    retry_delay_seconds: 3600,
  });
  const payload_template = '{"text": "{{ event_type }}"}';
  await post("/api/outbound-webhooks", { name: "Is off", url: nowhere, event_types: ["event_created"], enabled: false, payload_template });

  for (const name of ["Yard", "Gate"]) await post("/api/cameras", { name });
  await visit("yard", 85);
  const { items } = await ask<{ items: readonly { id: string; status: string; rule_id: string }[] }>("GET", "/api/alerts");
  const delivered = items.filter(({ status }) => status === "delivered");
  await post(`/api/alerts/${delivered[0]?.id}/acknowledge`);
  await post(`/api/alerts/${delivered[1]?.id}/dismiss`);
  await ask("DELETE", `/api/alerts/rules/${passing.id}`);
  await visit("yard", 42); // within the cooldown
  await visit("yard", 80); // and this rule sends a digest
  const silence = await post("/api/silences", { camera_id: "gate", duration_seconds: 3600, reason: "The painters are here" });
  await visit("gate", 90);
  await post(`/api/silences/${silence.id}/end`);
  await post("/api/silences", { camera_id: "gate", rule_id: risky.id, duration_seconds: 86_400, reason: "A party" });
  await visit("shed", undefined);

  const again = await readFile(join(daemon.cameraRoot, "yard", "1.jpg"));
  await renameIn(join(daemon.cameraRoot, "yard", "again.jpg"), again);
  await writeFile(join(daemon.cameraRoot, "yard", "letter.jpg"), "Dear neighbour, this is no picture.\n");
  await writeFile(join(daemon.cameraRoot, "yard", "empty.jpg"), "");
  await settled(home);

  await ask("PATCH", "/api/events/1", { reviewed: true, notes: "The neighbour, about the hedge." });
  await ask("DELETE", "/api/events/2");
  const day = new Date().toISOString().slice(0, 10);
  const bulk = {
    camera_id: "gate",
    started_at: `${day}T00:00:01Z`,
    ended_at: `${day}T00:00:02Z`,
    risk_score: 12,
    summary: "Somebody told of a cat.",
  };
  await post("/api/events/bulk", { events: [bulk] });
  await post("/api/cameras", { name: "Attic", folder_path: "/nowhere/attic" }); // an incident
  await post("/api/cameras", { name: "Old barn" });
  await ask("DELETE", "/api/cameras/old_barn");
  await ask("PUT", "/api/cameras/yard/baseline/config", { threshold_stdev: 3, override_global_config: true });
  await ask("PATCH", "/api/system/config", { risk_score_thresholds: { high: 65 } });
  await post(
    "/api/webhooks/alerts",
    JSON.parse(await readFile(join(import.meta.dirname, "../fixtures/alertmanager/firing-critical.json"), "utf8")),
  );
  const incidents = "/api/events?kind=camera_health";
  await eventually(async () => (await ask<{ items: readonly unknown[] }>("GET", incidents)).items.length === 1, { timeoutMs: 60_000 });
  await learned(home);
  await settled(home);
}

/** Nothing is pending except work scheduled for later. */
async function settled({ database, daemon }: Home): Promise<void> {
  let quiet = 0;
  await eventually(
    async () => {
      const [row] = await database.db.query(
        (sql) => sql<[{ busy: number }]>`
          select (select count(*) from jobs j where j.status <> 'dead' and j.available_at < now() + interval '10 minutes')
            + (select count(*) from batches b where b.status = 'open') + (select count(*) from images i where i.status = 'pending') as busy
        `,
      );
      const { file_watcher } = (await (await fetch(`${daemon.url}/api/system/pipeline`)).json()) as { file_watcher: { pending: number } };
      quiet = row.busy + file_watcher.pending === 0 ? quiet + 1 : 0;
      return quiet > 40;
    },
    { timeoutMs: 90_000, what: "the end of all work" },
  );
}

/** Rows that take weeks to learn or need a graphics card, as the workers write them. */
async function learned({ database, daemon }: Home): Promise<void> {
  await database.db.transaction(async (sql) => {
    await sql`
      insert into activity_baselines (camera_id, day_of_week, hour, avg_count, variance, sample_count, updated_at, last_hour)
      select 'yard', d, h, h / 4.0, 1.5, 12, now(), date_trunc('hour', now()) from generate_series(0, 6) d, generate_series(0, 23, 6) h
    `;
    await sql`
      insert into class_baselines (camera_id, object_class, day_of_week, hour, avg_count, variance, sample_count, updated_at)
      select 'yard', 'person', d, 18, 2.5, 1.5, 12, now() from generate_series(0, 6) d
    `;
    await sql`
      insert into anomalies (camera_id, occurred_at, detection_class, anomaly_score, expected_frequency, observed_frequency, reason, created_at,
        hour_started_at)
      values ('yard', now() - interval '3 hours', 'person', 4.2, 1.5, 12, 'Far more than usual', now(), date_trunc('hour', now() - interval '3 hours'))
    `;
    await sql`
      insert into scene_changes (camera_id, detected_at, change_type, similarity_score, file_path, acknowledged_at)
      values ('yard', now() - interval '2 hours', 'view_moved', 0.42, ${`${daemon.cameraRoot}/yard/1.jpg`}, now()),
        ('yard', now() - interval '1 hour', 'view_blocked', 0.11, null, null)
    `;
    await sql`
      insert into gpu_stats (recorded_at, gpu_name, utilization) values (now() - interval '1 hour', 'A card', 42)
    `;
  });
}
