// Over 400 lines: one row for each migration, in their order.

/** A row to insert as soon as a migration allows it. */
export interface EarlyRow {
  /** The first migration whose schema accepts it. */
  readonly from: number;
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
  /** Values that later migrations set, where they differ from the default. */
  readonly later?: Readonly<Record<string, unknown>>;
}

const day = "2026-03-01";
/** Minutes after eight in the evening. */
const at = (minutes: number): Date => new Date(Date.parse(`${day}T20:00:00Z`) + minutes * 60_000);
const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const times = { created_at: at(0), updated_at: at(1) };

const image = (from: number, n: number, more: Readonly<Record<string, unknown>> = {}): EarlyRow => ({
  from,
  table: "images",
  row: {
    ...{ camera_id: "yard", path: `/srv/cameras/yard/${n}.jpg`, size_bytes: 1000 * n, modified_ns: n, found_by: "watch", found_at: at(n) },
    ...{ taken_at: at(n), status: "processed", detection_count: 1, sha256: Buffer.from([n]), started_at: at(n), finished_at: at(n) },
    ...more,
  },
});
const event = (from: number, n: number, more: Readonly<Record<string, unknown>> = {}): EarlyRow => ({
  from,
  table: "events",
  row: {
    ...{ batch_id: `batch-${n}`, camera_id: "yard", started_at: at(n), ended_at: at(n + 1), risk_score: n, risk_level: "low", ...times },
    ...{
      summary: `Somebody walked by, ${n}.`,
      reasoning: "One person.",
      analysis_status: "completed",
      detection_count: 1,
      object_types: ["person"],
    },
    ...more,
  },
});
const detection = (from: number, n: number, more: Readonly<Record<string, unknown>> = {}): EarlyRow => ({
  from,
  table: "detections",
  row: {
    ...{
      camera_id: "yard",
      event_id: 1,
      file_path: `/srv/cameras/yard/${n}.jpg`,
      detected_at: at(n),
      object_type: "person",
      confidence: 0.75,
    },
    ...{ created_at: at(n), ...more },
  },
});
const alert = (n: number): EarlyRow => ({
  from: 6,
  table: "alerts",
  row: {
    ...{ alert_id: id(n), event_id: n, rule_id: id(1), rule_name: "Night", camera_id: "yard", severity: "high", status: "delivered" },
    ...{ dedup_key: "yard", delivered_at: at(n), ...times },
  },
});
const definition = { name: "Night", severity: "high", risk_threshold: null };
const rule = { name: "Night", severity: "high", dedup_key_template: "{camera_id}", cooldown_seconds: 300, channels: ["email"], ...times };
const notification = (
  from: number,
  n: number,
  kind: string,
  channel = "email",
  more: Readonly<Record<string, unknown>> = {},
): EarlyRow => ({
  from,
  table: "notifications",
  row: {
    ...{ notification_id: id(n), alert_id: id(1), kind, channel, status: "sent", attempt_count: 1, expires_at: at(1440) },
    ...{ created_at: at(n), finished_at: at(n) },
    ...more,
  },
});

/** Rows for each step of the schema's history, in order: for a new table, and for an old one that a migration changes. */
export const earlyRows: readonly EarlyRow[] = [
  ...["yard", "gate"].map((name) => ({
    from: 1,
    table: "cameras",
    row: { camera_id: name, name, folder_path: `/srv/cameras/${name}`, ...times },
  })),
  image(1, 1),
  image(1, 2),
  {
    from: 1,
    table: "batches",
    row: {
      ...{
        batch_id: id(1),
        camera_id: "yard",
        status: "closed",
        started_at: at(1),
        last_detection_at: at(2),
        due_at: at(3),
        opened_at: at(1),
      },
      ...{ joined_at: at(2), closed_at: at(3), close_reason: "idle", detection_count: 2 },
    },
  },
  event(1, 42),
  event(1, 85, { risk_level: "critical", camera_id: "gate", object_types: ["car"], notes: "the neighbour's" }),
  event(1, 3, { risk_score: null, risk_level: null, analysis_status: "failed", reasoning: "" }),
  event(1, 4, { deleted_at: at(9) }),
  detection(1, 1, { batch_id: id(1), image_id: 1 }),
  detection(1, 2, { event_id: 2, camera_id: "gate", object_type: "car" }),
  { ...detection(1, 3, { file_path: "3.jpg" }), later: { file_path: "./3.jpg" } },
  {
    from: 1,
    table: "analysis_attempts",
    row: { event_id: 1, attempt: 1, started_at: at(3), finished_at: at(4), outcome: "completed", analyzed_by: "a model", answer: "{}" },
  },
  {
    from: 1,
    table: "jobs",
    row: { queue: "analyze", subject: "3", position: at(3), status: "dead", available_at: at(3), created_at: at(3) },
  },
  { from: 1, table: "jobs", row: { queue: "detect", subject: "2", position: at(3), available_at: at(3), created_at: at(3) } },
  { from: 1, table: "journal", row: { type: "event", data: { id: 1 }, created_at: at(3), sequence: 1 } },
  { from: 1, table: "settings", row: { key: "retention_days", value: 7, updated_at: at(3) } },
  event(2, 30),
  detection(2, 20, { object_type: "dog" }),
  event(3, 31, { summary: "A dog in the yard." }),
  {
    from: 4,
    table: "activity_baselines",
    row: { camera_id: "yard", day_of_week: 6, hour: 20, avg_count: 2.5, variance: 1, sample_count: 12, updated_at: at(4) },
    // The migration uses its own time.
    later: { last_hour: at(4) },
  },
  {
    from: 4,
    table: "class_baselines",
    row: {
      camera_id: "yard",
      object_class: "dog",
      day_of_week: 6,
      hour: 20,
      avg_count: 1,
      variance: 1,
      sample_count: 12,
      updated_at: at(4),
    },
  },
  { from: 4, table: "baseline_configs", row: { camera_id: "yard", threshold_stdev: 3, override_global_config: true, updated_at: at(4) } },
  {
    from: 4,
    table: "anomalies",
    row: {
      ...{ camera_id: "yard", occurred_at: at(4), detection_class: "dog", anomaly_score: 4, expected_frequency: 1, observed_frequency: 9 },
      ...{ reason: "Far more than usual", created_at: at(4) },
    },
  },
  { from: 4, table: "scene_changes", row: { camera_id: "yard", detected_at: at(4), change_type: "view_moved", similarity_score: 0.4 } },
  detection(4, 40, { enrichment: { caption: "A parcel at the door.", attributes: { jacket: "red" }, ocr: [] } }),
  { from: 5, table: "gpu_stats", row: { recorded_at: at(5), gpu_name: "A card", utilization: 50 } },
  { from: 5, table: "chores", row: { name: "cleanup", last_run_at: at(5) } },
  image(5, 50),
  { from: 6, table: "rules", row: { rule_id: id(1), ...rule } },
  {
    from: 6,
    table: "rule_versions",
    row: { rule_id: id(1), version: 1, definition, created_at: at(6) },
    later: { definition: { ...definition, kind: "event", modes: null } },
  },
  alert(1),
  alert(2),
  {
    from: 6,
    table: "rule_verdicts",
    row: {
      ...{ event_id: 1, rule_id: id(1), rule_name: "Night", rule_version: 1, outcome: "raised", matched_conditions: ["risk_score >= 40"] },
      ...{ failed_conditions: [], alert_id: id(1), evaluated_at: at(6) },
    },
  },
  { from: 6, table: "cooldowns", row: { dedup_key: "yard", alert_id: id(1), rule_id: id(1), raised_at: at(6), ends_at: at(11), band: 2 } },
  { from: 6, table: "digests", row: { alert_id: id(1), due_at: at(11), channels: ["email"] } },
  notification(6, 1, "alert"),
  notification(6, 2, "digest"),
  {
    from: 6,
    table: "notification_attempts",
    row: { notification_id: id(1), attempt: 1, started_at: at(6), finished_at: at(6), outcome: "sent", answer: "250 ok" },
  },
  {
    from: 6,
    table: "webhooks",
    row: {
      ...{ webhook_id: id(1), name: "Chat", url: "http://127.0.0.1:9/", event_types: ["event_created"], integration_type: "generic" },
      ...{ sealed_secret: Buffer.from([1]), max_retries: 4, retry_delay_seconds: 10, total_deliveries: 1, ...times },
    },
  },
  {
    from: 6,
    table: "webhook_deliveries",
    row: {
      ...{
        delivery_id: id(1),
        webhook_id: id(1),
        event_type: "event_created",
        event_id: "1",
        data: { id: 1, camera_id: "yard" },
        emitted_at: at(6),
      },
      ...{ status: "failed", attempt_count: 1, created_at: at(6), message_id: id(1) },
    },
    later: {
      data: {
        ...{ id: 1, event_id: 1, kind: "event", camera_id: "yard", camera_name: "yard", summary: "Somebody walked by, 42." },
        ...{ started_at: at(42).toISOString(), ended_at: at(43).toISOString(), risk_score: 42, risk_level: "low" },
        ...{ object_types: ["person"], object_counts: {}, thumbnail_url: null, event_url: "/api/events/1" },
      },
    },
  },
  {
    from: 6,
    table: "webhook_delivery_attempts",
    row: { delivery_id: id(1), attempt: 1, started_at: at(6), finished_at: at(6), status_code: 503 },
  },
  { from: 6, table: "reported_health", row: { status: "degraded", process_id: id(1), changed_at: at(6) } },
  {
    from: 6,
    table: "received_alerts",
    row: {
      ...{ fingerprint: "f", starts_at: at(6), status: "firing", severity: "info", component: "unknown", labels: {}, annotations: {} },
      ...{ receiver: "r", group_key: "g", external_url: "http://a/", first_received_at: at(6), last_received_at: at(6) },
    },
  },
  event(7, 32),
  event(8, 33, { kind: "camera_health", risk_score: null, risk_level: null, object_types: [], detection_count: 0 }),
  { from: 8, table: "rules", row: { rule_id: id(2), ...rule, name: "Health", kind: "camera_health" } },
  {
    from: 9,
    table: "camera_incidents",
    row: { camera_id: "yard", cause: "silent", event_id: 8, reason: "No picture", began_at: at(9), opened_at: at(9) },
  },
  {
    from: 10,
    table: "entities",
    row: {
      ...{ entity_id: id(1), object_type: "person", first_seen_at: at(10), last_seen_at: at(10), detection_count: 1, created_at: at(10) },
      ...{ representative_detection_id: 1, representative_confidence: 0.75 },
    },
  },
  {
    from: 10,
    table: "entity_cameras",
    row: { entity_id: id(1), camera_id: "yard", first_seen_at: at(10), last_seen_at: at(10), detection_count: 1 },
  },
  {
    from: 10,
    table: "embeddings",
    row: {
      detection_id: 1,
      entity_id: id(1),
      object_type: "person",
      source: "s",
      seen_at: at(10),
      created_at: at(10),
      vector: Buffer.from([0, 0, 128, 63]),
    },
  },
  detection(10, 100, { entity_id: id(1) }),
  { from: 11, table: "observed_hours", row: { camera_id: "yard", started_at: at(0), ended_at: at(60), minutes: 1023 } },
  {
    from: 12,
    table: "camera_views",
    row: { camera_id: "yard", light: "day", view: Buffer.from([1]), similarity: 0.9, updated_at: at(12) },
  },
  {
    from: 12,
    table: "scene_changes",
    row: {
      camera_id: "yard",
      detected_at: at(12),
      change_type: "view_blocked",
      similarity_score: 0.1,
      light: "day",
      view: Buffer.from([2]),
    },
  },
  notification(13, 3, "end"),
  {
    from: 14,
    table: "silences",
    row: {
      silence_id: id(1),
      camera_id: "yard",
      reason: "Painters",
      created_at: at(14),
      ends_at: at(74),
      ended_at: at(20),
      told_at: at(20),
    },
  },
  {
    from: 14,
    table: "silenced_alerts",
    row: { silence_id: id(1), event_id: 2, rule_id: id(1), rule_name: "Night", channels: ["email"], silenced_at: at(15) },
  },
  {
    from: 15,
    table: "processes",
    row: {
      ...{ process_id: id(1), host: "home", pid: 42, version: "0.1.0", started_at: at(15), heartbeat_at: at(16), machine: "m" },
      ...{ roles: ["api"], singletons: ["cleanup_service"] },
    },
  },
  notification(16, 4, "alert", "webhook"),
  event(17, 57),
  {
    from: 18,
    table: "jobs",
    row: {
      ...{ queue: "analyze", subject: "4", position: at(18), status: "running", available_at: at(18), created_at: at(18) },
      ...{ claimed_by: id(1), claims: 3, attempts: 1, deferrals: 2, blamed: 1 },
    },
  },
  image(19, 19, { left_out: [{ reason: "unknown_class", count: 2, example: '{"class":"vehicle"}' }] }),
  {
    from: 20,
    table: "jobs",
    row: {
      ...{ queue: "deliver", lane: `webhook:${id(1)}`, subject: `delivery:${id(1)}`, position: at(20), available_at: at(20) },
      ...{ created_at: at(20), awaits: "1" },
    },
  },
  {
    from: 21,
    table: "jobs",
    row: {
      ...{ queue: "detect", subject: "19", position: at(21), status: "dead", available_at: at(21), created_at: at(21), attempts: 1 },
      last_error: "refused: status 413",
    },
  },
  notification(22, 5, "digest", "webhook"),
  notification(23, 6, "end", "webhook", { joined_to: id(5) }),
  {
    from: 24,
    table: "jobs",
    row: {
      ...{ queue: "analyze", subject: "2", position: at(24), status: "running", available_at: at(24), created_at: at(24) },
      ...{ claimed_by: id(1), claims: 1, attempts: 1, again: true },
    },
  },
  event(25, 58),
  image(26, 26, { continues: 19, samples: Buffer.from([1, 2, 3, 4]) }),
  { from: 27, table: "camera_root", row: { path: "/srv/cameras" } },
  image(27, 27, { path: "yard/27.jpg" }),
  {
    from: 28,
    table: "restores",
    row: { restored_at: at(28), backup_created_at: at(20), host: "home", camera_root: "/srv/cameras" },
  },
  {
    from: 29,
    table: "keys",
    row: {
      ...{ key_id: id(1), kind: "session", name: "anna", role: "guest", camera_ids: ["yard"], secret_sha256: Buffer.alloc(32, 29) },
      ...{ created_at: at(29), expires_at: at(129), ended_at: at(31), last_seen_at: at(30), device: "a browser" },
    },
  },
  {
    from: 30,
    table: "shares",
    row: {
      ...{ share_id: id(2), event_id: 1, secret_sha256: Buffer.alloc(32, 30), created_by: "anna", created_at: at(30) },
      ...{ expires_at: at(130), ended_at: null, view_count: 2, last_viewed_at: at(31) },
    },
  },
  {
    from: 31,
    table: "changes",
    row: {
      ...{ changed_at: at(31), changed_by: "anna", role: "resident", operation: "updateEvent" },
      ...{ subjects: ["events/1"], fields: ["reviewed=true", "notes"] },
    },
  },
  {
    from: 32,
    table: "camera_logins",
    row: {
      ...{ camera_id: "yard", protocol: "ftp", username: "yard", password_sha256: Buffer.alloc(32, 32), created_at: at(32) },
      ...{ last_connected_at: at(33), last_delivery_at: null, file_count: 3 },
    },
  },
  {
    from: 32,
    table: "delivery_faults",
    row: { occurred_at: at(32), protocol: "ftp", camera_id: null, username: "yrad", client: "192.0.2.7", message: "Unknown user yrad" },
  },
  {
    from: 33,
    table: "delivery_notes",
    row: { camera_id: "yard", path: "yard/1.jpg", noted_at: at(33), note: "Motion at the yard" },
  },
  {
    from: 34,
    table: "camera_pulls",
    row: {
      ...{ camera_id: "yard", url: "http://127.0.0.1/snap.jpg", username: "homesec", sealed_password: null, every_ms: 2000 },
      ...{ threshold_percent: 0.3, created_at: at(34), updated_at: at(34), seen_count: 12, kept_count: 2, last_picture_at: at(35) },
    },
  },
  image(35, 35, { path: "nvr/ch02.jpg", captured_at: at(34) }),
  ...["ch01*", null].map((file_pattern, n) => ({
    from: 35,
    table: "cameras",
    row: {
      ...{ camera_id: `nvr-${n}`, name: `nvr ${n}`, folder_path: "nvr", file_pattern, ...times },
      ...{ time_zone: "Asia/Kolkata", time_template: "hikvision", clock_offset_seconds: -7_200.5, clock_since: at(35) },
    },
  })),
  image(36, 36, { blur_hash: "HPkJFYRSaHivh4egeXiEiV5zb/iY" }),
  detection(36, 36, { blur_hash: "HPkJFYRSaHivh4egeXiEiV5zb/iY" }),
  {
    from: 37,
    table: "camera_zones",
    row: { camera_id: "yard", name: "driveway", points: "((0,0.5),(0.5,0.5),(0.5,1))", doubtful_since: at(38), ...times },
  },
  {
    from: 37,
    table: "rules",
    row: { rule_id: id(3), ...rule, name: "Driveway", zones: ["driveway"], not_zones: ["street"], min_size: 0.1 },
  },
  {
    from: 38,
    table: "modes",
    row: { mode: "holiday", exit_delay_seconds: 90, entry_delay_seconds: 45, schedule: null, created_at: at(38), updated_at: at(38) },
  },
  {
    from: 38,
    table: "mode_switches",
    row: {
      ...{ mode: "holiday", previous_mode: "home", requested_at: at(38), switched_at: at(39), set_by: "anna", source: "request" },
    },
  },
  {
    from: 38,
    table: "mode_state",
    row: { mode: "holiday", since: at(39), set_by: "anna", source: "request" },
  },
  { from: 39, table: "camera_parking", row: { camera_id: "yard", enabled: true, memory: { at: 0, nextId: 1, places: [] } } },
  detection(39, 39, { event_id: null, object_type: "car", parked_since: at(0), parked_seen: 38, parked_pictures: 40 }),
  {
    from: 40,
    table: "camera_masks",
    row: {
      ...{ camera_id: "yard", object_type: "person", box_x: 0.5, box_y: 0.25, box_width: 0.125, box_height: 0.5, detection_id: 1 },
      ...{ hidden_count: 2, last_hidden_at: at(41), doubtful_since: at(42), created_at: at(40) },
    },
  },
  detection(40, 40, { event_id: null, mask_id: 1, picture_width: 1920, picture_height: 1080 }),
  {
    from: 44,
    table: "camera_zones",
    row: { camera_id: "yard", name: "neighbour", points: "((0.7,0),(1,0),(1,0.4))", is_private: true, doubtful_since: null, ...times },
  },
  {
    from: 41,
    table: "camera_logins",
    row: {
      ...{ camera_id: "yard", protocol: "mail", username: "nvr", password_sha256: Buffer.alloc(32, 41), created_at: at(41) },
      ...{ last_connected_at: null, last_delivery_at: null, file_count: 0, unmatched_camera_id: "yard" },
    },
  },
  {
    from: 41,
    table: "mail_rules",
    row: { login_camera_id: "yard", protocol: "mail", position: 1, field: "subject", pattern: "*gate*", camera_id: "yard" },
  },
  { from: 42, table: "rules", row: { rule_id: id(4), ...rule, name: "At once", immediate: true } },
  event(42, 90, { closed_at: at(92) }),
  notification(42, 42, "update"),
  {
    from: 43,
    table: "channels",
    row: {
      ...{ channel_id: id(43), name: "Anna's phone", kind: "ntfy", settings: { server: "https://ntfy.sh", topic: "home" } },
      ...{ sealed_settings: Buffer.of(1, 2, 3), enabled: false, last_attempt_at: at(43), last_error: "ntfy answered 500", ...times },
    },
  },
  {
    from: 45,
    table: "answers",
    row: { alert_id: id(1), notification_id: id(1), action: "silence", answered_at: at(45), answered_by: "Anna on ntfy" },
  },
  {
    from: 45,
    table: "answer_sources",
    row: {
      source: "ntfy ntfy.sh/home-answers",
      position: "x7",
      moved_at: at(45),
      fault: "ntfy answered 401",
      failing_since: at(46),
      refused: 2,
    },
  },
  {
    from: 46,
    table: "daily_summaries",
    row: { day: "2026-02-28", due_at: at(45), content: null, created_at: at(45) },
  },
  {
    from: 47,
    table: "recipients",
    row: {
      ...{ recipient_id: id(47), name: "Anna", channels: ["Anna's phone"], hours: null, severity: "low", rule_ids: [id(1)] },
      ...{ critical_anytime: true, repeat_minutes: 5, repeat_times: 6, escalate_to: null, escalate_minutes: 10, enabled: true, ...times },
    },
  },
  { from: 47, table: "catch_ups", row: { catch_up_id: id(47), recipient_id: id(47), recipient: "Anna", created_at: at(47) } },
  {
    from: 47,
    table: "alert_recipients",
    row: {
      ...{
        alert_id: id(1),
        recipient_id: id(47),
        recipient: "Anna",
        decision: "held_back",
        reason: "outside the hours",
        decided_at: at(47),
      },
      ...{ due_at: null, repeats: 0, escalate_at: null, escalated_from: null, catch_up_id: id(47) },
    },
  },
  {
    from: 48,
    table: "message_edits",
    row: { notification_id: id(42), created_at: at(48), finished_at: at(49), answer: "Telegram accepted it" },
  },
  {
    from: 49,
    table: "vapid_keys",
    row: { is_only: true, public_key: "BNcR", sealed_private_key: Buffer.of(4, 5, 6), created_at: at(49) },
  },
  {
    from: 50,
    table: "analysis_attempts",
    row: {
      ...{ event_id: 1, attempt: 2, started_at: at(50), finished_at: at(51), outcome: "completed", analyzed_by: "a model", answer: "{}" },
      shown_detection_ids: [1, 3],
    },
  },
  {
    from: 51,
    table: "webhooks",
    row: {
      ...{ webhook_id: id(51), name: "Siren", url: "http://127.0.0.1:9/", event_types: ["alert_fired"], integration_type: "generic" },
      ...{ sealed_secret: Buffer.from([1]), max_retries: 4, retry_delay_seconds: 10, total_deliveries: 0, ...times },
      ...{ rule_ids: [id(1)], severities: ["high"] },
    },
  },
  { from: 52, table: "retention_rules", row: { camera_id: "yard", risk_level: "high", event_days: 365, ...times } },
  {
    from: 53,
    table: "evidence_keys",
    row: { public_key: Buffer.alloc(32, 53), sealed_private_key: Buffer.of(5, 3), created_at: at(53) },
  },
  {
    from: 53,
    table: "evidence_packs",
    row: {
      ...{ pack_id: id(53), event_id: 1, camera_id: "yard", created_by: "anna", created_at: at(53), finished_at: at(54) },
      ...{ file_count: 9, size_bytes: 4096, sha256: Buffer.alloc(32, 54) },
    },
  },
  {
    from: 53,
    table: "evidence_days",
    row: {
      ...{ day: "2026-01-01", records: {}, previous_hash: Buffer.alloc(32), hash: Buffer.alloc(32, 55), sealed_at: at(53) },
      ...{ public_key: Buffer.alloc(32, 53), signature: Buffer.alloc(64, 56), key_file: "0123456789abcdef" },
    },
  },
  {
    from: 53,
    table: "evidence_corrections",
    row: { day: "2026-01-01", record: "events", rows: -1, ids: 5, hash: "01".repeat(128) },
  },
];
