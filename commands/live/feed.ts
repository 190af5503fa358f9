import { type TailState, tail } from "../../src/admin/live-client/tail.ts";
import { minuteMs } from "../../src/base/clock/durations.ts";
import { pause } from "../../src/base/lifecycle/pause.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Io } from "../io.ts";
import { activityMinutes } from "./data/activity.ts";
import { mostAlerts, mostEvents } from "./data/data.ts";
import type { Snapshot } from "./data/fold.ts";
import { steadied } from "./steadied.ts";
import type { Store } from "./store.ts";

const largestPage = 1000;
/** Health is not limited in how often it may be asked for; everything else shares sixty requests a minute with all other programs here. */
const pollMs = 5_000;
const retryMs = 2_000;

interface FeedOptions {
  readonly io: Io;
  readonly store: Store;
  readonly signal: AbortSignal;
}

/** What a daemon tells, on its way to the store. */
export interface Feed {
  /** Resolves when a daemon has answered. Throws `Problem` when none does, or when it refuses. */
  readonly started: Promise<void>;
  /** Resolves after the abort. Throws `Problem` when the daemon refuses for good. */
  readonly ended: Promise<void>;
}

/** Follows the daemon: what it was like, and from then on each message once and in order, over any number of interruptions. */
export function startFeed({ io, store, signal }: FeedOptions): Feed {
  let loading: Promise<void> = Promise.resolve();
  let failure: unknown;
  let connected = false;
  let start: () => void = () => {};
  let refuse: (problem: unknown) => void = () => {};
  const started = new Promise<void>((resolve, reject) => {
    start = resolve;
    refuse = reject;
  });
  const never = new AbortController();
  const until = AbortSignal.any([signal, never.signal]);
  const now = (): Date => io.host.clock.now();
  const fail = (error: unknown): void => {
    failure ??= error;
    refuse(failure);
    never.abort();
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
    } else if (state.kind === "interrupted" && !connected) {
      fail(state.problem);
    } else if (state.kind === "interrupted") {
      const { link } = store.current().data;
      const since = link.kind === "interrupted" ? link.since : now();
      store.change({ kind: "link", link: { kind: "interrupted", since, reason: state.reason } });
    }
  };

  const follow = async (): Promise<void> => {
    const token = (await io.configuration()).config.websocketToken;
    for await (const message of tail({ ...(await io.endpoint()), token, signal: until, onState })) {
      // messages are about what the lists said before, or say already; the other way round an old list would hide them
      await loading;
      store.change({ kind: "messages", messages: [message] });
      if (message.type === "gap") reload();
    }
    // ended before any daemon answered: nobody is to wait for one
    start();
  };
  const run = async (): Promise<void> => {
    await Promise.all([follow(), poll({ io, store, signal: until }, started)].map((work) => work.catch(fail)));
    if (failure !== undefined) throw failure;
  };
  const ended = run();
  // who waits for the start hears of it there
  ended.catch(() => {});
  return { started, ended };
}

/** Asks for the lists until they have come. */
async function load({ io, store, signal }: FeedOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      store.change({ kind: "snapshot", snapshot: await snapshotOf(io) });
      return;
    } catch (error) {
      if (isRefusal(error)) throw error;
      // the daemon has just gone again: it is connected anew, and asked again
      await pause(retryMs, signal);
    }
  }
}

async function snapshotOf(io: Io): Promise<Snapshot> {
  const since = new Date(io.host.clock.now().getTime() - activityMinutes * minuteMs);
  const [cameras, events, pending, delivered, silences, seen] = await Promise.all([
    io.call("listCameras", { query: { limit: largestPage } }),
    io.call("listEvents", { query: { limit: mostEvents, kind: "all" } }),
    io.call("listAlerts", { query: { limit: mostAlerts, status: "pending" } }),
    io.call("listAlerts", { query: { limit: mostAlerts, status: "delivered" } }),
    silencesOf(io),
    io.call("listDetections", { query: { limit: largestPage, start_date: since } }),
  ]);
  return {
    ...{ cameras: cameras.cameras, events: events.items, alerts: [...pending.items, ...delivered.items] },
    ...{ silences, seen: seen.items },
  };
}

/** A daemon that is older than silences has none. */
async function silencesOf(io: Io): Promise<Snapshot["silences"]> {
  try {
    return (await io.call("listSilences", { query: { limit: largestPage, status: "active" } })).items;
  } catch (error) {
    if (error instanceof Problem && error.kind === "not_found") return [];
    throw error;
  }
}

/**
 * What no message tells: health often, figures and the newest pictures of cameras now and then. Apart from each other, since figures wait where too much
 * was asked for, and health need not.
 */
async function poll({ io, store, signal }: FeedOptions, started: Promise<void>): Promise<void> {
  await started;
  const again = async (everyMs: number, round: () => Promise<void>): Promise<void> => {
    while (!signal.aborted) {
      if (store.current().data.link.kind === "connected") await round();
      await pause(everyMs, signal);
    }
  };
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      // what could not be had now is asked for again; a connection that is gone is told by the link
      if (isRefusal(error)) throw error;
    }
  };
  const health = () => attempt(async () => store.change({ kind: "system", health: steadied(await io.call("getFullHealth", {})) }));
  let rounds = 0;
  const figures = async (): Promise<void> => {
    await attempt(async () => store.change({ kind: "system", pipeline: await io.call("getPipeline", {}) }));
    await attempt(async () => store.change({ kind: "system", telemetry: await io.call("getTelemetry", {}) }));
    rounds += 1;
    if (rounds % 2 === 1) return;
    await attempt(async () => {
      const { cameras } = await io.call("listCameras", { query: { limit: largestPage } });
      store.change({ kind: "cameras", cameras });
    });
  };
  await Promise.all([again(pollMs, health), again(2 * pollMs, figures)]);
}

/** The daemon wants another key: waiting does not help. */
function isRefusal(error: unknown): boolean {
  return error instanceof Problem && (error.kind === "unauthorized" || error.kind === "forbidden");
}
