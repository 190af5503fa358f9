import type { Sql } from "../../platform/database/database.ts";
import type { Channel } from "../rules/rule.ts";

/** An active silence, as far as a verdict needs it. */
export interface ActiveSilence {
  readonly id: string;
  readonly camera_id: string | null;
  readonly rule_id: string | null;
  readonly reason: string;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly ends_at: Date;
}

/**
 * Locks the active silences that cover this camera and any of these rules until the end of the transaction. A request that ends such a
 * silence waits, and then sees everything that it muted; an evaluation that comes later sees the silence ended.
 */
export async function lockActiveSilences(
  sql: Sql,
  { cameraId, ruleIds }: { readonly cameraId: string; readonly ruleIds: readonly string[] },
  now: Date,
): Promise<readonly ActiveSilence[]> {
  return await sql<ActiveSilence[]>`
    select s.silence_id as id, s.camera_id, s.rule_id, s.reason, s.created_by, s.created_at, s.ends_at
    from silences s
    where s.told_at is null
      and s.ended_at is null
      and s.ends_at > ${now}
      and (s.camera_id is null or s.camera_id = ${cameraId})
      and (s.rule_id is null or s.rule_id = any (${[...ruleIds]}::uuid[]))
    order by s.silence_id
    for share
  `;
}

/** An alert that a silence mutes. */
export interface MutedAlert {
  readonly silenceId: string;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly channels: readonly Channel[];
}

/** Stores what silences mute for an event, each alert once, however often the event is evaluated. */
export async function storeMutedAlerts(sql: Sql, eventId: number, hidden: readonly MutedAlert[], now: Date): Promise<void> {
  if (hidden.length === 0) return;
  const rows = hidden.map(({ silenceId, ruleId, ruleName, channels }) => ({
    silence_id: silenceId,
    rule_id: ruleId,
    rule_name: ruleName,
    channels,
  }));
  await sql`
    insert into silenced_alerts (silence_id, event_id, rule_id, rule_name, channels, silenced_at)
    select h.silence_id, ${eventId}::bigint, h.rule_id, h.rule_name, h.channels, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as h (silence_id uuid, rule_id uuid, rule_name text, channels text[])
    on conflict do nothing
  `;
}
