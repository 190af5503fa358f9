import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { heldBytes } from "../../support/garbage.ts";
import { delay, entry, type LiveServer, liveServer, type Message, Peer, upTo } from "./harness.ts";

/** The limits of the daemon, with fewer connections. */
const limits = {
  connections: { perAddress: 3, inAll: 5 },
  clientAddress: ({ headers }: { readonly headers: Record<string, unknown> }) => String(headers["x-address"] ?? "127.0.0.1"),
  messages: { perSecond: 20, burst: 20 },
};

let database: TestDatabase;
let live: LiveServer;
const peers: Peer[] = [];
const sockets: Socket[] = [];
const peer = (path = "/ws/events", address?: string): Peer => {
  const made = new Peer(live.url, path, address === undefined ? {} : { headers: { "x-address": address } });
  peers.push(made);
  return made;
};

beforeEach(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  for (const made of peers.splice(0)) made.socket.terminate();
  for (const socket of sockets.splice(0)) socket.destroy();
  await live.stop();
  await database.close();
});

const start = async (...options: Parameters<typeof liveServer> extends [unknown, ...infer Rest] ? Rest : never): Promise<void> => {
  live = await liveServer(database.db, ...options);
};

/** A masked frame of a client, with a key of zeros. */
function frame(opcode: number, payload: Buffer): Buffer {
  const head = payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 255];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...head, 0, 0, 0, 0]), payload]);
}
const text = (message: unknown): Buffer => frame(1, Buffer.from(JSON.stringify(message)));

/** A client that sends frames as fast as it can and reads nothing. With `allowHalfOpen` it never ends the connection. */
async function deafClient({ allowHalfOpen = false } = {}): Promise<Socket> {
  const socket = connect({ port: live.port, host: "127.0.0.1", allowHalfOpen });
  sockets.push(socket);
  socket.on("error", () => {});
  const lines = ["GET /ws/events HTTP/1.1", "Host: 127.0.0.1", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
  socket.write(`${lines.join("\r\n")}\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\n\r\n`);
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  return socket;
}

/** Sends until the connection takes no more for a moment, or `most` bytes are sent. Returns the bytes. */
async function sendAll(socket: Socket, bytes: Buffer, most: number): Promise<number> {
  let sent = 0;
  while (sent < most && !socket.destroyed) {
    sent += bytes.length;
    if (!socket.write(bytes)) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), delay(500)]);
  }
  return sent;
}

describe("messages of one client", () => {
  test("message limit: 20 messages at once and 20 a second are answered; more close the connection with 1008", async () => {
    await start({ limits });
    const steady = peer();
    const greedy = peer();
    await Promise.all([steady.ofType("connected"), greedy.ofType("connected")]);
    for (let count = 0; count < 19; count += 1) steady.send({ type: "ping" });
    for (let count = 0; count < 21; count += 1) greedy.send({ type: "ping" });
    expect(await greedy.closed).toEqual({ code: 1008, reason: "Too many messages" });
    for (let count = 0; count < 10; count += 1) {
      await delay(60);
      steady.send({ type: "ping" });
    }
    expect(steady.socket.readyState).toBe(steady.socket.OPEN);
  });

  test("message limit: control frames of the protocol count too", async () => {
    await start({ limits });
    const pinging = peer();
    await pinging.ofType("connected");
    for (let count = 0; count < 30; count += 1) pinging.socket.ping();
    expect((await pinging.closed).code).toBe(1008);
  });

  test("message limit: a client that sends on and does not answer the close is cut within seconds", async () => {
    await start({ limits });
    const socket = await deafClient();
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await sendAll(socket, Buffer.concat(Array.from({ length: 100 }, () => text({ type: "ping" }))), 10_000);
    socket.resume();
    await Promise.race([closed, delay(5_000).then(() => Promise.reject(new Error("still open")))]);
    await eventually(() => live.hub.stats().connectedClients === 0);
  });
});

describe("replies that are not read", () => {
  test("pongs: a client gets the newest one when it reads, not one for each ping that it sent meanwhile", async () => {
    await start();
    const client = peer();
    await client.ofType("connected");
    for (let count = 0; count < 1_000; count += 1) client.send({ type: "ping" });
    client.send({ type: "subscribe", data: { types: ["*"] } });
    await client.ofType("subscribed");
    const pongs = client.messages.filter(({ type }: Message) => type === "pong").length;
    expect(pongs).toBeGreaterThan(0);
    expect(pongs).toBeLessThan(1_000);
    client.messages.length = 0;
    client.send({ type: "ping" });
    await client.ofType("pong");
  });

  test.each([
    ["ping messages", text({ type: "ping" })],
    ["pings of the protocol", frame(9, Buffer.alloc(125))],
  ])("pongs: ten clients that send %s without reading cost no memory", async (_what, ping) => {
    await start();
    const clients = await Promise.all(Array.from({ length: 10 }, () => deafClient()));
    const many = Buffer.concat(Array.from({ length: 1_000 }, () => ping));
    const before = heldBytes();
    await Promise.all(clients.map((socket) => sendAll(socket, many, 3_000_000)));
    await delay(300);
    expect((heldBytes() - before) / 1e6).toBeLessThan(25);
    expect(live.hub.stats().cutSlow).toBe(0);
  });

  test("control replies: a client that causes many and reads none is disconnected at 256 KiB", async () => {
    await start();
    const socket = await deafClient();
    const reading = peer();
    await reading.ofType("connected");
    await sendAll(socket, Buffer.concat(Array.from({ length: 500 }, () => text({ type: "nonsense" }))), 60_000_000);
    await eventually(() => live.hub.stats().cutSlow === 1);
    await live.publish([entry(1)]);
    await reading.upTo(1);
  });
});

describe("a message that never ends", () => {
  test("incoming messages: one of over 256 KiB is not read, and its connection is closed with 1009", async () => {
    await start();
    const client = peer();
    await client.ofType("connected");
    client.send("x".repeat(256 * 1024 + 1));
    expect((await client.closed).code).toBe(1009);
  });

  test("incoming messages: thousands of tiny fragments close the connection", async () => {
    await start();
    const socket = await deafClient();
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.resume();
    const fragment = Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x78]);
    socket.write(Buffer.concat([Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0x78]), ...Array.from({ length: 5_000 }, () => fragment)]));
    await closed;
  });
});

describe("connections", () => {
  test("connections: more than the limit of an address, or of all, are refused with 1008; one that ends makes room", async () => {
    await start({ limits });
    const mine = [peer("/ws", "192.0.2.1"), peer("/ws", "192.0.2.1"), peer("/ws", "192.0.2.1")];
    for (const each of mine) await each.ofType("connected");
    expect(await peer("/ws", "192.0.2.1").closed).toEqual({ code: 1008, reason: "Too many connections" });
    for (const address of ["192.0.2.2", "192.0.2.3"]) await peer("/ws", address).ofType("connected");
    expect(await peer("/ws", "192.0.2.4").closed).toEqual({ code: 1008, reason: "Too many connections" });
    mine[0]?.socket.terminate();
    await eventually(() => live.hub.stats().connectedClients === 4);
    await peer("/ws", "192.0.2.1").ofType("connected");
  });

  test("connections: a refused client that does not answer the close is cut", async () => {
    await start({ allowConnection: () => false });
    const socket = await deafClient();
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.resume();
    await Promise.race([closed, delay(5_000).then(() => Promise.reject(new Error("still open")))]);
    await eventually(async () => (await live.connections()) === 0);
  });

  test("connections: a refused client that sends on is kept for a while and not read, so that it does not connect again at once", async () => {
    await start({ allowConnection: () => false });
    const socket = await deafClient({ allowHalfOpen: true });
    await delay(1_500);
    socket.write(Buffer.alloc(32_000_000));
    await delay(500);
    // the buffers of the system take a part of it, and no one reads them
    expect(socket.writableLength).toBeGreaterThan(10_000_000);
    expect(await live.connections()).toBe(1);
  });
});

describe("history that is not read", () => {
  test("replay: clients that do not read long messages hold less than a megabyte each", async () => {
    await start();
    const long = { type: "worker_status", data: { name: "w", running: true, message: "x".repeat(100_000) } } as const;
    for (let round = 0; round < 4; round += 1) await live.publish(Array.from({ length: 25 }, () => long));
    await eventually(async () => (await headOf()) === 100);
    await live.stop();
    await start();
    const before = heldBytes();
    const clients = Array.from({ length: 6 }, () => peer("/ws/events?since=0"));
    for (const client of clients) client.socket.once("open", () => client.socket.pause());
    await delay(2_000);
    // messages on their way are freed within a moment; memory held for a client stays until it reads
    await expect.poll(() => (heldBytes() - before) / 1e6, { interval: 300, timeout: 10_000 }).toBeLessThan(6);
    for (const client of clients) client.socket.resume();
    for (const client of clients) await client.upTo(100);
    for (const client of clients) expect(client.sequences).toEqual(upTo(100));
  });

  const headOf = async (): Promise<number> => {
    const rows = await database.db.query((sql) => sql<{ head: number }[]>`select last_sequence as head from journal_head`);
    return rows[0]?.head ?? 0;
  };
});
