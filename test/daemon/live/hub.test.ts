// Over 400 lines: the life of a connection from admission to stop, with one way to connect and to listen.
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServerMessage } from "../../../src/contract/live.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { timed } from "../../support/timed.ts";
import { append, delay, entry, type LiveServer, liveServer, Peer, upTo } from "./harness.ts";

let database: TestDatabase;
let live: LiveServer;
const peers: Peer[] = [];

const start = async (...options: Parameters<typeof liveServer> extends [unknown, ...infer Rest] ? Rest : never): Promise<void> => {
  live = await liveServer(database.db, ...options);
};
const peer = (...options: ConstructorParameters<typeof Peer> extends [unknown, ...infer Rest] ? Rest : never): Peer => {
  const made = new Peer(live.url, ...options);
  peers.push(made);
  return made;
};

beforeEach(async () => {
  database = await testDatabase();
});

afterEach(async () => {
  for (const made of peers.splice(0)) made.socket.terminate();
  await live.stop();
  await database.close();
});

describe("messages", () => {
  test("a client receives `connected` and then each change, in the contract's envelope", async () => {
    await start();
    await live.publish([entry(1)]);
    await expect
      .poll(async () => (await database.db.query((sql) => sql`select last_sequence from journal_head`))[0])
      .toEqual({ last_sequence: 1 });
    await expect.poll(() => live.hub.stats().lastBroadcast).not.toBeNull();
    const client = peer();
    const connected = await client.ofType("connected");
    expect(client.messages[0]).toBe(connected);
    expect(connected.data).toEqual({ version: "1.2.3", last_sequence: 1, idle_timeout_seconds: 60 });
    expect(connected).not.toHaveProperty("sequence");

    await live.publish([
      {
        type: "camera_status",
        data: {
          ...{ camera_id: "porch", name: 'Porch "Süd" 🏡', folder_path: "/c/porch", status: "online", last_seen_at: null },
          ...{ file_pattern: null, time_zone: null, time_template: "auto", clock_offset_seconds: null },
          ...{ created_at: new Date("2026-01-02T03:04:05.006Z"), updated_at: new Date(), deleted_at: null },
          ...{ previous_status: "offline", reason: null },
          ...({ password: "not in the contract" } as object),
        },
      },
    ]);
    const message = await client.upTo(2);
    expect(Object.keys(message).sort()).toEqual(["data", "sequence", "timestamp", "type"]);
    expect(message.data).toMatchObject({ name: 'Porch "Süd" 🏡', created_at: "2026-01-02T03:04:05.006Z" });
    expect(message.data).not.toHaveProperty("password");
    for (const received of client.messages) expect(ServerMessage.safeParse(received).success).toBe(true);
  });

  test("both paths serve the same messages; any other path is 404", async () => {
    await start();
    await peer("/ws").ofType("connected");
    expect(await peer("/ws/other").rejected).toMatchObject({
      status: 404,
      headers: { "x-request-id": expect.any(String), "content-type": expect.stringContaining("application/json") },
      body: { detail: expect.stringContaining("/ws/events") },
    });
    expect((await peer("//ws").rejected).status).toBe(404);
  });

  test("messages of every size arrive whole", async () => {
    await start();
    const client = peer();
    await client.ofType("connected");
    for (const size of [0, 20, 200, 60_000, 70_000]) {
      const worker = { name: "w", running: false, message: "ü".repeat(size) };
      await live.publish([{ type: "worker_status", data: worker }]);
      expect((await client.next((message) => (message.data["message"] as string)?.length === size)).data).toEqual(worker);
    }
  });

  test("a ping gets a pong, and a pong gets no reply", async () => {
    await start();
    const client = peer();
    await client.ofType("connected");
    client.send({ type: "pong" });
    client.send({ type: "ping" });
    expect((await client.ofType("pong")).data).toEqual({ last_sequence: 0 });
    expect(client.messages.map((message) => message.type)).toEqual(["connected", "pong"]);
  });

  test("messages sent before the greeting are answered after it", async () => {
    await append(database.db, upTo(3).map(entry));
    await start();
    const client = peer("/ws/events?since=0");
    client.socket.on("open", () => {
      client.send({ type: "subscribe", data: { types: ["event"] } });
    });
    await client.ofType("subscribed");
    expect(["gap", "connected"]).toContain(client.messages[0]?.type);
  });

  test.each([
    ["not JSON", "hello", /not JSON/],
    ["an unknown type", { type: "launch" }, /type/],
    ["a list", [], /invalid/],
    ["null", null, /invalid/],
    ["no types to subscribe to", { type: "subscribe", data: { types: [] } }, /data\.types/],
    ["over 64 KiB", `"${"x".repeat(65_536)}"`, /65538 bytes; the limit is 65536/],
    ["binary", Buffer.from('{"type":"ping"}'), /Binary/],
  ])("%s is answered with an error, and the connection stays", async (_name, message, says) => {
    await start();
    const client = peer();
    await client.ofType("connected");
    client.send(message);
    expect((await client.ofType("error")).data["message"]).toMatch(says);
    client.send({ type: "ping" });
    await client.ofType("pong");
  });

  test("a message of exactly 64 KiB is read", async () => {
    await start();
    const client = peer();
    await client.ofType("connected");
    const message = '{"type":"ping","pad":""}';
    client.send(message.replace('""', `"${"x".repeat(65_536 - message.length)}"`));
    await client.ofType("pong");
  });

  test("a message over 1 MiB closes the connection with 1009", async () => {
    await start();
    const client = peer();
    await client.ofType("connected");
    client.send("x".repeat(1024 * 1024 + 1));
    expect((await client.closed).code).toBe(1009);
  });

  test("a system status reaches only clients that subscribed to it", async () => {
    await start();
    const everything = peer();
    const events = peer();
    await everything.ofType("connected");
    await events.ofType("connected");
    events.send({ type: "subscribe", data: { types: ["event*"] } });
    await events.ofType("subscribed");
    live.hub.broadcastControl("system_status", { status: "degraded" });
    expect((await everything.ofType("system_status")).data).toEqual({ status: "degraded" });
    await live.publish([entry(1)]);
    await events.upTo(1);
    expect(events.messages.map((message) => message.type)).toEqual(["connected", "subscribed", "event.deleted"]);
  });
});

describe("subscription", () => {
  const worker = { type: "worker_status", data: { name: "w", running: true, message: null } } as const;
  const breaker = { type: "circuit_breaker", data: { name: "detector", state: "open", previous_state: "closed" } } as const;

  const ask = async (client: Peer, what: string, types: string[]): Promise<unknown> => {
    const before = client.messages.length;
    client.send({ type: what, data: { types } });
    return (await client.next((message) => message.type === "subscribed" && client.messages.indexOf(message) >= before)).data;
  };

  test("patterns select the messages, and the reply lists the active patterns", async () => {
    await start();
    const client = peer();
    await client.ofType("connected");
    expect(await ask(client, "subscribe", ["event*"])).toEqual({ types: ["event*"] });
    await live.publish([worker, entry(1), breaker]);
    await client.upTo(2);
    expect(await ask(client, "subscribe", ["circuit_breaker"])).toEqual({ types: ["event*", "circuit_breaker"] });
    await live.publish([worker, entry(2), breaker]);
    await client.upTo(6);
    expect(await ask(client, "unsubscribe", ["event*"])).toEqual({ types: ["circuit_breaker"] });
    await live.publish([worker, entry(3), breaker]);
    await client.upTo(9);
    expect(client.sequences).toEqual([2, 5, 6, 9]);
  });

  test("a type can be excluded from everything", async () => {
    await start();
    const client = peer();
    await client.ofType("connected");
    expect(await ask(client, "unsubscribe", ["worker_*"])).toEqual({ types: ["*"], except: ["worker_*"] });
    await live.publish([worker, entry(1), worker, breaker]);
    await client.upTo(4);
    expect(client.sequences).toEqual([2, 4]);
    expect(await ask(client, "subscribe", ["*"])).toEqual({ types: ["*"] });
    await live.publish([worker]);
    await client.upTo(5);
  });
});

describe("replay", () => {
  test.each([
    ["from the beginning", 0],
    ["from the middle, further back than memory goes", 700],
    ["from memory", 2_490],
    ["with nothing missed", 2_500],
  ])("%s sends exactly the missed messages in order, and then new ones", async (_name, since) => {
    await start();
    await live.publish(upTo(2_500).map(entry));
    await expect.poll(() => headOf()).toBe(2_500);
    const client = peer(`/ws/events?since=${since}`);
    await client.ofType("connected");
    await live.publish([entry(1)]);
    await client.upTo(2_501);
    expect(client.messages[0]).toMatchObject({ type: "connected", data: { last_sequence: 2_500 } });
    expect(client.sequences).toEqual(upTo(2_501, since + 1));
  });

  test("after a restart, history comes from the database", async () => {
    await start();
    await live.publish(upTo(600).map(entry));
    await expect.poll(() => headOf()).toBe(600);
    await live.stop();
    await start();
    const client = peer("/ws/events?since=10");
    await client.upTo(600);
    expect(client.sequences).toEqual(upTo(600, 11));
    expect(live.hub.stats().replayed).toBe(590);
  });

  test("if history is gone, the first message is the gap, and the rest follows", async () => {
    await start();
    await live.publish(upTo(50).map(entry));
    await expect.poll(() => headOf()).toBe(50);
    await live.stop();
    await database.db.query((sql) => sql`delete from journal where sequence <= 20`);
    await start();
    const client = peer("/ws/events?since=5");
    await client.upTo(50);
    expect(client.messages[0]).toMatchObject({ type: "gap", data: { from: 6, to: 20 } });
    expect(client.messages[1]?.type).toBe("connected");
    expect(client.sequences).toEqual(upTo(50, 21));

    const edge = peer("/ws/events?since=20");
    await edge.upTo(50);
    expect(edge.messages[0]?.type).toBe("connected");

    await database.db.query((sql) => sql`delete from journal`);
    const empty = peer("/ws/events?since=49");
    await live.publish([entry(1)]);
    await empty.upTo(51);
    expect(empty.messages.map((message) => message.type)).toEqual(["gap", "connected", "event.deleted"]);
    expect(empty.messages[0]?.data).toEqual({ from: 50, to: 50 });
  });

  test("a hole inside the history, as earlier versions left, is reported at its place", async () => {
    await start();
    await live.publish(upTo(20).map(entry));
    await expect.poll(() => headOf()).toBe(20);
    await live.stop();
    await database.db.query((sql) => sql`delete from journal where sequence in (8, 9, 15)`);
    await start();
    const client = peer("/ws/events?since=5");
    await client.upTo(20);
    const heard = client.messages.map((message) => (message.type === "gap" ? message.data : message.sequence));
    expect(heard.slice(1, 8)).toEqual([6, 7, { from: 8, to: 9 }, 10, 11, 12, 13]);
    expect(heard.slice(8)).toEqual([14, { from: 15, to: 15 }, 16, 17, 18, 19, 20]);
  });

  test("rows numbered during the history read are sent and never reported as gone", async () => {
    await start();
    await live.publish(upTo(50).map(entry));
    await expect.poll(() => headOf()).toBe(50);
    await live.stop();
    await database.db.query((sql) => sql`delete from journal`);
    let isHeld = false;
    const ask = database.db.query.bind(database.db);
    const query: Database["query"] = async (work) => {
      const answer = await ask(work);
      if (isHeld && Array.isArray(answer) && answer.length === 0) {
        isHeld = false;
        await live.publish([entry(1)]);
        await expect.poll(() => live.hub.stats().lastBroadcast).not.toBeNull();
      }
      return answer;
    };
    Object.assign(database.db, { query });
    await start();
    // the first read of the journal is over
    await delay(200);
    isHeld = true;
    const client = peer("/ws/events?since=49");
    await client.upTo(51);
    expect(client.messages.map((message) => message.type)).toEqual(["gap", "connected", "event.deleted"]);
    expect(client.messages[0]?.data).toEqual({ from: 50, to: 50 });
  });

  test("a client ahead of the journal gets a gap for the missing sequences and continues after the newest one", async () => {
    await start();
    await live.publish([entry(1), entry(2)]);
    await expect.poll(() => headOf()).toBe(2);
    const client = peer("/ws/events?since=40");
    await client.ofType("connected");
    await live.publish([entry(3)]);
    await client.upTo(3);
    expect(client.messages.map((message) => message.type)).toEqual(["gap", "connected", "event.deleted"]);
    expect(client.messages[0]?.data).toEqual({ from: 3, to: 40 });
  });

  test.each(["", "x", "-1", "1.5", "99999999999999999"])("since=%s gets an error, and the client is live", async (since) => {
    await start();
    const client = peer(`/ws/events?since=${since}`);
    expect((await client.ofType("error")).data["message"]).toContain("not a sequence");
    await live.publish([entry(1)]);
    await client.upTo(1);
    expect(client.messages.map((message) => message.type)).toEqual(["connected", "error", "event.deleted"]);
  });

  test("rows numbered by another process reach each client once and in order", async () => {
    await start({ withPublisher: false });
    const other = await liveServer(database.db);
    const here = peer();
    await here.ofType("connected");
    for (let id = 1; id <= 300; id += 1) await other.publish([entry(id)]);
    await here.upTo(300);
    expect(here.sequences).toEqual(upTo(300));
    await other.stop();
  });

  const headOf = async (): Promise<number> => {
    const probe = new Peer(live.url);
    const { data } = await probe.ofType("connected");
    probe.socket.terminate();
    return data["last_sequence"] as number;
  };
});

describe("limits", () => {
  test("a client that sends no message within the idle timeout is closed, whether or not it sends control frames", async () => {
    await start({ idleSeconds: 0.4 });
    const silent = peer();
    const pinging = peer();
    const busy = peer();
    await busy.ofType("connected");
    const controlFrames = setInterval(() => pinging.socket.ping(), 50);
    const messages = setInterval(() => busy.send({ type: "ping" }), 100);
    const begun = performance.now();
    expect(await silent.closed).toEqual({ code: 1000, reason: "Idle timeout" });
    expect(performance.now() - begun).toBeGreaterThan(250);
    expect((await pinging.closed).code).toBe(1000);
    await delay(400);
    expect(busy.socket.readyState).toBe(busy.socket.OPEN);
    clearInterval(controlFrames);
    clearInterval(messages);
  });

  test("a client that does not read is disconnected, and the others receive everything", async () => {
    await start();
    const stuck = peer();
    const reading = peer();
    await stuck.ofType("connected");
    await reading.ofType("connected");
    stuck.socket.pause();
    const big = { type: "worker_status", data: { name: "w", running: true, message: "x".repeat(256 * 1024) } } as const;
    let sent = 0;
    while (live.hub.stats().cutSlow === 0 && sent < 400) {
      await live.publish([big]);
      sent += 1;
      await reading.upTo(sent);
    }
    expect(live.hub.stats()).toMatchObject({ cutSlow: 1 });
    stuck.socket.resume();
    expect((await stuck.closed).code).toBe(1006);
    expect(reading.sequences).toEqual(upTo(sent));
    await expect.poll(() => live.hub.stats().connectedClients).toBe(1);
  });

  test("a client that does not read its replay uses no memory and stays connected", async () => {
    await start();
    const big = { type: "worker_status", data: { name: "w", running: true, message: "x".repeat(64 * 1024) } } as const;
    for (let page = 0; page < 10; page += 1) await live.publish(Array.from({ length: 64 }, () => big));
    await expect
      .poll(async () => (await database.db.query((sql) => sql`select last_sequence from journal_head`))[0])
      .toEqual({ last_sequence: 640 });
    const client = peer("/ws/events?since=0");
    await client.ofType("connected");
    client.socket.pause();
    await delay(300);
    client.socket.resume();
    await client.upTo(640);
    expect(client.sequences).toEqual(upTo(640));
    expect(live.hub.stats().cutSlow).toBe(0);
  });
});

describe("admission", () => {
  test("a page of another host is refused with 1008 and receives nothing", async () => {
    await start();
    for (const origin of ["http://evil.example", "null", "http://evil.example:8000"]) {
      const foreign = peer("/ws/events", { headers: { origin } });
      expect(await foreign.closed).toEqual({ code: 1008, reason: "Origin not allowed" });
      expect(foreign.messages).toEqual([]);
    }
    await peer("/ws/events", { headers: { origin: `http://127.0.0.1:${live.port}` } }).ofType("connected");
    await peer("/ws/events", { headers: { origin: "https://cams.home", host: "cams.home" } }).ofType("connected");
  });

  test("a refused key or limit completes the upgrade and closes with 1008", async () => {
    await start({
      authenticate: (request) => {
        const protocol = request.headers["sec-websocket-protocol"]?.split(/, */).find((offered) => offered === "api-key.good");
        return protocol ? { ok: true, protocol } : { ok: false };
      },
      allowConnection: async (request) => request.headers["x-greedy"] === undefined,
      allowHost: (request) => request.headers.host !== "rebound.example",
    });
    const wrong = peer("/ws/events", { protocols: ["api-key.bad"] });
    expect((await wrong.closed).code).toBe(1008);
    expect(wrong.messages).toEqual([]);
    expect(wrong.socket.protocol).toBe("api-key.bad");
    const good = peer("/ws/events", { protocols: ["other", "api-key.good"] });
    await good.ofType("connected");
    expect(good.socket.protocol).toBe("api-key.good");
    const greedy = peer("/ws/events", { protocols: ["api-key.good"], headers: { "x-greedy": "1" } });
    expect((await greedy.closed).code).toBe(1008);
    expect((await peer("/ws/events", { headers: { host: "rebound.example" } }).rejected).body).toEqual({
      detail: expect.stringContaining("rebound.example"),
    });
  });

  test("an offered subprotocol is selected if no key is required", async () => {
    await start();
    const client = peer("/ws", { protocols: ["api-key.any", "x"] });
    await client.ofType("connected");
    expect(client.socket.protocol).toBe("api-key.any");
  });

  test("a failing access check returns 500, and the next request is served", async () => {
    let failing = true;
    await start({
      allowConnection: () => {
        if (failing) throw new Error("no store");
        return true;
      },
    });
    expect((await peer().rejected).status).toBe(500);
    failing = false;
    await peer().ofType("connected");
  });

  test("upgrade requests for another protocol, or that end at once, do no harm", async () => {
    await start();
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(live.port, "127.0.0.1");
      socket.write("GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 1\r\n\r\n");
      socket.on("data", (data) => resolve(String(data)));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
    for (let count = 0; count < 20; count += 1) {
      const socket = connect(live.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write("GET /ws?since=0 HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n");
      socket.write(`Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\n\r\n`, () =>
        socket.resetAndDestroy(),
      );
    }
    await peer().ofType("connected");
    await expect.poll(() => live.hub.stats().connectedClients).toBe(1);
  });
});

test("the connection of a refused request is closed, whatever its client does", async () => {
  await start();
  const sockets = Array.from({ length: 5 }, () => connect({ port: live.port, host: "127.0.0.1", allowHalfOpen: true }));
  const answers = sockets.map(async (socket) => {
    socket.on("error", () => {});
    socket.write("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nmore");
    return await new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
  });
  expect(await Promise.all(answers)).toEqual(Array(5).fill(expect.stringMatching(/^HTTP\/1\.1 404/)));
  await expect.poll(() => live.connections()).toBe(0);
  for (const socket of sockets) socket.destroy();
});

test("a client that reads stays connected even if one round exceeds the limit for unsent bytes", async () => {
  await start();
  const client = peer();
  await client.ofType("connected");
  const data = {
    ...{ alertname: "a", status: "firing" as const, severity: "info", component: "c", summary: "", fingerprint: "f", receiver: "r" },
    ...{ description: "x".repeat(3 * 1024 * 1024), started_at: new Date() },
  };
  await live.publish(Array.from({ length: 3 }, () => ({ type: "infrastructure_alert", data })));
  await expect.poll(() => client.messages.filter(({ type }) => type === "infrastructure_alert").length).toBe(3);
  expect(live.hub.stats().cutSlow).toBe(0);
});

describe("stop", () => {
  test("all clients are closed with 1001, and a client that does not reply delays the stop by one second at most", timed, async () => {
    await start();
    const polite = peer();
    const deaf = peer();
    await polite.ofType("connected");
    await deaf.ofType("connected");
    deaf.socket.pause();
    const begun = performance.now();
    await live.hub.stop();
    expect(performance.now() - begun).toBeLessThan(1_500);
    expect((await polite.closed).code).toBe(1001);
    expect(live.hub.stats()).toMatchObject({ connectedClients: 0, running: false });
    expect((await peer().rejected).status).toBe(503);
  });
});
