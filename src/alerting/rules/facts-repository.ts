import { cursorBatches } from "../../base/async/cursor.ts";
import type { RiskLevel } from "../../monitoring/events/risk.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { EventKind, RuleFacts } from "./rule.ts";

/** The facts of an event as a row: classes and confidences in step. */
interface FactsRow extends Omit<RuleFacts, "objects"> {
  readonly types: readonly string[];
  readonly confidences: readonly number[];
}

function factsOf({ eventId, kind, cameraId, riskScore, storedAt, types, confidences }: FactsRow): RuleFacts {
  const objects = types.map((objectType, index) => ({ objectType, confidence: confidences[index] ?? 0 }));
  return { eventId, kind, cameraId, riskScore, storedAt, objects };
}

/** What a rule judges of an event, deleted or not; undefined when there is none with this id. `deleted`: it, or else its camera, is. */
export async function ruleFacts(
  sql: Sql,
  eventId: number,
): Promise<(RuleFacts & { readonly deleted: "event" | "camera" | null }) | undefined> {
  const [row] = await sql<[(FactsRow & { deleted: "event" | "camera" | null })?]>`
    select e.event_id as "eventId", e.kind, e.camera_id as "cameraId", e.risk_score as "riskScore", e.created_at as "storedAt",
      coalesce(o.types, '{}') as types, coalesce(o.confidences, '{}') as confidences, case when e.deleted_at is not null then 'event' when k.deleted_at is not null then 'camera' end as deleted
    from events e
    join cameras k on k.camera_id = e.camera_id
    cross join lateral (
      select array_agg(c.object_type order by c.object_type) as types, array_agg(c.confidence order by c.object_type) as confidences
      from (
        select d.object_type, max(d.confidence) as confidence
        from detections d
        where d.event_id = e.event_id
        group by d.object_type
      ) c
    ) o
    where e.event_id = ${eventId}
  `;
  return row && { ...factsOf(row), deleted: row.deleted };
}

/** The facts of a stored event, and what says when its alert would have been raised. */
export interface PastFacts extends RuleFacts {
  readonly riskLevel: RiskLevel | null;
  /** When it was judged first; null: never, or it came with its score. */
  readonly scoredAt: Date | null;
  /** When the incident was over; null: it lasts, or is none. */
  readonly overAt: Date | null;
}

type PastRow = FactsRow & Pick<PastFacts, "riskLevel" | "scoredAt" | "overAt">;

/** Events by the time at which they started, both ends included; deleted ones do not count. */
export interface PastEvents {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Only of these kinds. */
  readonly kinds?: readonly EventKind[] | undefined;
  /** Only these. */
  readonly ids?: readonly number[] | undefined;
  /** Only the newest so many. */
  readonly newest?: number | undefined;
}

/** Rows that are in memory at a time. */
const batchSize = 500;

/**
 * The facts of many events, some at a time as they are asked for, in the order in which alerts would have been raised: by rules that
 * are evaluated when an event is stored, or when it is scored. In a transaction.
 */
export async function* pastFacts(sql: Sql, events: PastEvents, trigger: "stored" | "scored"): AsyncGenerator<readonly PastFacts[]> {
  const statement = sql<PastRow[]>`
    with chosen as materialized (
      select e.event_id, e.kind, e.camera_id, e.risk_score, e.risk_level, e.created_at
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
      c.created_at as "storedAt", s.scored_at as "scoredAt", i.ended_at as "overAt", coalesce(o.types, '{}') as types, coalesce(o.confidences, '{}') as confidences
    from chosen c
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
    left join scored s on s.event_id = c.event_id
    left join camera_incidents i on i.event_id = c.event_id
    order by ${trigger === "scored" ? sql`coalesce(s.scored_at, c.created_at)` : sql`c.created_at`}, c.event_id
  `;
  for await (const rows of cursorBatches<PastRow[]>(sql, statement, batchSize)) {
    yield rows.map((row) => ({ ...factsOf(row), riskLevel: row.riskLevel, scoredAt: row.scoredAt, overAt: row.overAt }));
  }
}
