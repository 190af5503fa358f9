import { hourMs, minuteMs } from "../../base/clock/durations.ts";

/** How an attempt to send a notification ended. `answer` is what the other side said, or why it was not reached. */
export type Outcome =
  /** `refusedFor`: recipients that the mail server will never take, each with its answer. */
  | { readonly kind: "sent"; readonly answer: string; readonly refusedFor?: string; readonly unreached?: readonly string[] }
  | {
      readonly kind: "again";
      readonly answer: string;
      /** Only a person can mend it: it is tried more slowly, so that no account gets locked. */
      readonly misconfigured?: true;
      /** The other side asked for so long a wait. */
      readonly waitMs?: number;
      readonly unreached?: readonly string[];
    }
  | { readonly kind: "failed"; readonly answer: string };

const firstDelayMs = 30_000;
const longestDelayMs = 30 * minuteMs;
/** What only a person can mend is tried no more often. */
export const mendDelayMs = 10 * minuteMs;
const longestAskedMs = hourMs;
const jitter = 0.2;

/**
 * How long to wait after attempt `attempts` (1 is the first): 30 s, doubled each time up to 30 minutes, and up to 20 % more by
 * `random` (0 to 1), so that what failed together does not come back together.
 */
export function delayAfter(
  attempts: number,
  outcome: Pick<Outcome & { kind: "again" }, "misconfigured" | "waitMs">,
  random: number,
): number {
  const doubled = Math.min(firstDelayMs * 2 ** Math.min(attempts - 1, 20), longestDelayMs);
  const asked = Math.min(outcome.waitMs ?? 0, longestAskedMs);
  return Math.round(Math.max(doubled, outcome.misconfigured ? mendDelayMs : 0, asked) * (1 + jitter * random));
}
