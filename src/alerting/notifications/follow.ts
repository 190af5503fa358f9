import type { Result } from "../delivery/channel.ts";
import { type NextState, nextState } from "./next-state.ts";
import { isOpen, type Progress } from "./notification.ts";

/** The result of a message, and the notification that has its job. */
export interface Followed<Row> {
  readonly leader: Row;
  readonly next: NextState;
  readonly result: Result<unknown>;
  readonly retry: { readonly tries: number; readonly random: number };
  /** The joined notifications that the message reported; undefined when no message was made. */
  readonly reported: readonly string[] | undefined;
}

/** The notifications whose state changes, and those that need a separate message. */
export interface Following<Row> {
  readonly changed: readonly { readonly row: Row; readonly state: NextState }[];
  readonly separated: readonly string[];
}

/**
 * Returns the next states of notifications that are joined to another one, the leader, which has the job:
 *
 * - One that the message reported takes the same step as the leader. If no message was made, because all mails are held back, all wait.
 * - One that joined after the message was made waits for the next attempt.
 * - One that still waits when the leader has no further attempt for all recipients is separated: it gets its own message. So does one that
 *   the leader's end does not concern: a person ended the leader's alert, or the leader expired first.
 *
 * A notification that fails or expires stays joined: the leader's job is its dead letter.
 */
export function follow<Row extends Progress & { readonly id: string }>(
  rows: readonly Row[],
  { leader, next, result, retry, reported }: Followed<Row>,
): Following<Row> {
  const goesOn = next.job.kind === "release" && next.status === "waiting";
  const changed = [{ row: leader, state: next }];
  const separated: string[] = [];
  for (const row of rows) {
    if (row.id === leader.id) continue;
    const state = concerns(row, result, reported) ? nextState(row, result, retry) : undefined;
    const isOwnEnd = state?.job.kind === "bury" && next.job.kind !== "bury";
    if (state && !isOwnEnd) changed.push({ row, state });
    const status = state && !isOwnEnd ? state.status : row.status;
    if (status === "waiting" && !goesOn) separated.push(row.id);
  }
  return { changed, separated };
}

/** Whether a result is about a joined notification too. */
function concerns(row: Progress & { readonly id: string }, result: Result<unknown>, reported: readonly string[] | undefined): boolean {
  // A message that was under way when a person cancelled the notification may have arrived
  if (row.status === "cancelled") return reported?.includes(row.id) ?? false;
  if (!isOpen(row)) return false;
  switch (result.kind) {
    case "attempted":
      return reported === undefined || reported.includes(row.id);
    case "waits":
      return row.status === "waiting";
    case "ended":
      if (result.as === "cancelled") return false;
      return result.as === "failed" || row.expiresAt <= result.at;
  }
}
