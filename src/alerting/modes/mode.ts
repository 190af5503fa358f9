import type { z } from "zod";
import { builtInModes } from "../../contract/constants.ts";
import type { Mode as ModeRecord, ModeState as ModeStateRecord } from "../../contract/routes/modes.ts";

/** A mode that the home can be in, as clients see it. */
export type Mode = z.output<typeof ModeRecord>;

/** The mode of the home now, as clients see it. */
export type ModeState = z.output<typeof ModeStateRecord>;

/** Schedules start and end in this mode. So does a home that never switched. */
export const restingMode = "home";

/** In this mode only rules that name it raise alerts. */
export const quietMode = "off";

/** The mode that was in effect at some time. */
export interface ModeAt {
  readonly name: string;
  /** When it took effect; null since the installation, or if that is no longer known. */
  readonly since: Date | null;
  /** The key or session that chose it; null without one. */
  readonly setBy: string | null;
  readonly source: ModeState["source"];
}

/** The mode of a home that never switched. */
export const initialMode: ModeAt = { name: restingMode, since: null, setBy: null, source: null };

/**
 * The built-in modes until someone changes them. Away has an exit delay to leave the home, and an entry delay to switch back before anyone
 * is notified.
 */
const defaults: readonly Mode[] = builtInModes.map((name) => ({
  name,
  built_in: true,
  exit_delay_seconds: name === "away" ? 60 : 0,
  entry_delay_seconds: name === "away" ? 30 : 0,
  schedule: null,
}));

/** Returns all modes: the built-in ones, as stored if someone changed them, then the others by name. */
export function withBuiltIn(stored: readonly Mode[]): readonly Mode[] {
  const builtIn = defaults.map((mode) => stored.find(({ name }) => name === mode.name) ?? mode);
  const others = stored.filter(({ built_in }) => !built_in);
  return [...builtIn, ...others.toSorted((one, other) => (one.name < other.name ? -1 : 1))];
}

/** Tells whether a mode is built in. */
export function isBuiltIn(name: string): boolean {
  return (builtInModes as readonly string[]).includes(name);
}

/** Tells whether a rule with these modes alerts in a mode. A rule without modes alerts in every mode except `off`. */
export function alertsIn(modes: readonly string[] | null, mode: string): boolean {
  return modes === null || modes.length === 0 ? mode !== quietMode : modes.includes(mode);
}

/** Says who chose a mode: `set by anna`, `set by its schedule`; undefined if that is not known. */
export function authorText({ setBy, source }: Pick<ModeAt, "setBy" | "source">): string | undefined {
  if (source === "schedule") return "set by the schedule";
  return setBy === null ? undefined : `set by ${setBy}`;
}
