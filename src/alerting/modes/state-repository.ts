import type { Sql } from "../../platform/database/database.ts";
import { initialMode, type ModeState } from "./mode.ts";

/** The stored state of the mode. */
export interface StoredState {
  readonly state: ModeState;
  /** The mode that the schedules asked for when they were last read. */
  readonly asked: string | null;
}

/** A row of `mode_state`. */
interface StateRow extends Omit<ModeState, "pending"> {
  readonly pending_mode: string | null;
  readonly pending_at: Date | null;
  readonly pending_since: Date | null;
  readonly pending_by: string | null;
  readonly scheduled_mode: string | null;
}

const columns = (sql: Sql) => sql`
  s.mode, s.since, s.set_by, s.source, s.pending_mode, s.pending_at, s.pending_since, s.pending_by, s.scheduled_mode
`;

function stateOf(row: StateRow | undefined): StoredState {
  if (!row) return { state: { mode: initialMode.name, since: null, set_by: null, source: null, pending: null }, asked: null };
  const { mode, since, set_by, source, pending_mode, pending_at, pending_since, pending_by, scheduled_mode } = row;
  const pending =
    pending_mode === null || pending_at === null || pending_since === null
      ? null
      : { mode: pending_mode, effective_at: pending_at, requested_at: pending_since, set_by: pending_by };
  return { state: { mode, since, set_by, source, pending }, asked: scheduled_mode };
}

/** Returns the stored state. A pending mode may be due. */
export async function readState(sql: Sql): Promise<StoredState> {
  const [row] = await sql<[StateRow?]>`select ${columns(sql)} from mode_state s`;
  return stateOf(row);
}

/** Locks the state until the end of the transaction, before a switch, and returns it. */
export async function lockState(sql: Sql): Promise<StoredState> {
  await sql`insert into mode_state default values on conflict do nothing`;
  const [row] = await sql<[StateRow?]>`select ${columns(sql)} from mode_state s for no key update`;
  return stateOf(row);
}

/** Keeps the mode from being switched until the end of the transaction. Without effect in a home that never switched. */
export async function keepState(sql: Sql): Promise<void> {
  await sql`select 1 from mode_state s for share`;
}

/** Stores the state. The caller has locked it. */
export async function storeState(sql: Sql, { mode, since, set_by, source, pending }: ModeState): Promise<void> {
  await sql`
    update mode_state
    set mode = ${mode}, since = ${since}, set_by = ${set_by}, source = ${source}, pending_mode = ${pending?.mode ?? null},
      pending_at = ${pending?.effective_at ?? null}, pending_since = ${pending?.requested_at ?? null},
      pending_by = ${pending?.set_by ?? null}
  `;
}

/** Stores what the schedules ask for. The caller has locked the state. */
export async function storeAsked(sql: Sql, asked: string | null): Promise<void> {
  await sql`update mode_state set scheduled_mode = ${asked}`;
}

/** Moves a pending switch and past switches from the future (the clock was set back) to now, so that none takes effect later than intended. */
export async function bringForwardModes(sql: Sql, now: Date): Promise<void> {
  await sql`
    update mode_state
    set since = least(since, ${now}::timestamptz),
      pending_at = case when pending_since > ${now} then ${now}::timestamptz + (pending_at - pending_since) else pending_at end,
      pending_since = least(pending_since, ${now}::timestamptz)
    where since > ${now} or pending_since > ${now}
  `;
  await sql`
    update mode_switches
    set switched_at = ${now}, requested_at = least(requested_at, ${now}::timestamptz)
    where switched_at > ${now}
  `;
}
