import type { GapMessage, JournalMessage } from "../../contract/live.ts";
import { type Daemon, liveAddress } from "../../contract/tail/address.ts";
import { type FollowOptions, followMessages } from "../../contract/tail/follow.ts";
import { unreachable } from "../../contract/unreachable.ts";
import { Connection } from "./connection.ts";

export type { TailState } from "../../contract/tail/follow.ts";

export interface TailOptions extends Daemon, Omit<FollowOptions, "open" | "problemOf"> {
  /** Interval between pings in milliseconds (default 60,000). */
  readonly pingMs?: number;
  /** Time without any message after a ping until the daemon counts as dead, in milliseconds (default 90,000). */
  readonly deadAfterMs?: number;
}

/** Follows the live messages of a daemon, as `followMessages` does, over a WebSocket of Node. */
export function tail(options: TailOptions): AsyncGenerator<JournalMessage | GapMessage, void, void> {
  const pulse = { pingMs: options.pingMs ?? 60_000, deadAfterMs: options.deadAfterMs ?? 90_000 };
  return followMessages({
    ...options,
    open: (since) => new Connection(liveAddress(options, since), pulse),
    problemOf: ({ error, reason }) => unreachable(options.url, error ?? new Error(reason), { otherwise: "use --url" }),
  });
}
