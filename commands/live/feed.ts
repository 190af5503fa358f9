import type { TailState } from "../../src/admin/live-client/tail.ts";
import { minuteMs } from "../../src/base/clock/clock.ts";
import { pause } from "../../src/base/lifecycle/pause.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Io } from "../io.ts";
import { activityMinutes } from "./data/activity.ts";
import { mostAlerts, mostEvents } from "./data/data.ts";
import type { Change, Snapshot } from "./data/reducer.ts";
import type { Store } from "./store.ts";
import { steadied } from "./text.ts";

const largestPage = 1000;
/** Health has no rate limit; all other requests share 60 a minute with other programs on this machine. */
const pollMs = 5_000;
const retryMs = 2_000;

interface FeedOptions {
  readonly io: Io;
  readonly store: Store;
  readonly signal: AbortSignal;
}

interface FeedStart extends FeedOptions {
  /** Resolves when the first frame is on the screen, or when there will be none. */
  readonly drawn: Promise<void>;
}

/** The connection that feeds the store. */
export interface Feed {
  /** Resolves when the daemon has answered. Rejects with a `Problem` if it does not, or refuses. */
  readonly started: Promise<void>;
  /** Resolves after the abort. Rejects with a `Problem` if the daemon refuses the key. */
  readonly ended: Promise<void>;
}

/** A daemon that hangs, or a lost network, is noticed this long after its last message. */
const pulse = { pingMs: 10_000, deadAfterMs: 10_000 };

/**
 * Loads the state of the daemon, then follows its messages in order, each one once, across lost connections. If the health of the
 * daemon can be read, the first frame comes before the connection, whose library and schemas take long to load.
 */
export function startFeed({ io, store, signal, drawn }: FeedStart): Feed {
  let loading: Promise<void> = Promise.resolve();
  let failure: unknown;
  let connected = false;
  let reconnected = new AbortController();
  let start: () => void = () => {};
  let refuse: (problem: unknown) => void = () => {};
  const started = new Promise<void>((resolve, reject) => {
    start = resolve;
    refuse = reject;
  });
  const failed = new AbortController();
  const until = AbortSignal.any([signal, failed.signal]);
  const now = (): Date => io.host.clock.now();
  const fail = (error: unknown): void => {
    failure ??= error;
    refuse(failure);
    failed.abort();
  };
  const reload = (): void => {
    loading = load({ io, store, signal: until }).catch(fail);
  };

  const onState = (state: TailState): void => {
    if (state.kind === "connected") {
      store.change({ kind: "link", link: { kind: "connected", since: now(), version: state.version }, newest: state.lastSequence });
      if (!connected) reload();
      connected = true;
      start();
      reconnected.abort();
      reconnected = new AbortController();
    } else if (state.kind === "interrupted" && !connected) {
      fail(state.problem);
    } else if (state.kind === "interrupted") {
      const { link } = store.current().data;
      const since = link.kind === "interrupted" ? link.since : now();
      store.change({ kind: "link", link: { kind: "interrupted", since, reason: state.reason } });
    }
  };

  const readHealth = async (): Promise<void> => {
    const health = steadied(await io.call("getFullHealth", {}));
    store.change({ kind: "system", at: now(), health });
    start();
    await drawn;
  };
  const follow = async (): Promise<void> => {
    // Without an answer, the connection reports the reason
    await readHealth().catch(() => undefined);
    const { tail } = await import("../../src/admin/live-client/tail.ts");
    const token = (await io.configuration()).config.websocketToken;
    for await (const message of tail({ ...(await io.endpoint()), token, signal: until, onState, ...pulse })) {
      // Load the lists first: an old list must not overwrite newer messages
      await loading;
      store.change({ kind: "messages", messages: [message] });
      if (message.type === "gap") reload();
    }
    // Ended before a daemon answered: release the waiting start
    start();
  };
  const run = async (): Promise<void> => {
    await Promise.all([follow(), poll({ io, store, signal: until }, started, () => reconnected.signal)].map((work) => work.catch(fail)));
    if (failure !== undefined) throw failure;
  };
  const ended = run();
  // A failure before the start rejects `started`
  ended.catch(() => {});
  return { started, ended };
}

/** Loads the lists, with retries. */
async function load({ io, store, signal }: FeedOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      store.change({ kind: "snapshot", snapshot: await snapshotOf(io) });
      return;
    } catch (error) {
      if (isRefusal(error)) throw error;
      // The daemon is gone again: retry after the reconnect
      await pause(retryMs, signal);
    }
  }
}

async function snapshotOf(io: Io): Promise<Snapshot> {
  const since = new Date(io.host.clock.now().getTime() - activityMinutes * minuteMs);
  const [cameras, events, pending, delivered, silences, mode, seen] = await Promise.all([
    io.call("listCameras", { query: { limit: largestPage } }),
    io.call("listEvents", { query: { limit: mostEvents, kind: "all" } }),
    io.call("listAlerts", { query: { limit: mostAlerts, status: "pending" } }),
    io.call("listAlerts", { query: { limit: mostAlerts, status: "delivered" } }),
    unlessMissing(async () => (await io.call("listSilences", { query: { limit: largestPage, status: "active" } })).items, []),
    unlessMissing(() => io.call("getMode", {}), undefined),
    io.call("listDetections", { query: { limit: largestPage, start_date: since } }),
  ]);
  return {
    ...{ cameras: cameras.cameras, events: events.items, alerts: [...pending.items, ...delivered.items] },
    ...{ silences, mode, seen: seen.items },
  };
}

/** Asks for what older daemons do not have; they get `otherwise`. */
async function unlessMissing<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Problem && error.kind === "not_found") return otherwise;
    throw error;
  }
}

/**
 * Polls what messages do not contain: health often, metrics and cameras less often, and all of it after a reconnect. Two independent
 * loops, since rate limits delay metrics, but not health.
 */
async function poll({ io, store, signal }: FeedOptions, started: Promise<void>, reconnected: () => AbortSignal): Promise<void> {
  await started;
  const repeat = async (everyMs: number, round: () => Promise<void>): Promise<void> => {
    while (!signal.aborted) {
      if (store.current().data.link.kind === "connected") await round();
      await pause(everyMs, AbortSignal.any([signal, reconnected()]));
    }
  };
  const show = (parts: Omit<Extract<Change, { kind: "system" }>, "kind" | "at">): void =>
    store.change({ kind: "system", at: io.host.clock.now(), ...parts });
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      // The next round retries; the link shows a lost connection
      if (isRefusal(error)) throw error;
    }
  };
  const health = () => attempt(async () => show({ health: steadied(await io.call("getFullHealth", {})) }));
  let rounds = 0;
  const metrics = async (): Promise<void> => {
    await attempt(async () => show({ pipeline: await io.call("getPipeline", {}) }));
    await attempt(async () => show({ telemetry: await io.call("getTelemetry", {}) }));
    rounds += 1;
    if (rounds % 2 === 1) return;
    await attempt(async () => {
      const { cameras } = await io.call("listCameras", { query: { limit: largestPage } });
      store.change({ kind: "cameras", cameras });
    });
  };
  await Promise.all([repeat(pollMs, health), repeat(2 * pollMs, metrics)]);
}

/** Whether the daemon refuses the API key; retries do not help. */
function isRefusal(error: unknown): boolean {
  return error instanceof Problem && (error.kind === "unauthorized" || error.kind === "forbidden");
}
