import { tail } from "../../../src/admin/live-client/tail.ts";

/** A live client that follows everything from the first message on, across interruptions. */
export interface Follower {
  /** Sequences of the messages in order of arrival; -1 for each reported gap. */
  readonly sequences: readonly number[];
  stop(): Promise<void>;
}

/** Follows the daemon at an address that outlives it. */
export function follow(url: string): Follower {
  const abort = new AbortController();
  const sequences: number[] = [];
  const done = (async () => {
    for await (const message of tail({ url, since: 0, signal: abort.signal }))
      sequences.push(message.type === "gap" ? -1 : message.sequence);
  })();
  return {
    sequences,
    stop: async () => {
      abort.abort();
      await done;
    },
  };
}
