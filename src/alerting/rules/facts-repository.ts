import { cursorBatches } from "../../base/async/cursor.ts";
import { backlogAfterMs, type RiskLevel } from "../../monitoring/events/event.ts";
import { storedAt } from "../../monitoring/events/overview-repository.ts";
import { type Area, pointsOf } from "../../monitoring/zones/zone.ts";
import { pictureSize, zonesByCamera } from "../../monitoring/zones/zones-repository.ts";
import type { Sql, SqlFragment } from "../../platform/database/database.ts";
import { restoredAfterEvent } from "../../work/outbox/restores-repository.ts";
import { pastModes } from "../modes/history.ts";
import type { EventKind, ObjectSeen, PlacedObject, RuleFacts } from "./rule.ts";

/** The facts of an event as one row: classes and confidences are parallel arrays. */
interface FactsRow extends Omit<RuleFacts, "objects" | "placed" | "zones" | "mode"> {
  readonly types: readonly string[];
  readonly confidences: readonly number[];
}

function factsOf({
  eventId,
  kind,
  cameraId,
  riskScore,
  startedAt,
  endedAt,
  storedAt,
  types,
  confidences,
}: FactsRow): Omit<RuleFacts, "mode"> {
  const objects = types.map((objectType, index) => ({ objectType, confidence: confidences[index] ?? 0 }));
  return { eventId, kind, cameraId, riskScore, startedAt, endedAt, storedAt, objects };
}

/** The detections of an event as parallel arrays; null where something is unknown. */
interface PlacedRow extends FactsRow {
  readonly xs: readonly (number | null)[];
  readonly ys: readonly (number | null)[];
  readonly heights: readonly (number | null)[];
}

function placedOf({ types, confidences, xs, ys, heights }: PlacedRow): readonly PlacedObject[] {
  return types.map((objectType, at) => {
    const [x, y] = [xs[at] ?? null, ys[at] ?? null];
    const feet = x === null || y === null ? null : { x: Math.min(x, 1), y: Math.min(y, 1) };
    return { objectType, confidence: confidences[at] ?? 0, feet, height: heights[at] ?? null };
  });
}

/** The facts with places. Each class appears once in `objects`, with its highest confidence. */
function factsWithPlaces(row: PlacedRow, zones: readonly Area[]): Omit<RuleFacts, "mode"> {
  const placed = placedOf(row);
  const best = new Map<string, ObjectSeen>();
  for (const { objectType, confidence } of placed) {
    const before = best.get(objectType);
    if (!before || confidence > before.confidence) best.set(objectType, { objectType, confidence });
  }
  return { ...factsOf(row), objects: [...best.values()], placed, zones };
}

/** Joins `o`, the detections `d` that meet a condition, as parallel arrays. */
const placedDetections = (sql: Sql, condition: SqlFragment) => sql`
  cross join lateral (
    select array_agg(d.object_type order by d.object_type, d.detection_id) as types,
      array_agg(d.confidence order by d.object_type, d.detection_id) as confidences,
      array_agg(((d.bbox_x + d.bbox_width / 2.0::float8) / p.width)::real order by d.object_type, d.detection_id) as xs,
      array_agg(((d.bbox_y + d.bbox_height)::float8 / p.height)::real order by d.object_type, d.detection_id) as ys,
      array_agg((d.bbox_height::float8 / p.height)::real order by d.object_type, d.detection_id) as heights
    from detections d
    cross join lateral ${pictureSize(sql)} p
    where ${condition}
  ) o
`;

const placedColumns = (sql: Sql) => sql`
  coalesce(o.types, '{}') as types, coalesce(o.confidences, '{}') as confidences, coalesce(o.xs, '{}') as xs, coalesce(o.ys, '{}') as ys,
  coalesce(o.heights, '{}') as heights
`;

/** What keeps every rule from raising an alert. */
interface Obstacles {
  /** What was deleted. */
  readonly deleted: "event" | "camera" | null;
  /** The event was over before the database was restored at this time, and its alerts are held back. */
  readonly restoredAt: Date | null;
}

/** Reads the facts that rules evaluate for an event, deleted or not, without the mode; undefined if there is no such event. */
export async function ruleFacts(sql: Sql, eventId: number): Promise<(Omit<RuleFacts, "mode"> & Obstacles) | undefined> {
  const [row] = await sql<[(PlacedRow & Obstacles & ZoneColumns)?]>`
    select e.event_id as "eventId", e.kind, e.camera_id as "cameraId", e.risk_score as "riskScore",
      e.started_at as "startedAt", e.ended_at as "endedAt", ${storedAt(sql)} as "storedAt",
      ${placedColumns(sql)},
      ${zoneColumns(sql, sql`e.camera_id`)},
      case when e.deleted_at is not null then 'event' when k.deleted_at is not null then 'camera' end as deleted,
      ${restoredAfterEvent(sql)} as "restoredAt"
    from events e
    join cameras k on k.camera_id = e.camera_id
    ${placedDetections(sql, sql`d.event_id = e.event_id`)}
    where e.event_id = ${eventId}
  `;
  if (!row) return undefined;
  return { ...factsWithPlaces(row, zonesFrom(row)), deleted: row.deleted, restoredAt: row.restoredAt };
}

/** The zones of a camera as parallel arrays. */
interface ZoneColumns {
  readonly zoneNames: readonly string[];
  readonly zonePoints: readonly string[];
}

const zoneColumns = (sql: Sql, cameraId: SqlFragment) => sql`
  array(select z.name from camera_zones z where z.camera_id = ${cameraId} order by z.name) as "zoneNames",
  array(select z.points from camera_zones z where z.camera_id = ${cameraId} order by z.name) as "zonePoints"
`;

function zonesFrom({ zoneNames, zonePoints }: ZoneColumns): readonly Area[] {
  return zoneNames.map((name, at) => ({ name, points: pointsOf(zonePoints[at] ?? "") }));
}

/**
 * Reads the facts about an open batch that has no event yet, as if it were an event that is stored now, without the mode. Its event id is 0.
 * Undefined if the batch has no detections, or its camera is deleted.
 */
export async function visitFacts(sql: Sql, batchId: string, now: Date): Promise<Omit<RuleFacts, "mode"> | undefined> {
  const [row] = await sql<[(PlacedRow & ZoneColumns)?]>`
    select 0 as "eventId", 'event' as kind, b.camera_id as "cameraId", null as "riskScore", s.first as "startedAt", s.last as "endedAt",
      ${now}::timestamptz as "storedAt", ${placedColumns(sql)}, ${zoneColumns(sql, sql`b.camera_id`)}
    from batches b
    join cameras k on k.camera_id = b.camera_id and k.deleted_at is null
    cross join lateral (
      select min(d.detected_at) as first, max(d.detected_at) as last
      from detections d
      where d.batch_id = b.batch_id
        and d.event_id is null
    ) s
    ${placedDetections(sql, sql`d.batch_id = b.batch_id and d.event_id is null`)}
    where b.batch_id = ${batchId}
      and s.first is not null
  `;
  return row && factsWithPlaces(row, zonesFrom(row));
}

/** The facts of a stored event, and when live rules would have evaluated it. */
export interface PastFacts extends RuleFacts {
  readonly riskLevel: RiskLevel | null;
  /** Time of the first analysis; null if there was none, or if the event arrived with its score. */
  readonly scoredAt: Date | null;
  /** End of the incident; null if it is still open, or if the event is no incident. */
  readonly overAt: Date | null;
  /** With the trigger `visit`: what was known of the visit whenever a live picture with detections had been stored. */
  readonly during?: readonly RuleFacts[];
}

type PastRow = FactsRow & Partial<PlacedRow> & Partial<VisitRow> & Pick<PastFacts, "riskLevel" | "scoredAt" | "overAt">;

/** When rules evaluate an event: during its visit, when it is stored, or when it has its score. */
export type ReplayTrigger = "visit" | "stored" | "scored";

/** Selects events by start time, both ends included; deleted events are left out. */
export interface PastEvents {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Only events of these kinds. */
  readonly kinds?: readonly EventKind[] | undefined;
  /** Only events with these ids. */
  readonly ids?: readonly number[] | undefined;
  /** Only the newest events, this many. */
  readonly newest?: number | undefined;
  /** Assumes that the home was in this mode all the time. */
  readonly mode?: string | undefined;
}

/** Rows kept in memory at a time. */
const batchSize = 500;

/**
 * Streams the facts of many events in batches, ordered by the time when their alerts would have been raised: `stored` for rules that run
 * when an event is stored, `scored` for rules that wait for the score, `visit` for immediate rules, by the first picture. With `places`, the facts have the place of every detection, and the
 * zones as they are now. Must run in a transaction.
 */
export async function* pastFacts(
  sql: Sql,
  events: PastEvents,
  { trigger, places: wanted }: { readonly trigger: ReplayTrigger; readonly places: boolean },
): AsyncGenerator<readonly PastFacts[]> {
  const isVisit = trigger === "visit";
  const places = wanted || isVisit;
  const zones: ReadonlyMap<string, readonly Area[]> = places ? await zonesByCamera(sql) : new Map();
  const modeOf = await pastModes(sql, events.mode);
  const statement = sql<PastRow[]>`
    with chosen as materialized (
      select e.event_id, e.kind, e.camera_id, e.risk_score, e.risk_level, e.started_at, e.ended_at, ${storedAt(sql)} as created_at
      from events e
      where e.deleted_at is null
        ${events.from ? sql`and e.started_at >= ${events.from}` : sql``}
        ${events.to ? sql`and e.started_at <= ${events.to}` : sql``}
        ${events.kinds ? sql`and e.kind = any (${[...events.kinds]}::text[])` : sql``}
        ${events.ids ? sql`and e.event_id = any (${[...events.ids]}::bigint[])` : sql``}
      ${events.newest === undefined ? sql`` : sql`order by e.started_at desc, e.event_id desc limit ${events.newest}`}
    ), scored as (
      select a.event_id, min(a.finished_at) as scored_at
      from chosen c
      join analysis_attempts a on a.event_id = c.event_id
      where a.outcome = 'completed'
      group by a.event_id
    )
    select c.event_id as "eventId", c.kind, c.camera_id as "cameraId", c.risk_score as "riskScore", c.risk_level as "riskLevel",
      c.started_at as "startedAt", c.ended_at as "endedAt", c.created_at as "storedAt", s.scored_at as "scoredAt", i.ended_at as "overAt",
      ${places ? placedColumns(sql) : sql`coalesce(o.types, '{}') as types, coalesce(o.confidences, '{}') as confidences`}
      ${isVisit ? sql`, w."storedAts", w."seenAts", w."isLive"` : sql``}
    from chosen c
    ${places ? placedDetections(sql, sql`d.event_id = c.event_id`) : bestOfClasses(sql)}
    ${isVisit ? visitTimes(sql) : sql``}
    left join scored s on s.event_id = c.event_id
    left join camera_incidents i on i.event_id = c.event_id
    order by ${
      { stored: sql`c.created_at`, scored: sql`coalesce(s.scored_at, c.created_at)`, visit: sql`least(w.first, c.created_at)` }[trigger]
    }, c.event_id
  `;
  for await (const rows of cursorBatches<PastRow[]>(sql, statement, batchSize)) {
    yield rows.map((row) => {
      const facts = places ? factsWithPlaces(row as PlacedRow, zones.get(row.cameraId) ?? []) : factsOf(row);
      const { riskLevel, scoredAt, overAt } = row;
      const during = isVisit && { during: factsDuring(row as PlacedRow & VisitRow, zones.get(row.cameraId) ?? [], modeOf) };
      return { ...facts, mode: modeOf(row), riskLevel, scoredAt, overAt, ...during };
    });
  }
}

/** When the detections of an event were stored and seen, in milliseconds since 1970, in the order of `placedDetections`. */
interface VisitRow {
  readonly storedAts: readonly number[] | null;
  readonly seenAts: readonly number[] | null;
  /** All of them came from a batch, so that rules could have evaluated them before the event was stored. */
  readonly isLive: boolean | null;
}

const visitTimes = (sql: Sql) => sql`
    cross join lateral (
      select array_agg((extract(epoch from d.created_at) * 1000)::float8 order by d.object_type, d.detection_id) as "storedAts",
        array_agg((extract(epoch from d.detected_at) * 1000)::float8 order by d.object_type, d.detection_id) as "seenAts",
        bool_and(d.batch_id is not null) as "isLive", min(d.created_at) filter (where d.batch_id is not null) as first
      from detections d
      where d.event_id = c.event_id
    ) w
`;

/** The facts after each live picture of a visit, oldest first. */
function factsDuring(row: PlacedRow & VisitRow, zones: readonly Area[], modeOf: Awaited<ReturnType<typeof pastModes>>): RuleFacts[] {
  const { storedAts, seenAts, isLive } = row;
  if (!isLive || !storedAts || !seenAts) return [];
  const times = [...new Set(storedAts)].filter((at) => at < row.storedAt.getTime()).toSorted((one, other) => one - other);
  return times.flatMap((at) => {
    const known = storedAts.flatMap((storedAt, index) => (storedAt <= at ? [index] : []));
    const seen = known.map((index) => seenAts[index] ?? at);
    if (at - Math.max(...seen) > backlogAfterMs) return [];
    const pick = <T>(list: readonly T[]): T[] => known.map((index) => list[index] as T);
    const part = {
      ...{ ...row, startedAt: new Date(Math.min(...seen)), endedAt: new Date(Math.max(...seen)), storedAt: new Date(at), riskScore: null },
      ...{ types: pick(row.types), confidences: pick(row.confidences), xs: pick(row.xs), ys: pick(row.ys), heights: pick(row.heights) },
    };
    return [{ ...factsWithPlaces(part, zones), mode: modeOf(part) }];
  });
}

/** Joins to an event `c` its classes with their highest confidences, as parallel arrays. */
const bestOfClasses = (sql: Sql) => sql`
    cross join lateral (
      -- event by event: its detections lie together, and nothing of all of them has to be kept
      select array_agg(m.object_type) as types, array_agg(m.confidence) as confidences
      from (
        select d.object_type, max(d.confidence) as confidence
        from detections d
        where d.event_id = c.event_id
        group by d.object_type
      ) m
    ) o
`;
