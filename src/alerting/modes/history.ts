import type { Sql, SqlFragment } from "../../platform/database/database.ts";
import { initialMode, type Mode, type ModeAt, type ModeState } from "./mode.ts";
import { allModes } from "./modes-repository.ts";
import { readState } from "./state-repository.ts";
import { allSwitches, switchesSince } from "./switches-repository.ts";
import { createTimeline, type EventTimes, modeOfEvent, type Switch } from "./timeline.ts";

/** The modes around an event. */
export interface ModesOfEvent {
  /** The mode now. */
  readonly now: ModeAt;
  /** The entry delay of the mode now, in seconds. */
  readonly entryDelaySeconds: number;
  /** Returns the mode that the event counts for. */
  of(event: EventTimes): ModeAt;
}

/** The last time that JavaScript can represent: what happened in the past is over. */
const endOfTime = new Date(8_640_000_000_000_000);

/** Reads the modes from the begin of an event until now. */
export async function modesOfEvent(sql: Sql, eventId: number, now: Date): Promise<ModesOfEvent> {
  return await modesSince(sql, sql`(select e.started_at from events e where e.event_id = ${eventId})`, now);
}

/** Reads the modes from a time until now. */
export async function modesSince(sql: Sql, time: SqlFragment, now: Date): Promise<ModesOfEvent> {
  const [switches, { state }, modes] = await Promise.all([switchesSince(sql, time), readState(sql), allModes(sql)]);
  const timeline = createTimeline([...switches, ...dueSwitch(state, now)]);
  const entryDelays = delaysOf(modes);
  const current = timeline.at(now);
  return {
    now: current,
    entryDelaySeconds: entryDelays.get(current.name) ?? 0,
    of: (event) => modeOfEvent(timeline, event, { entryDelays, now }),
  };
}

/** Returns a function that tells which mode a past event counts for. With `assumed`, the home was always in that mode. */
export async function pastModes(sql: Sql, assumed: string | undefined): Promise<(event: EventTimes) => ModeAt> {
  if (assumed !== undefined) {
    const mode = { ...initialMode, name: assumed };
    return () => mode;
  }
  const [switches, { state }, modes] = await Promise.all([allSwitches(sql), readState(sql), allModes(sql)]);
  const timeline = createTimeline([...switches, ...dueSwitch(state, endOfTime)]);
  const entryDelays = delaysOf(modes);
  return (event) => modeOfEvent(timeline, event, { entryDelays, now: event.kind === "camera_health" ? event.startedAt : endOfTime });
}

/** Returns the mode of the home now. */
export async function modeNow(sql: Sql, now: Date): Promise<ModeAt> {
  const { state } = await readState(sql);
  const [due] = dueSwitch(state, now);
  return due ?? { name: state.mode, since: state.since, setBy: state.set_by, source: state.source };
}

/** The exit delay may be over before the switch is stored. */
function dueSwitch({ mode, pending }: ModeState, now: Date): readonly Switch[] {
  if (!pending || pending.effective_at > now) return [];
  return [{ name: pending.mode, previous: mode, since: pending.effective_at, setBy: pending.set_by, source: "request" }];
}

function delaysOf(modes: readonly Mode[]): ReadonlyMap<string, number> {
  return new Map(modes.map(({ name, entry_delay_seconds }) => [name, entry_delay_seconds]));
}
