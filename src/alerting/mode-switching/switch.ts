import { notFound } from "../../contract/problem.ts";
import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { cancelHeldAlerts } from "../alerts/held-alerts.ts";
import type { ModeState } from "../modes/mode.ts";
import { allModes } from "../modes/modes-repository.ts";
import { lockState, storeState } from "../modes/state-repository.ts";
import { insertSwitch } from "../modes/switches-repository.ts";
import { afterChoice } from "./next-mode.ts";

/** The choice of a mode, and who made it. */
export interface Choice {
  readonly mode: string;
  /** The key or session of the person; null without one, and for a schedule. */
  readonly by: string | null;
  readonly source: NonNullable<ModeState["source"]>;
  /** Switches at once, also to a mode with an exit delay. */
  readonly skipExitDelay: boolean;
}

/**
 * Switches the mode of the home, or starts the exit delay of the chosen mode, in the caller's transaction. Announces the change to clients,
 * and cancels alerts that wait for the entry delay of the mode before. Returns the new state. Throws `Problem("not_found")` for an unknown
 * mode.
 */
export async function chooseMode(sql: Sql, choice: Choice, now: Date): Promise<ModeState> {
  const mode = (await allModes(sql)).find(({ name }) => name === choice.mode);
  if (!mode) throw notFound("Mode", choice.mode, "`homesec modes list` shows all modes");
  await lockState(sql);
  const state = await settlePending(sql, now);
  const step = afterChoice(state, { mode: mode.name, exitDelaySeconds: choice.skipExitDelay ? 0 : mode.exit_delay_seconds }, now);
  switch (step.kind) {
    case "none":
      return state;
    case "cancel":
      return await announce(sql, { ...state, pending: null }, now);
    case "wait":
      return await announce(
        sql,
        { ...state, pending: { mode: mode.name, effective_at: step.until, requested_at: now, set_by: choice.by } },
        now,
      );
    case "switch": {
      const { by, source } = choice;
      return await enter(sql, state, { mode: mode.name, requestedAt: now, at: now, by, source }, now);
    }
  }
}

/** Lets a pending mode take effect if its exit delay is over. The caller has locked the state. Returns the state. */
export async function settlePending(sql: Sql, now: Date): Promise<ModeState> {
  const { state } = await lockState(sql);
  const { pending } = state;
  if (!pending || pending.effective_at > now) return state;
  const entry = {
    mode: pending.mode,
    requestedAt: pending.requested_at,
    at: pending.effective_at,
    by: pending.set_by,
    source: "request",
  } as const;
  return await enter(sql, state, entry, now);
}

/** Puts the home into a mode. */
async function enter(
  sql: Sql,
  { mode: previous }: ModeState,
  entry: Omit<Choice, "skipExitDelay"> & { readonly requestedAt: Date; readonly at: Date },
  now: Date,
): Promise<ModeState> {
  const { mode, by: set_by, source, requestedAt: requested_at, at } = entry;
  await insertSwitch(sql, { mode, previous_mode: previous, requested_at, switched_at: at, set_by, source });
  await cancelHeldAlerts(sql, { mode, previous, by: set_by }, now);
  return await announce(sql, { mode, since: at, set_by, source, pending: null }, now);
}

async function announce(sql: Sql, state: ModeState, now: Date): Promise<ModeState> {
  await storeState(sql, state);
  await appendToJournal(sql, [{ type: "mode.changed", data: state }], now);
  return state;
}
