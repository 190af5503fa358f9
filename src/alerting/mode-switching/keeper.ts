import type { Database, Sql } from "../../platform/database/database.ts";
import { releaseHeldAlerts } from "../alerts/held-alerts.ts";
import { nextHeldAt } from "../alerts/held-repository.ts";
import type { NotificationSettings } from "../channels/availability.ts";
import type { Mode } from "../modes/mode.ts";
import { allModes } from "../modes/modes-repository.ts";
import { lockState, readState, storeAsked } from "../modes/state-repository.ts";
import { afterSchedule, scheduledMode } from "./next-mode.ts";
import { chooseMode, settlePending } from "./switch.ts";

/** Alerts that are released per round. */
const batchSize = 100;

/**
 * Does what is due now: lets a pending mode take effect, follows the schedules of the modes, and notifies recipients of alerts whose entry
 * delay is over. Any number of processes may run it. Returns when the next delay is over; undefined if none is running.
 */
export async function keepModes(db: Database, delivery: NotificationSettings, now: Date): Promise<Date | undefined> {
  const [{ state, asked }, modes, heldAt] = await db.query((sql) => Promise.all([readState(sql), allModes(sql), nextHeldAt(sql)]));
  const isDue = state.pending !== null && state.pending.effective_at <= now;
  const isAsked = scheduledMode(modes, now) !== asked;
  if (isDue || isAsked) await db.transaction((sql) => followClock(sql, modes, now));
  if (heldAt && heldAt <= now) await releaseHeldAlerts(db, delivery, now, batchSize);
  const waits = [isDue ? undefined : state.pending?.effective_at, heldAt && heldAt > now ? heldAt : undefined].filter(
    (at) => at !== undefined,
  );
  return waits.length === 0 ? undefined : new Date(Math.min(...waits.map((at) => at.getTime())));
}

async function followClock(sql: Sql, modes: readonly Mode[], now: Date): Promise<void> {
  const { asked } = await lockState(sql);
  const state = await settlePending(sql, now);
  const asks = scheduledMode(modes, now);
  const mode = afterSchedule(state, { asked, asks });
  if (mode !== undefined) await chooseMode(sql, { mode, by: null, source: "schedule", skipExitDelay: true }, now);
  if (asks !== asked) await storeAsked(sql, asks);
}
