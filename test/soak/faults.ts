import { setTimeout as sleep } from "node:timers/promises";
import WebSocket from "ws";
import { chanceFrom } from "../support/chance.ts";
import { childrenRunning } from "../support/children.ts";
import { eventually } from "../support/eventually.ts";
import type { ReceiverAnswer } from "../support/receiver.ts";
import type { StandInMode } from "../support/upstream.ts";
import type { Home } from "./home.ts";

/** A temporary fault. */
export interface Fault {
  readonly name: string;
  /** Causes it. The returned function ends a lasting fault; an instantaneous one returns nothing. */
  begin(home: Home, lastsMs: number): Promise<(() => Promise<void>) | undefined>;
  /** Its effects are over within half a minute, so that a short run can include it. */
  readonly quick?: true;
}

const modes = ["down", "hang", "slow", "reset", "garbage", "error"] as const satisfies readonly StandInMode[];

const service = (name: "detector" | "model", mode: StandInMode): Fault => ({
  name: `${name} ${mode}`,
  ...(mode === "reset" && { quick: true }),
  begin: async (home) => {
    await home[name].setMode(mode);
    return () => home[name].setMode("ok");
  },
});

const target = (name: "channel" | "hook", how: string, answer: ReceiverAnswer): Fault => ({
  name: `${name === "hook" ? "outbound webhook" : "webhook channel"} ${how}`,
  begin: async (home) => {
    home[name].answerWith((_, index) => (index % 5 === 0 ? { status: 200 } : answer));
    return async () => home[name].answerWith(() => ({ status: 200 }));
  },
});

const later = { code: 451, text: "4.3.0 later" };
const mail = (how: string, options: Parameters<Home["mailServer"]>[0]): Fault => ({
  name: `mail server ${how}`,
  begin: async (home) => {
    await home.mailServer(options);
    return () => home.mailServer({});
  },
});

/** Something must have recovered before it can break again. */
const patience = { timeoutMs: 60_000 } as const;
const database = (home: Home): Promise<unknown> =>
  eventually(() => home.query((sql) => sql`select 1`), { ...patience, what: "the database" });

/** Repeatedly kills some of the database's connections. */
const backends: Fault = {
  name: "connections to the database killed",
  quick: true,
  begin: async (home, lastsMs) => {
    await database(home);
    for (const until = performance.now() + lastsMs; performance.now() < until; ) {
      await home.query(
        (sql) => sql`
        select pg_terminate_backend(a.pid)
        from pg_stat_activity a
        where a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
        order by a.state_change desc
        limit 3`,
      );
      await sleep(500);
    }
    return undefined;
  },
};

const server: Fault = {
  name: "database server killed",
  quick: true,
  begin: async (home) => {
    await database(home);
    const [row] = await home.query(
      (sql) => sql<[{ pid: number }]>`select (regexp_match(pg_read_file('postmaster.pid'), '^[0-9]+'))[1]::int as pid`,
    );
    process.kill(row.pid, "SIGKILL");
    return undefined;
  },
};

const builtin: Fault = {
  name: "built-in service killed",
  quick: true,
  begin: async ({ daemon }) => {
    const running = (): readonly number[] | undefined => {
      const pids = childrenRunning(daemon.pid, "builtin");
      return pids.length > 0 ? pids : undefined;
    };
    const pids = await eventually(running, { ...patience, what: "a built-in service" });
    for (const pid of pids) process.kill(pid, "SIGKILL");
    return undefined;
  },
};

/** Clients that connect, one of them without reading, and vanish. */
const clients: Fault = {
  name: "30 live clients, cut off",
  quick: true,
  begin: async ({ daemon }) => {
    const sockets = Array.from({ length: 30 }, () => new WebSocket(`${daemon.url.replace("http", "ws")}/ws/events?since=0`));
    for (const socket of sockets) socket.on("error", () => {});
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("open", resolve).once("close", resolve))));
    sockets[0]?.pause();
    return async () => {
      for (const socket of sockets) socket.terminate();
    };
  },
};

/** Exports and pictures that are not read to the end. */
const readers: Fault = {
  name: "readers that go away",
  quick: true,
  begin: async ({ daemon }, lastsMs) => {
    const paths = [
      "/api/events/export?format=csv",
      "/api/events/export?format=xlsx",
      "/api/cameras/front/snapshot",
      "/api/detections?limit=1000",
    ];
    for (const until = performance.now() + lastsMs; performance.now() < until; ) {
      await Promise.all(
        paths.map(async (path, at) => {
          const stop = new AbortController();
          const answer = fetch(`${daemon.url}${path}`, { signal: stop.signal });
          setTimeout(() => stop.abort(), 5 + 5 * at);
          await answer.then((response) => response.arrayBuffer()).catch(() => {});
        }),
      );
      await sleep(300);
    }
    return undefined;
  },
};

export const faults: readonly Fault[] = [
  ...modes.map((mode) => service("detector", mode)),
  ...modes.map((mode) => service("model", mode)),
  ...(["channel", "hook"] as const).flatMap((name) => [
    target(name, "503", { status: 503 }),
    target(name, "reset", "reset"),
    target(name, "hang", "hang"),
  ]),
  mail("down", "down"),
  mail("says later", { onMail: (_, time) => (time % 3 === 0 ? undefined : later) }),
  mail("dies", { dieInMail: 5 }),
  ...[backends, server, builtin, clients, readers],
];

/** The faults of a run, one per step: all of them in random order before any repeats. The same for the same seed. */
export function* faultsOf(seed: number, from: readonly Fault[]): Generator<Fault, never> {
  const { below } = chanceFrom(seed);
  for (;;) {
    const left = [...from];
    while (left.length > 0) {
      const [next] = left.splice(below(left.length), 1);
      if (next) yield next;
    }
  }
}
