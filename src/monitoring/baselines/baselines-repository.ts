import type { Sql } from "../../platform/database/database.ts";
import type { ClassHourBaseline } from "./baseline.ts";
import type { StoredBaselineConfig } from "./baseline-config.ts";
import type { HourBaseline } from "./statistics.ts";

/** Returns the baseline of each hour of the week of a camera, Monday first, without hours that were last learned before `since`. */
export async function activityOf(sql: Sql, cameraId: string, since: Date): Promise<readonly HourBaseline[]> {
  return await sql<HourBaseline[]>`
    select b.day_of_week as "dayOfWeek", b.hour, b.avg_count as mean, b.variance, b.sample_count as samples
    from activity_baselines b
    where b.camera_id = ${cameraId}
      and b.last_hour >= ${since}
    order by b.day_of_week, b.hour
  `;
}

/** Returns the same for each class ever detected there, by name. An hour without a detection of the class counts as zero. */
export async function classesOf(sql: Sql, cameraId: string, since: Date): Promise<readonly ClassHourBaseline[]> {
  return await sql<ClassHourBaseline[]>`
    select k.object_class as "objectClass", b.day_of_week as "dayOfWeek", b.hour, coalesce(c.avg_count, 0) as mean,
      coalesce(c.variance, 0) as variance, coalesce(c.sample_count, b.sample_count) as samples
    from (select distinct o.object_class from class_baselines o where o.camera_id = ${cameraId}) k
    cross join activity_baselines b
    left join class_baselines c
      on c.camera_id = b.camera_id and c.object_class = k.object_class and c.day_of_week = b.day_of_week and c.hour = b.hour
    where b.camera_id = ${cameraId}
      and b.last_hour >= ${since}
    order by k.object_class, b.day_of_week, b.hour
  `;
}

/** Deletes the baselines of a camera. Returns how many rows there were. */
export async function deleteBaselines(sql: Sql, cameraId: string): Promise<{ readonly activity: number; readonly classes: number }> {
  const [counts] = await sql<[{ activity: number; classes: number }]>`
    with activity as (
      delete from activity_baselines b
      where b.camera_id = ${cameraId}
      returning 1
    ), classes as (
      delete from class_baselines b
      where b.camera_id = ${cameraId}
      returning 1
    )
    select (select count(*) from activity) as activity, (select count(*) from classes) as classes
  `;
  return counts;
}

/** Returns a camera's own limits; undefined if it never had any. */
export async function findBaselineConfig(sql: Sql, cameraId: string): Promise<StoredBaselineConfig | undefined> {
  const [row] = await sql<[StoredBaselineConfig?]>`
    select c.threshold_stdev as "thresholdStdev", c.min_samples as "minSamples", c.override_global_config as override
    from baseline_configs c
    where c.camera_id = ${cameraId}
  `;
  return row;
}

/** A change of a camera's own limits; undefined fields stay. */
export interface BaselineConfigChange {
  readonly thresholdStdev: number | undefined;
  readonly minSamples: number | undefined;
  readonly override: boolean | undefined;
}

/** Stores a change and returns the new limits. */
export async function changeBaselineConfig(
  sql: Sql,
  cameraId: string,
  change: BaselineConfigChange,
  now: Date,
): Promise<StoredBaselineConfig> {
  const { thresholdStdev = null, minSamples = null, override = null } = change;
  const [row] = await sql<[StoredBaselineConfig]>`
    insert into baseline_configs as c (camera_id, threshold_stdev, min_samples, override_global_config, updated_at)
    values (${cameraId}, ${thresholdStdev}::float8, ${minSamples}::bigint, coalesce(${override}::boolean, false), ${now})
    on conflict (camera_id) do update
    set threshold_stdev = coalesce(${thresholdStdev}::float8, c.threshold_stdev),
      min_samples = coalesce(${minSamples}::bigint, c.min_samples),
      override_global_config = coalesce(${override}::boolean, c.override_global_config),
      updated_at = excluded.updated_at
    returning c.threshold_stdev as "thresholdStdev", c.min_samples as "minSamples", c.override_global_config as override
  `;
  return row;
}
