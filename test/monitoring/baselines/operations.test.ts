import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
beforeEach(async () => {
  process.env["TZ"] = "UTC";
  desk = await openDesk();
  await desk.db.query(
    (sql) => sql`
      insert into cameras (camera_id, name, folder_path, deleted_at)
      values ('front', 'Front Door', '/f', null), ('back', 'Back', '/b', null), ('gone', 'Gone', '/g', now())
    `,
  );
  // Sunday
  desk.at("2026-03-01T12:30:00Z");
});
afterEach(() => desk.close());

const params = (camera_id = "front") => ({ camera_id });
const config = (camera?: string) => desk.ask("getBaselineConfig", { params: params(camera) });
const configure = (body: unknown, camera?: string) => desk.ask("updateBaselineConfig", { params: params(camera), body });
const globalConfig = { threshold_stdev: 2, min_samples: 10, decay_factor: 0.1, window_days: 30 };

async function learned(): Promise<void> {
  await desk.db.query(async (sql) => {
    await sql`
      insert into activity_baselines (camera_id, day_of_week, hour, avg_count, variance, sample_count, last_hour, updated_at)
      select k.*, '2026-02-23T00:00:00Z', now()
      from (values ('front', 6, 12, 4, 8, 20), ('front', 6, 13, 1, 0, 20), ('front', 6, 9, 1, 0, 10), ('front', 0, 12, 2, 1, 20), ('back', 0, 0, 1, 1, 1)) k
    `;
    await sql`
      insert into class_baselines (camera_id, object_class, day_of_week, hour, avg_count, variance, sample_count, updated_at)
      values ('front', 'dog', 6, 12, 3, 4, 20, now()), ('front', 'dog', 0, 12, 1, 4, 20, now()), ('front', 'cat', 6, 9, 1, 0, 10, now())
    `;
  });
}

const operations = [
  "getBaseline",
  "listAnomalies",
  "getActivityBaseline",
  "getClassBaseline",
  "getBaselineConfig",
  "updateBaselineConfig",
  "resetBaseline",
] as const;

describe("a camera without a baseline", () => {
  it("has an empty baseline", async () => {
    expect(await desk.ask("getBaseline", { params: params() })).toEqual({
      camera_id: "front",
      camera_name: "Front Door",
      baseline_established: false,
      data_points: 0,
      hourly_patterns: {},
      daily_patterns: {},
      object_baselines: {},
      current_deviation: null,
    });
    expect(await desk.ask("getActivityBaseline", { params: params() })).toEqual({
      camera_id: "front",
      entries: [],
      total_samples: 0,
      peak_hour: null,
      peak_day: null,
      learning_complete: false,
      min_samples_required: 10,
    });
    expect(await desk.ask("getClassBaseline", { params: params() })).toEqual({
      camera_id: "front",
      entries: [],
      unique_classes: [],
      total_samples: 0,
      most_common_class: null,
    });
    expect(await desk.ask("listAnomalies", { params: params() })).toEqual({ camera_id: "front", anomalies: [], count: 0, period_days: 7 });
  });
});

describe("the learned baseline", () => {
  beforeEach(learned);

  it("is listed by hour, weekday and class", async () => {
    expect(await desk.ask("getBaseline", { params: params() })).toEqual({
      camera_id: "front",
      camera_name: "Front Door",
      baseline_established: true,
      data_points: 70,
      hourly_patterns: {
        "9": { avg_detections: 1, std_dev: 0, sample_count: 10 },
        "12": { avg_detections: 3, std_dev: 2.345, sample_count: 40 },
        "13": { avg_detections: 1, std_dev: 0, sample_count: 20 },
      },
      daily_patterns: {
        monday: { avg_detections: 2, peak_hour: 12, total_samples: 20 },
        sunday: { avg_detections: 2.2, peak_hour: 12, total_samples: 50 },
      },
      object_baselines: {
        cat: { avg_hourly: 0.143, peak_hour: 9, total_detections: 0 },
        dog: { avg_hourly: 1.143, peak_hour: 12, total_detections: 0 },
      },
      current_deviation: { score: -0.949, interpretation: "normal", contributing_factors: [] },
    });
    expect(await desk.ask("getActivityBaseline", { params: params() })).toEqual({
      camera_id: "front",
      entries: [
        { hour: 12, day_of_week: 0, avg_count: 2, std_dev: 1, sample_count: 20, is_peak: false },
        { hour: 9, day_of_week: 6, avg_count: 1, std_dev: 0, sample_count: 10, is_peak: false },
        { hour: 12, day_of_week: 6, avg_count: 4, std_dev: Math.sqrt(8), sample_count: 20, is_peak: true },
        { hour: 13, day_of_week: 6, avg_count: 1, std_dev: 0, sample_count: 20, is_peak: false },
      ],
      total_samples: 70,
      peak_hour: 12,
      peak_day: 6,
      learning_complete: false,
      min_samples_required: 10,
    });
    expect(await desk.ask("getClassBaseline", { params: params() })).toEqual({
      camera_id: "front",
      entries: [
        { object_class: "cat", hour: 9, frequency: 1, sample_count: 10 },
        { object_class: "cat", hour: 12, frequency: 0, sample_count: 40 },
        { object_class: "cat", hour: 13, frequency: 0, sample_count: 20 },
        { object_class: "dog", hour: 9, frequency: 0, sample_count: 10 },
        { object_class: "dog", hour: 12, frequency: 2, sample_count: 40 },
        { object_class: "dog", hour: 13, frequency: 0, sample_count: 20 },
      ],
      unique_classes: ["cat", "dog"],
      total_samples: 140,
      most_common_class: "dog",
    });
  });

  it("is compared with the running hour", async () => {
    await desk.ask("createDetections", {
      body: {
        detections: Array.from({ length: 20 }, () => ({
          camera_id: "front",
          file_path: "/f/a.jpg",
          detected_at: "2026-03-01T12:10:00Z",
          object_type: "dog",
          confidence: 0.9,
        })),
      },
    });
    const baseline = await desk.ask("getBaseline", { params: params() });
    expect(baseline.current_deviation).toEqual({
      score: 8.538,
      interpretation: "far_above_normal",
      contributing_factors: ["20 detections since 12:00, usually 2", "20 detections of dog since 12:00, usually 1.5"],
    });
    expect(baseline.object_baselines["dog"]?.total_detections).toBe(20);
    await configure({ min_samples: 41, override_global_config: true });
    expect(await desk.ask("getBaseline", { params: params() })).toMatchObject({ current_deviation: null, baseline_established: false });
  });

  it("is complete when each hour of the week is", async () => {
    await desk.db.query(
      (sql) => sql`
        insert into activity_baselines (camera_id, day_of_week, hour, avg_count, variance, sample_count, last_hour, updated_at)
        select 'front', d, h, 0, 0, 10, '2026-02-23', now() from generate_series(0, 6) d cross join generate_series(0, 23) h
        on conflict do nothing
      `,
    );
    const complete = async () => (await desk.ask("getActivityBaseline", { params: params() })).learning_complete;
    expect(await complete()).toBe(true);
    await configure({ min_samples: 11, override_global_config: true });
    expect(await complete()).toBe(false);
  });

  it("is forgotten on demand, and only that", async () => {
    await configure({ threshold_stdev: 3, override_global_config: true });
    await desk.db.query(
      (sql) => sql`
        insert into anomalies (camera_id, occurred_at, anomaly_score, expected_frequency, observed_frequency, reason, created_at)
        values ('front', '2026-03-01', 3, 1, 9, 'many', now())
      `,
    );
    const reset = () => desk.ask("resetBaseline", { params: params() });
    expect(await reset()).toEqual({ activity_baselines_deleted: 4, class_baselines_deleted: 3 });
    expect(await desk.ask("getBaseline", { params: params() })).toMatchObject({ data_points: 0, object_baselines: {} });
    expect((await desk.ask("getActivityBaseline", { params: params("back") })).total_samples).toBe(1);
    expect((await config()).threshold_stdev).toBe(3);
    expect((await desk.ask("listAnomalies", { params: params() })).count).toBe(1);
    expect(await reset()).toEqual({ activity_baselines_deleted: 0, class_baselines_deleted: 0 });
  });
});

describe("anomalies", () => {
  it("are those of the last days, newest first", async () => {
    await desk.db.query(
      (sql) => sql`
        insert into anomalies (camera_id, occurred_at, detection_class, anomaly_score, expected_frequency, observed_frequency, reason, created_at)
        values ('front', '2026-02-27T22:00:00Z', 'dog', 3.5, 1.5, 9, 'More dog than usual', now()),
          ('front', '2026-02-28T22:00:00Z', null, 2.5, 1, 4, 'More than usual', now()),
          ('front', '2026-01-01T00:00:00Z', null, 2.5, 1, 4, 'Long ago', now()),
          ('back', '2026-02-28T22:00:00Z', null, 2.5, 1, 4, 'Elsewhere', now())
      `,
    );
    expect(await desk.ask("listAnomalies", { params: params() })).toEqual({
      camera_id: "front",
      anomalies: [
        {
          timestamp: "2026-02-28T22:00:00.000Z",
          detection_class: null,
          anomaly_score: 2.5,
          expected_frequency: 1,
          observed_frequency: 4,
          reason: "More than usual",
        },
        {
          timestamp: "2026-02-27T22:00:00.000Z",
          detection_class: "dog",
          anomaly_score: 3.5,
          expected_frequency: 1.5,
          observed_frequency: 9,
          reason: "More dog than usual",
        },
      ],
      count: 2,
      period_days: 7,
    });
    expect(await desk.ask("listAnomalies", { params: params(), query: "days=1" })).toMatchObject({ count: 1, period_days: 1 });
    expect(await desk.ask("listAnomalies", { params: params(), query: "days=90" })).toMatchObject({ count: 3, period_days: 90 });
  });

  it.each(["0", "91", "-1", "x", "1.5", ""])("of %j days are refused", async (days) => {
    await expect(desk.ask("listAnomalies", { params: params(), query: `days=${days}` })).rejects.toMatchObject({
      kind: "invalid",
      items: [expect.objectContaining({ loc: ["query", "days"] })],
    });
  });
});

describe("configuration", () => {
  it("is the global one at first", async () => {
    expect(await config()).toEqual({ threshold_stdev: 2, min_samples: 10, override_global_config: false, global_config: globalConfig });
  });

  it("rule 1: has no effect for a camera that does not override", async () => {
    expect(await configure({ threshold_stdev: 3.5, min_samples: 25 })).toEqual({
      threshold_stdev: 2,
      min_samples: 10,
      override_global_config: false,
      global_config: globalConfig,
    });
    const own = { threshold_stdev: 3.5, min_samples: 25, override_global_config: true, global_config: globalConfig };
    expect(await configure({ override_global_config: true })).toEqual(own);
    expect(await config()).toEqual(own);
    expect(await configure({ override_global_config: false })).toMatchObject({ threshold_stdev: 2, min_samples: 10 });
    expect(await configure({ override_global_config: true })).toEqual(own);
    expect((await config("back")).override_global_config).toBe(false);
  });

  it("updates the given fields and keeps the rest", async () => {
    await configure({ min_samples: 3, override_global_config: true });
    expect(await config()).toMatchObject({ threshold_stdev: 2, min_samples: 3, override_global_config: true });
    expect(await configure({ threshold_stdev: 0.5 })).toMatchObject({ threshold_stdev: 0.5, min_samples: 3 });
    expect(await configure({})).toMatchObject({ threshold_stdev: 0.5, min_samples: 3, override_global_config: true });
    expect(await configure({ threshold_stdev: 5, min_samples: Number.MAX_SAFE_INTEGER })).toMatchObject({
      threshold_stdev: 5,
      min_samples: Number.MAX_SAFE_INTEGER,
    });
  });

  it("can be sent back as it was read; the global one does not change", async () => {
    await configure({ threshold_stdev: 4, override_global_config: true });
    const record = await config();
    expect(await configure({ ...record, global_config: { threshold_stdev: 1, min_samples: 1, decay_factor: 1, window_days: 1 } })).toEqual(
      record,
    );
    expect((await config("back")).global_config).toEqual(globalConfig);
  });

  // rule 2 (reset) is tested above
  it.each(["nobody", "gone", "Front", "x".repeat(300), "a/b", "%"])("rule 3: of camera %j is not found, naming it", async (camera_id) => {
    for (const operation of operations) {
      await expect(desk.ask(operation, { params: { camera_id }, body: {} })).rejects.toMatchObject({
        kind: "not_found",
        message: expect.stringContaining(camera_id),
      });
    }
  });

  it.each<[body: unknown, loc: string[], type: string]>([
    [{ threshold_stdev: 0.49 }, ["body", "threshold_stdev"], "greater_than_equal"],
    [{ threshold_stdev: 5.01 }, ["body", "threshold_stdev"], "less_than_equal"],
    [{ threshold_stdev: "2" }, ["body", "threshold_stdev"], "float_parsing"],
    [{ threshold_stdev: null }, ["body", "threshold_stdev"], "float_parsing"],
    [{ min_samples: 0 }, ["body", "min_samples"], "greater_than_equal"],
    [{ min_samples: -1 }, ["body", "min_samples"], "greater_than_equal"],
    [{ min_samples: 1.5 }, ["body", "min_samples"], "int_parsing"],
    [{ min_samples: "5" }, ["body", "min_samples"], "int_parsing"],
    [{ override_global_config: "yes" }, ["body", "override_global_config"], "bool_parsing"],
    [{ override_global_config: 1 }, ["body", "override_global_config"], "bool_parsing"],
    [{ decay_factor: 0.5 }, ["body", "decay_factor"], "extra_forbidden"],
    [[], ["body"], "value_error"],
    [undefined, ["body"], "missing"],
  ])("rule 4: %j is refused", async (body, loc, type) => {
    await expect(configure(body)).rejects.toMatchObject({ kind: "invalid", items: [expect.objectContaining({ loc, type })] });
    expect((await config()).override_global_config).toBe(false);
  });

  it("of one camera, changed by two clients at once, holds both changes", async () => {
    await Promise.all([configure({ threshold_stdev: 3 }), configure({ min_samples: 7 }), configure({ override_global_config: true })]);
    expect(await config()).toMatchObject({ threshold_stdev: 3, min_samples: 7, override_global_config: true });
  });
});
