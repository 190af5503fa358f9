import { pause } from "../../base/lifecycle/pause.ts";
import type { GapMessage, JournalMessage } from "../live.ts";
import type { Problem } from "../problem.ts";
import type { Arrival, End } from "./arrival.ts";

const firstRetryMs = 200;
const longestRetryMs = 5_000;

/** State of the tail for a status line; for display only. */
export type TailState =
  | { readonly kind: "connecting" }
  /** `lastSequence` is the newest sequence that the daemon knew then. */
  | { readonly kind: "connected"; readonly lastSequence: number; readonly version: string }
  /** Everything up to `sequence` has been sent, though the last message of a wanted type may be far before it. */
  | { readonly kind: "passed"; readonly sequence: number }
  /** Before the first connection, `problem` is the message for the user. */
  | { readonly kind: "interrupted"; readonly reason: string; readonly problem: Problem; readonly retryInMs: number }
  /** Skipped a message that this program does not understand, as from a newer daemon. */
  | { readonly kind: "left_out"; readonly type: string; readonly sequence: number; readonly reason: string };

/** One connection to a daemon, read at the pace of the consumer. */
export interface TailConnection {
  /** Resolves when the connection has ended. */
  readonly ended: Promise<End>;
  /** Returns the messages that have arrived, in order, and waits for the first; undefined after the end. */
  take(): Promise<readonly Arrival[] | undefined>;
  /** Subscribes to these types only. */
  subscribe(types: readonly string[]): void;
  /** Sends pings so often that the daemon does not close the connection, which it does when it is idle for this long. */
  keepAlive(idleTimeoutMs: number): void;
  close(): void;
}

export interface FollowOptions {
  /** Opens a connection that begins after this sequence; if it is undefined, now. */
  readonly open: (since: number | undefined) => TailConnection;
  /** Returns the message for the user about a connection that ended. */
  readonly problemOf: (end: End) => Problem;
  /** Start after this sequence; if absent, start now. */
  readonly since?: number | undefined;
  /** Only these types; an entry may end in `*`. */
  readonly types?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly onState?: ((state: TailState) => void) | undefined;
  /** 0 to 1, for the jitter of retries. */
  readonly random?: () => number;
}

/**
 * Follows the live messages of a daemon across interruptions, each message once and in order. Yields a `gap` if the daemon no longer has
 * the missed messages: their sequences are lost to this caller. Ends on abort, and throws `Problem` if the daemon refuses for good
 * (`unauthorized`, `forbidden`, `not_found`). Reads the connection only as fast as messages are taken.
 */
export async function* followMessages(options: FollowOptions): AsyncGenerator<JournalMessage | GapMessage, void, void> {
  const { signal } = options;
  const place = new Place(options);
  let attempt = 0;

  while (!signal.aborted) {
    options.onState?.({ kind: "connecting" });
    const connection = options.open(place.sequence);
    const abort = (): void => connection.close();
    signal.addEventListener("abort", abort);
    let disorder: string | undefined;
    try {
      reading: for (;;) {
        const arrivals = await connection.take();
        if (!arrivals) break;
        for (const arrival of arrivals) {
          if (signal.aborted) return;
          if (arrival.kind === "control" && arrival.message.type === "connected") {
            attempt = 0;
            connection.keepAlive(arrival.message.data.idle_timeout_seconds * 1_000);
            if (place.types) connection.subscribe(place.types);
          }
          const step = place.step(arrival);
          if (step.kind === "pass") yield step.message;
          if (step.kind !== "disorder") continue;
          disorder = step.reason;
          break reading;
        }
      }
    } finally {
      signal.removeEventListener("abort", abort);
      connection.close();
    }
    const end: End = await connection.ended;
    if (signal.aborted) return;
    // Once connected, the address is known to be right, and a proxy may reply anything while the daemon behind it restarts.
    if (end.final && (!place.known || end.final.kind === "unauthorized")) throw end.final;
    const retryInMs = retryDelay(attempt, options.random ?? Math.random);
    attempt += 1;
    const reason = disorder ?? end.reason;
    options.onState?.({ kind: "interrupted", reason, problem: options.problemOf({ ...end, reason }), retryInMs });
    await pause(retryInMs, signal);
  }
}

type Step =
  | { readonly kind: "pass"; readonly message: JournalMessage | GapMessage }
  | { readonly kind: "drop" }
  /** The order is broken: resume from the last good position. */
  | { readonly kind: "disorder"; readonly reason: string };

/** Position of this tail in the journal: after `sequence`, or none yet. */
class Place {
  sequence: number | undefined;
  /** The daemon has replied at least once. */
  known = false;
  /** The wanted types; undefined for all. */
  readonly types: readonly string[] | undefined;
  readonly #options: FollowOptions;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.sequence = options.since;
    this.types = options.types?.length ? options.types : undefined;
  }

  step(arrival: Arrival): Step {
    switch (arrival.kind) {
      case "control":
        return this.#control(arrival.message);
      case "unknown":
        return this.#numbered(arrival.sequence, () => {
          const { type, sequence, reason } = arrival;
          this.#options.onState?.({ kind: "left_out", type, sequence, reason });
          return { kind: "drop" };
        });
      case "journal":
        return this.#numbered(arrival.message.sequence, () =>
          this.#wants(arrival.message.type) ? { kind: "pass", message: arrival.message } : { kind: "drop" },
        );
      default:
        return arrival satisfies never;
    }
  }

  #control(message: Extract<Arrival, { kind: "control" }>["message"]): Step {
    if (message.type === "connected") {
      this.known = true;
      const { last_sequence: lastSequence, version } = message.data;
      this.sequence ??= lastSequence;
      this.#options.onState?.({ kind: "connected", lastSequence, version });
    }
    const passed = message.type === "pong" ? message.data.last_sequence : undefined;
    if (passed !== undefined && passed > (this.sequence ?? 0)) {
      this.sequence = passed;
      this.#options.onState?.({ kind: "passed", sequence: passed });
    }
    if (message.type !== "gap") return { kind: "drop" };
    // A gap that begins before our position: the daemon's journal is shorter than the part that was already read.
    this.sequence = message.data.from <= (this.sequence ?? 0) ? message.data.from - 1 : message.data.to;
    return { kind: "pass", message };
  }

  #numbered(sequence: number, accept: () => Step): Step {
    const expected = (this.sequence ?? sequence - 1) + 1;
    if (sequence < expected) return { kind: "drop" };
    // With a choice of types the daemon skips sequences.
    if (sequence > expected && !this.types) return { kind: "disorder", reason: `sequence ${expected} did not come before ${sequence}` };
    this.sequence = sequence;
    return accept();
  }

  #wants(type: string): boolean {
    return !this.types || this.types.some((wanted) => wanted === type || (wanted.endsWith("*") && type.startsWith(wanted.slice(0, -1))));
  }
}

/** 0.2 s, doubling up to 5 s; the second half is random, so that many clients do not reconnect at once. */
function retryDelay(attempt: number, random: () => number): number {
  const full = Math.min(firstRetryMs * 2 ** attempt, longestRetryMs);
  return Math.round(full / 2 + (random() * full) / 2);
}
