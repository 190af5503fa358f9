import type { Mode, ModeState } from "../modes/mode.ts";
import { restingMode } from "../modes/mode.ts";
import { isWithin } from "../rules/schedule.ts";

/**
 * The states of the mode of the home:
 *
 *   mode A ──(a person chooses B, which has an exit delay)──▶ A, B pending ──(the delay is over)──▶ mode B
 *     │                                                            └──(a person chooses A)────────▶ mode A
 *     └──(a person chooses B without exit delay, or a schedule starts B)──────────────────────────▶ mode B
 *
 * A choice replaces a pending one. The current mode stays in effect while another one is pending.
 */
export type Step =
  /** Nothing changes. */
  | { readonly kind: "none" }
  /** The pending switch is dropped. */
  | { readonly kind: "cancel" }
  | { readonly kind: "wait"; readonly until: Date }
  | { readonly kind: "switch" };

/** Returns what follows from a choice. The state must not have a pending mode that is due. */
export function afterChoice(
  { mode, pending }: Pick<ModeState, "mode" | "pending">,
  choice: { readonly mode: string; readonly exitDelaySeconds: number },
  now: Date,
): Step {
  if (choice.mode === mode) return { kind: pending ? "cancel" : "none" };
  if (choice.exitDelaySeconds === 0) return { kind: "switch" };
  // A second tap does not start the countdown again.
  if (choice.mode === pending?.mode) return { kind: "none" };
  return { kind: "wait", until: new Date(now.getTime() + choice.exitDelaySeconds * 1000) };
}

/** Returns the mode that the schedules ask for at a time, or null for none. Of two schedules that overlap, the mode listed first wins. */
export function scheduledMode(modes: readonly Pick<Mode, "name" | "schedule">[], at: Date): string | null {
  return modes.find(({ schedule }) => schedule !== null && holds(schedule, at))?.name ?? null;
}

/** A schedule whose time zone this Node.js does not know never holds: another machine may have accepted it. */
function holds(schedule: NonNullable<Mode["schedule"]>, at: Date): boolean {
  try {
    return isWithin(schedule, at);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Returns the mode that the schedules switch to now, or undefined if they switch nothing. `asked` is what they asked for when they were last
 * read, so each start and end of a window counts once, also if no daemon ran at that minute. A schedule starts its mode only in `home`, and
 * ends it only if a schedule started it. The choice of a person stays.
 */
export function afterSchedule(
  { mode, source, pending }: Pick<ModeState, "mode" | "source" | "pending">,
  { asked, asks }: { readonly asked: string | null; readonly asks: string | null },
): string | undefined {
  if (asks === asked || pending) return undefined;
  const isScheduled = source === "schedule" && mode === asked;
  const next = asks ?? restingMode;
  return (mode === restingMode || isScheduled) && next !== mode ? next : undefined;
}
