import { pause } from "../../base/lifecycle/pause.ts";
import type { GapMessage, JournalMessage } from "../../contract/live.ts";
import type { Problem } from "../../contract/problem.ts";
import { unreachable } from "../../contract/unreachable.ts";
import { type Daemon, liveAddress } from "./address.ts";
import { type Arrival, Connection, type End } from "./connection.ts";

const firstRetryMs = 200;
const longestRetryMs = 5_000;

/** How the tail is doing, for a status line. Nothing of it must be acted on. */
export type TailState =
  | { readonly kind: "connecting" }
  /** `lastSequence` is the newest that the daemon knew then. */
  | { readonly kind: "connected"; readonly lastSequence: number; readonly version: string }
  /** Up to `sequence` nothing more comes, though the last wanted message may be far before it. */
  | { readonly kind: "passed"; readonly sequence: number }
  /** `problem` says it to somebody who had no connection yet. */
  | { readonly kind: "interrupted"; readonly reason: string; readonly problem: Problem; readonly retryInMs: number }
  /** A message that this program does not understand was left out, as one from a newer daemon. */
  | { readonly kind: "left_out"; readonly type: string; readonly sequence: number; readonly reason: string };

export interface TailOptions extends Daemon {
  /** Begin after this sequence; from now on when absent. */
  readonly since?: number | undefined;
  /** Only these types; an entry may end in `*`. */
  readonly types?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly onState?: ((state: TailState) => void) | undefined;
  /** A ping goes out every so many ms; 60,000 by default. */
  readonly pingMs?: number;
  /** A daemon that says nothing for so many ms after a ping is dead; 90,000 by default. */
  readonly deadAfterMs?: number;
  /** 0 to 1, for the jitter of retries. */
  readonly random?: () => number;
}

/**
 * Follows the live messages of a daemon over any number of interruptions, each message once and in order. A `gap` is
 * passed on where the daemon cannot give what was missed: its sequences are lost to this caller. It ends on abort and
 * throws `Problem` when the daemon refuses for good (`unauthorized`, `forbidden`, `not_found`). The connection is read
 * only as fast as messages are taken.
 */
export async function* tail(options: TailOptions): AsyncGenerator<JournalMessage | GapMessage, void, void> {
  const { signal } = options;
  const place = new Place(options);
  let attempt = 0;

  while (!signal.aborted) {
    options.onState?.({ kind: "connecting" });
    const connection = new Connection(liveAddress(options, place.sequence), {
      pingMs: options.pingMs ?? 60_000,
      deadAfterMs: options.deadAfterMs ?? 90_000,
    });
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
    // once connected we know that the address is right, and a proxy may say anything while the daemon behind it restarts
    if (end.final && (!place.known || end.final.kind === "unauthorized")) throw end.final;
    const retryInMs = retryDelay(attempt, options.random ?? Math.random);
    attempt += 1;
    const reason = disorder ?? end.reason;
    const problem = unreachable(options.url, end.error ?? new Error(reason), { otherwise: "use --url" });
    options.onState?.({ kind: "interrupted", reason, problem, retryInMs });
    await pause(retryInMs, signal);
  }
}

type Step =
  | { readonly kind: "pass"; readonly message: JournalMessage | GapMessage }
  | { readonly kind: "drop" }
  /** The order is broken: what comes can only be trusted after asking anew from the last good place. */
  | { readonly kind: "disorder"; readonly reason: string };

/** Where in the journal this tail is: after `sequence`, or nowhere yet. */
class Place {
  sequence: number | undefined;
  /** The daemon has greeted us at least once. */
  known = false;
  /** The wanted types; undefined for all. */
  readonly types: readonly string[] | undefined;
  readonly #options: TailOptions;

  constructor(options: TailOptions) {
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
    // a gap that begins before our place: the daemon's journal is shorter than what we have seen of it
    this.sequence = message.data.from <= (this.sequence ?? 0) ? message.data.from - 1 : message.data.to;
    return { kind: "pass", message };
  }

  #numbered(sequence: number, accept: () => Step): Step {
    const expected = (this.sequence ?? sequence - 1) + 1;
    if (sequence < expected) return { kind: "drop" };
    // with a choice of types the daemon leaves sequences out
    if (sequence > expected && !this.types) return { kind: "disorder", reason: `sequence ${expected} did not come before ${sequence}` };
    this.sequence = sequence;
    return accept();
  }

  #wants(type: string): boolean {
    return !this.types || this.types.some((wanted) => wanted === type || (wanted.endsWith("*") && type.startsWith(wanted.slice(0, -1))));
  }
}

/** 0.2 s doubling up to 5 s, of which the last half is left to chance, so that many clients do not come back as one. */
function retryDelay(attempt: number, random: () => number): number {
  const full = Math.min(firstRetryMs * 2 ** attempt, longestRetryMs);
  return Math.round(full / 2 + (random() * full) / 2);
}
