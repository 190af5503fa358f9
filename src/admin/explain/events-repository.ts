import type { Sql } from "../../platform/database/database.ts";

/** The facts about an event that an explanation needs. */
export interface EventFacts {
  readonly id: number;
  readonly kind: "event" | "camera_health";
  readonly batchId: string | null;
  readonly cameraId: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly riskScore: number | null;
  readonly riskLevel: string | null;
  readonly summary: string;
  readonly reasoning: string;
  readonly riskFactors: unknown;
  readonly analysisStatus: "pending" | "completed" | "failed";
  readonly analyzedBy: string | null;
  readonly detectionCount: number;
  readonly objectTypes: readonly string[];
  readonly createdAt: Date;
  readonly deletedAt: Date | null;
}

const columns = (sql: Sql) => sql`
  e.event_id as id, e.kind, e.batch_id as "batchId", e.camera_id as "cameraId", e.started_at as "startedAt", e.ended_at as "endedAt",
  e.risk_score as "riskScore", e.risk_level as "riskLevel", e.summary, e.reasoning, e.risk_factors as "riskFactors",
  e.analysis_status as "analysisStatus", e.analyzed_by as "analyzedBy", e.detection_count as "detectionCount", e.object_types as "objectTypes",
  e.created_at as "createdAt", e.deleted_at as "deletedAt"
`;

/** Finds an event, deleted or not. Returns undefined when there is none. */
export async function findEventFacts(sql: Sql, eventId: number): Promise<EventFacts | undefined> {
  const [row] = await sql<[EventFacts?]>`select ${columns(sql)} from events e where e.event_id = ${eventId}`;
  return row;
}

/** Longest event that the search finds: batches last minutes, and events from the API rarely longer than a day. */
const maxEventDuration = "1 day";

/** Events of a camera that overlap a time range and are not deleted, oldest first. */
export async function eventsBetween(sql: Sql, cameraId: string, from: Date, to: Date, limit: number): Promise<readonly EventFacts[]> {
  return await sql<EventFacts[]>`
    select ${columns(sql)}
    from events e
    where e.camera_id = ${cameraId}
      and e.deleted_at is null
      and e.started_at between ${from}::timestamptz - ${maxEventDuration}::interval and ${to}::timestamptz
      and e.ended_at >= ${from}
    order by e.started_at, e.event_id
    limit ${limit}
  `;
}

/** One attempt to assess the risk of an event. */
export interface AttemptFacts {
  readonly attempt: number;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly outcome: "completed" | "unreadable" | "unavailable" | "rejected";
  readonly analyzedBy: string | null;
  readonly error: string | null;
  readonly answer: string | null;
}

/** The last `limit` attempts for an event, oldest first. */
export async function analysisAttempts(sql: Sql, eventId: number, limit: number): Promise<readonly AttemptFacts[]> {
  const rows = await sql<AttemptFacts[]>`
    select a.attempt, a.started_at as "startedAt", a.finished_at as "finishedAt", a.outcome, a.analyzed_by as "analyzedBy", a.error, a.answer
    from analysis_attempts a
    where a.event_id = ${eventId}
    order by a.attempt desc
    limit ${limit}
  `;
  return rows.toReversed();
}
