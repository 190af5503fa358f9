import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type TailOptions, type TailState, tail } from "../../../src/admin/live-client/tail.ts";
import type { GapMessage, JournalMessage } from "../../../src/contract/live.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { timed } from "../../support/timed.ts";
import { append, delay, entry, type LiveServer, liveServer, upTo } from "./harness.ts";

let database: TestDatabase;
let server: LiveServer | undefined;
let passage: Passage | undefined;
const aborts: AbortController[] = [];

beforeEach(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  for (const abort of aborts.splice(0)) abort.abort();
  await passage?.close();
  await server?.stop();
  passage = undefined;
  server = undefined;
  await database.close();
});

const serve = async (options: Parameters<typeof liveServer>[1] = {}): Promise<LiveServer> => {
  server = await liveServer(database.db, options);
  return server;
};

interface Follower {
  readonly messages: (JournalMessage | GapMessage)[];
  readonly states: TailState[];
  readonly done: Promise<unknown>;
  abort(): void;
}

/** Tails in the background and stores the messages. `done` resolves with the reason for its end. */
function follow(url: string, options: Partial<TailOptions> = {}): Follower {
  const abort = new AbortController();
  aborts.push(abort);
  const messages: (JournalMessage | GapMessage)[] = [];
  const states: TailState[] = [];
  const done = (async () => {
    for await (const message of tail({ url, signal: abort.signal, onState: (state) => states.push(state), ...options }))
      messages.push(message);
    return "ended";
  })().catch((error: unknown) => error);
  return { messages, states, done, abort: () => abort.abort() };
}

const sequences = ({ messages }: Follower): number[] => messages.flatMap((message) => (message.type === "gap" ? [] : message.sequence));
const connected = async ({ states }: Follower): Promise<void> => {
  await expect.poll(() => states.some((state) => state.kind === "connected"), { interval: 5 }).toBe(true);
};

/** A proxy to the server that can be cut or go silent. */
class Passage {
  readonly #listener: Server;
  readonly #pairs = new Set<Socket>();
  readonly url: string;
  accepted = 0;
  silent = false;

  private constructor(listener: Server) {
    this.#listener = listener;
    this.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  }

  static async to(port: number): Promise<Passage> {
    const listener = createServer();
    await new Promise<void>((resolve) => {
      listener.listen(0, "127.0.0.1", resolve);
    });
    const made = new Passage(listener);
    listener.on("connection", (near) => {
      made.accepted += 1;
      const far = connect(port, "127.0.0.1");
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        made.#pairs.add(from);
        from.on("data", (data) => {
          if (!made.silent) to.write(data);
        });
        from.on("error", () => to.destroy());
        from.on("close", () => {
          made.#pairs.delete(from);
          to.destroy();
        });
      }
    });
    return made;
  }

  cut(): void {
    for (const socket of this.#pairs) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => {
      this.#listener.close(resolve);
    });
  }
}

describe("messages passed on", () => {
  test("tail yields decoded messages from now on and ends on abort", async () => {
    const { url, publish } = await serve();
    await publish([entry(1)]);
    await expect
      .poll(async () => (await database.db.query((sql) => sql`select last_sequence from journal_head`))[0])
      .toEqual({ last_sequence: 1 });
    await expect.poll(() => server?.hub.stats().lastBroadcast).not.toBeNull();
    const follower = follow(url);
    await connected(follower);
    await publish([entry(2)]);
    await expect.poll(() => follower.messages.length).toBe(1);
    expect(follower.messages[0]).toEqual({ type: "event.deleted", data: { id: 2 }, sequence: 2, timestamp: expect.any(Date) });
    follower.abort();
    expect(await follower.done).toBe("ended");
  });

  test("tail of some types: after a cut connection, excluded messages are neither reported missing nor read again", async () => {
    const { port, publish } = await serve();
    passage = await Passage.to(port);
    const follower = follow(passage.url, { types: ["worker_*"], pingMs: 50 });
    await connected(follower);
    await publish(upTo(40).map(entry));
    await expect.poll(() => follower.states).toContainEqual({ kind: "passed", sequence: 40 });
    await database.db.query((sql) => sql`delete from journal where sequence <= 30`);
    passage.cut();
    await expect.poll(() => follower.states.filter(({ kind }) => kind === "connected")).toHaveLength(2);
    await publish([{ type: "worker_status", data: { name: "w", running: true, message: null } }]);
    await expect.poll(() => follower.messages).toMatchObject([{ type: "worker_status", sequence: 41 }]);
  });

  test("tail yields history after `since`, and only the requested types", async () => {
    const { url, publish } = await serve();
    const worker = { type: "worker_status", data: { name: "w", running: true, message: null } } as const;
    await publish([entry(1), worker, entry(2), worker]);
    const follower = follow(url, { since: 1, types: ["worker_*"] });
    await expect.poll(() => sequences(follower)).toEqual([2, 4]);
    await publish([entry(3), worker]);
    await expect.poll(() => sequences(follower)).toEqual([2, 4, 6]);
  });

  test("tail reports a gap if history is gone or the daemon has another journal", async () => {
    const { url, publish } = await serve();
    await append(database.db, upTo(10).map(entry));
    server?.publisher.wake();
    await expect
      .poll(async () => (await database.db.query((sql) => sql`select last_sequence from journal_head`))[0])
      .toEqual({ last_sequence: 10 });
    await server?.stop();
    await database.db.query((sql) => sql`delete from journal where sequence < 8`);
    await serve({ port: Number(new URL(url).port) });
    const behind = follow(url, { since: 2 });
    const ahead = follow(url, { since: 50 });
    await connected(ahead);
    await connected(behind);
    await publish([entry(11)]);
    server?.publisher.wake();
    await expect.poll(() => sequences(behind)).toEqual([8, 9, 10, 11]);
    expect(behind.messages[0]).toMatchObject({ type: "gap", data: { from: 3, to: 7 } });
    await expect.poll(() => sequences(ahead)).toEqual([11]);
    expect(ahead.messages[0]).toMatchObject({ type: "gap", data: { from: 11, to: 50 } });
  });

  test("a message that cannot be parsed is skipped and reported, and keeps its place in the order", async () => {
    const { url, publish } = await serve();
    const follower = follow(url);
    await connected(follower);
    await database.db.query((sql) => sql`insert into journal (type, data, created_at) values ('from.the_future', '{"x": 1}', now())`);
    await publish([entry(1)]);
    await expect.poll(() => sequences(follower)).toEqual([2]);
    expect(follower.states.at(-1)).toMatchObject({ kind: "left_out", type: "from.the_future", sequence: 1 });
  });
});

describe("interruptions", () => {
  test("each message arrives once and in order despite restarts of the daemon and cut connections", async () => {
    const { port } = await serve();
    passage = await Passage.to(port);
    const followers = upTo(4).map(() => follow(passage?.url ?? "", { since: 0, random: () => Math.random() * 0.2 }));
    const last = 2_000;
    let chaos = true;
    const disturb = (async () => {
      while (chaos) {
        await delay(40 + Math.random() * 200);
        if (Math.random() < 0.7) {
          passage?.cut();
        } else {
          await server?.stop();
          await delay(Math.random() * 100);
          await serve({ port });
        }
      }
    })();
    for (let id = 1; id <= last; ) {
      const size = Math.min(last - id + 1, 1 + Math.floor(Math.random() * 20));
      await append(
        database.db,
        upTo(size).map((n) => entry(id + n - 1)),
      );
      id += size;
      server?.publisher.wake();
      await delay(Math.random() * 20);
    }
    chaos = false;
    await disturb;
    for (const follower of followers) {
      await expect.poll(() => sequences(follower).at(-1)).toBe(last);
      expect(follower.messages.map((message) => message.type)).not.toContain("gap");
      expect(sequences(follower)).toEqual(upTo(last));
      expect(follower.states.filter((state) => state.kind === "interrupted").length).toBeGreaterThan(2);
    }
  });

  test("events that happened before the first message arrived are not lost either", async () => {
    const { url, port } = await serve();
    const follower = follow(url);
    await connected(follower);
    await server?.stop();
    await append(database.db, [entry(1), entry(2)]);
    await serve({ port });
    await expect.poll(() => sequences(follower)).toEqual([1, 2]);
  });

  test("an unreachable daemon is tried again after 0.2 s, then at growing intervals", timed, async () => {
    const { url } = await serve();
    await server?.stop();
    server = undefined;
    const follower = follow(url, { random: () => 1 });
    const waits = () => follower.states.flatMap((state) => (state.kind === "interrupted" ? state.retryInMs : []));
    await expect.poll(() => waits().length).toBe(4);
    expect(waits()).toEqual([200, 400, 800, 1_600]);
    const begun = performance.now();
    follower.abort();
    expect(await follower.done).toBe("ended");
    expect(performance.now() - begun).toBeLessThan(200);
  });

  test("a daemon that goes silent is detected and disconnected", async () => {
    const { port, publish } = await serve();
    passage = await Passage.to(port);
    const follower = follow(passage.url, { pingMs: 100, deadAfterMs: 300 });
    await connected(follower);
    await delay(600);
    expect(passage.accepted).toBe(1);
    passage.silent = true;
    await publish([entry(1)]);
    await expect.poll(() => follower.states.at(-1)?.kind).not.toBe("connected");
    passage.silent = false;
    passage.cut();
    await expect.poll(() => sequences(follower)).toEqual([1]);
  });

  test("it keeps the connection from going idle, however short the daemon's timeout is", async () => {
    const { url } = await serve({ idleSeconds: 2 });
    const follower = follow(url);
    await connected(follower);
    await delay(4_200);
    expect(follower.states.map((state) => state.kind)).toEqual(["connecting", "connected"]);
  });

  test("a slow consumer gets everything, and few messages wait in memory", async () => {
    const { url, publish, hub } = await serve();
    const big = { type: "worker_status", data: { name: "w", running: true, message: "x".repeat(20_000) } } as const;
    const abort = new AbortController();
    aborts.push(abort);
    const messages = tail({ url, since: 0, signal: abort.signal });
    expect((await Promise.all([messages.next(), publish([big])]))[0].value).toMatchObject({ sequence: 1 });
    for (let round = 0; round < 40; round += 1) await publish(upTo(100).map(() => big));
    await delay(500);
    // 80 MB were published; the connection received only as much as fits into its buffers and ours
    expect(hub.stats().messagesSent).toBeLessThan(3_500);
    const got: number[] = [1];
    while (got.length < 4_001) {
      const { value } = await messages.next();
      if (value && value.type !== "gap") got.push(value.sequence);
      else throw new Error("a gap");
    }
    expect(got).toEqual(upTo(4_001));
  });
});

describe("refusals end the tail", () => {
  test.each([
    ["a wrong key", { authenticate: () => ({ ok: false }) }, "unauthorized"],
    ["a host that is not ours", { allowHost: () => false }, "forbidden"],
  ])("%s", async (_name, checks, kind) => {
    const { url } = await serve(checks);
    expect(await follow(url).done).toMatchObject({ name: "Problem", kind });
  });

  test("an address without a daemon ends the tail", async () => {
    const { url } = await serve();
    expect(await follow(`${url}/elsewhere`).done).toMatchObject({ name: "Problem", kind: "not_found" });
    expect(await follow("ftp://x").done).toMatchObject({ name: "Problem", kind: "invalid" });
  });

  test("a refusal after the first connection does not end the tail: a proxy in front of a restarting daemon may send anything", async () => {
    const { port } = await serve();
    passage = await Passage.to(port);
    const follower = follow(passage.url);
    await connected(follower);
    await server?.stop();
    await append(database.db, [entry(1)]);
    const other = createHttpServer((_request, response) => void response.writeHead(404).end());
    await new Promise<void>((resolve) => {
      other.listen(port, "127.0.0.1", resolve);
    });
    await expect.poll(() => JSON.stringify(follower.states)).toContain("status 404");
    other.closeAllConnections();
    await new Promise((resolve) => {
      other.close(resolve);
    });
    await serve({ port });
    await expect.poll(() => sequences(follower)).toEqual([1]);
  });

  test("a rate limit only delays the tail, and the key is sent along", async () => {
    let refuse = 2;
    const { url, publish } = await serve({
      allowConnection: () => {
        refuse -= 1;
        return refuse < 0;
      },
      authenticate: (request) => {
        const given = [request.headers["sec-websocket-protocol"], new URL(request.url ?? "", "http://x").searchParams.get("api_key")];
        return { ok: given.includes("api-key.abc") || given.includes("ä b") };
      },
    });
    const followers = [follow(url, { apiKey: "abc" }), follow(url, { apiKey: "ä b" })];
    for (const follower of followers) await connected(follower);
    await publish([entry(1)]);
    for (const follower of followers) await expect.poll(() => sequences(follower)).toEqual([1]);
  });
});
