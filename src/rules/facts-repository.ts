import type { Sql } from "../engines/database.ts";
import type { RuleFacts } from "./rule.ts";

/** The facts of an event as a row: classes and confidences in step. */
interface FactsRow extends Omit<RuleFacts, "objects"> {
  readonly types: readonly string[];
  readonly confidences: readonly number[];
}

function factsOf({ types, confidences, ...rest }: FactsRow): RuleFacts {
  return { ...rest, objects: types.map((objectType, index) => ({ objectType, confidence: confidences[index] ?? 0 })) };
}

/** What a rule judges of an event, deleted or not; undefined when there is none with this id. */
export async function ruleFacts(sql: Sql, eventId: number): Promise<(RuleFacts & { readonly deleted: boolean }) | undefined> {
  const [row] = await sql<[(FactsRow & { deleted: boolean })?]>`
    select e.event_id as "eventId", e.camera_id as "cameraId", e.risk_score as "riskScore", e.created_at as "storedAt",
      coalesce(o.types, '{}') as types, coalesce(o.confidences, '{}') as confidences, e.deleted_at is not null as deleted
    from events e
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
  if (!row) return undefined;
  const { deleted, ...facts } = row;
  return { ...factsOf(facts), deleted };
}
