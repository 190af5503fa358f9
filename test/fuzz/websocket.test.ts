import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ServerMessage } from "../../src/contract/live.ts";
import { Peer } from "../daemon/live/harness.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { anyJsonText, mutatedJson } from "./json.ts";
import { holds, testTimeoutMs } from "./support.ts";

let database: TestDatabase;
let daemon: TestDaemon;
/** A well-behaved client that must not notice the others. */
let bystander: Peer;

beforeAll(async () => {
  database = await testDatabase();
  daemon = await testDaemon({
    env: {
      ...{ DATABASE_URL: database.url, DETECTOR_URL: "http://127.0.0.1:9", LANGUAGE_MODEL_URL: "http://127.0.0.1:9" },
      // the bystander sends nothing while the other clients misbehave
      WEBSOCKET_IDLE_TIMEOUT_SECONDS: "3600",
    },
  });
  bystander = new Peer(daemon.url);
  await bystander.ofType("connected");
});
afterAll(async () => {
  bystander.socket.terminate();
  await daemon.stop();
  await database.close();
});

/** Checks that the bystander and a plain request get answers, and that no other client still counts as connected. */
async function unharmed(): Promise<void> {
  const before = bystander.messages.filter(({ type }) => type === "pong").length;
  bystander.send({ type: "ping" });
  await eventually(() => bystander.messages.filter(({ type }) => type === "pong").length > before);
  expect((await fetch(`${daemon.url}/health`)).status).toBe(200);
  await eventually(async () => {
    const { websocket } = (await (await fetch(`${daemon.url}/api/system/telemetry`)).json()) as {
      websocket: { connected_clients: number };
    };
    return websocket.connected_clients === 1;
  });
}

/* Messages */

const said = fc.oneof(
  anyJsonText,
  mutatedJson([
    { type: "ping" },
    { type: "subscribe", data: { types: ["alert_*", "event", "*"] } },
    { type: "unsubscribe", data: { types: ["*"] } },
    { type: "pong", data: {} },
  ]),
);

test(
  "fuzz WebSocket: any message gets one valid answer, and the connection stays open",
  async () => {
    const peer = new Peer(daemon.url);
    onTestFinished(() => peer.socket.terminate());
    await peer.ofType("connected");
    await holds(said, { few: 80, many: 20_000 }, async (text) => {
      peer.messages.length = 0;
      peer.send(text);
      peer.send({ type: "ping" });
      await peer.next(() => peer.messages.at(-1)?.type === "pong" && (peer.messages.length > 1 || isUnanswered(text)));
      expect(peer.messages.length).toBeLessThanOrEqual(2);
      for (const message of peer.messages) expect(ServerMessage.safeParse(message).success).toBe(true);
      // patterns accumulate, so each input starts without any
      if (peer.messages[0]?.type === "subscribed") {
        peer.messages.length = 0;
        peer.send({ type: "unsubscribe", data: { types: ["*"] } });
        await peer.ofType("subscribed");
      }
    });
    peer.socket.terminate();
    await unharmed();
  },
  testTimeoutMs,
);

/** A `pong` gets no answer. */
function isUnanswered(text: string): boolean {
  try {
    return (JSON.parse(text) as { type?: unknown } | null)?.type === "pong";
  } catch {
    return false;
  }
}

/* Frames */

interface Frame {
  readonly fin: boolean;
  /** The three reserved bits. */
  readonly reserved: number;
  readonly opcode: number;
  readonly masked: boolean;
  /** The length in the header; undefined for the actual length. */
  readonly claimed: bigint | undefined;
  readonly payload: Buffer;
}

const payload = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom('{"type":"ping"}', "hello", "[".repeat(1_000), "").map((text) => Buffer.from(text)),
  // truncated and overlong sequences, surrogates, code points above the last one
  fc.constantFrom("c3", "c080", "eda080", "f8888080", "f4908080", "00ff").map((hex) => Buffer.from(hex, "hex")),
  fc.constantFrom(126, 65_535, 65_536, 300_000).map((size) => Buffer.alloc(size, "x")),
);
const frame: fc.Arbitrary<Frame> = fc.record({
  fin: fc.boolean(),
  reserved: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 7 }) }),
  opcode: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(0, 1, 2, 8, 9, 10) }, { weight: 1, arbitrary: fc.nat({ max: 15 }) }),
  masked: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  claimed: fc.option(fc.constantFrom(0n, 125n, 126n, 65_536n, 2_000_000n, 2n ** 31n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n), {
    nil: undefined,
    freq: 8,
  }),
  payload,
});

function wireOf({ fin, reserved, opcode, masked, claimed, payload: bytes }: Frame): Buffer {
  const first = (fin ? 0x80 : 0) | (reserved << 4) | opcode;
  const length = claimed ?? BigInt(bytes.length);
  const head =
    length < 126n
      ? Buffer.from([first, (masked ? 0x80 : 0) | Number(length)])
      : length < 65_536n
        ? Buffer.from([first, (masked ? 0x80 : 0) | 126, Number(length >> 8n), Number(length & 255n)])
        : Buffer.concat([Buffer.from([first, (masked ? 0x80 : 0) | 127]), eightBytes(length)]);
  if (!masked) return Buffer.concat([head, bytes]);
  const key = Buffer.from([1, 2, 3, 4]);
  return Buffer.concat([head, key, bytes.map((byte, at) => byte ^ (key[at % 4] as number))]);
}

function eightBytes(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

const upgrade = (lines: readonly string[] = []): string =>
  [
    "GET /ws/events HTTP/1.1",
    "Host: 127.0.0.1",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...lines,
    "",
    "",
  ].join("\r\n");

/** A plain TCP connection. */
function rawConnection(): Promise<{ readonly socket: Socket; received(): Buffer; readonly ended: Promise<void> }> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(daemon.url).port), "127.0.0.1");
    let all: Buffer = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      all = Buffer.concat([all, chunk]);
    });
    const ended = new Promise<void>((done) => {
      socket.once("close", () => done());
    });
    socket.once("connect", () => resolve({ socket, received: () => all, ended }));
    // the server may close the connection
    socket.on("error", (error) => reject(error));
  });
}

/** The opcodes and close codes of the server's frames after the handshake. Fails if the server masks a frame. */
function framesIn(bytes: Buffer): { readonly opcodes: number[]; readonly closeCodes: number[] } {
  const opcodes: number[] = [];
  const closeCodes: number[] = [];
  let at = bytes.indexOf("\r\n\r\n") + 4;
  while (at + 2 <= bytes.length) {
    const opcode = (bytes[at] as number) & 15;
    const short = (bytes[at + 1] as number) & 127;
    expect((bytes[at + 1] as number) & 128, "a server masks nothing").toBe(0);
    const [size, head] =
      short < 126 ? [short, 2] : short === 126 ? [bytes.readUInt16BE(at + 2), 4] : [Number(bytes.readBigUInt64BE(at + 2)), 10];
    opcodes.push(opcode);
    if (opcode === 8 && size >= 2) closeCodes.push(bytes.readUInt16BE(at + head));
    at += head + size;
  }
  return { opcodes, closeCodes };
}

test(
  "fuzz WebSocket: any frames are answered, or the connection is closed with a code for the reason",
  async () => {
    await holds(fc.array(frame, { minLength: 1, maxLength: 5 }), { few: 30, many: 8_000 }, async (frames) => {
      const { socket, received, ended } = await rawConnection();
      socket.write(upgrade());
      await eventually(() => received().includes("connected"));
      socket.write(Buffer.concat(frames.map(wireOf)));
      // the server forgets a client that leaves in the middle of a frame, and tells a rejected client why
      socket.end();
      await ended;
      expect(received().toString("latin1", 0, 40)).toMatch(/^HTTP\/1\.1 101 /);
      const { opcodes, closeCodes } = framesIn(received());
      expect(opcodes.filter((opcode) => ![1, 8, 9, 10].includes(opcode))).toEqual([]);
      expect(closeCodes.length).toBeLessThanOrEqual(1);
      for (const code of closeCodes)
        expect(code >= 1_000 && code < 5_000 && ![1_004, 1_005, 1_006, 1_011].includes(code), `${code}`).toBe(true);
    });
    await unharmed();
  },
  testTimeoutMs,
);

test("fuzz WebSocket: a frame that claims to be huge is rejected before it arrives", async () => {
  for (const claimed of [1_048_577n, 2n ** 31n, 2n ** 53n, 2n ** 63n]) {
    const { socket, received, ended } = await rawConnection();
    socket.write(upgrade());
    await eventually(() => received().includes("connected"));
    socket.write(wireOf({ fin: true, reserved: 0, opcode: 1, masked: true, claimed, payload: Buffer.alloc(10) }));
    await ended;
    expect(framesIn(received()).closeCodes).toEqual([1_009]);
  }
});

/* Upgrades */

const headerLine = fc.oneof(
  fc.constantFrom(
    ...["Sec-WebSocket-Version: 0", "Sec-WebSocket-Version: 99999999999", "Sec-WebSocket-Key: x", "Sec-WebSocket-Key:", "Upgrade: h2c"],
    ...["Sec-WebSocket-Protocol: api-key.", "Sec-WebSocket-Protocol: ,,,", "Sec-WebSocket-Protocol: a b", "Sec-WebSocket-Protocol: é"],
    ...[
      "Sec-WebSocket-Extensions: permessage-deflate; x=",
      "Sec-WebSocket-Extensions: ;;;",
      "Origin: null",
      "Origin: http://[",
      "Origin: é",
    ],
    ...["Host: x", "Host: [::1", "Host: ", "Content-Length: 5", "Transfer-Encoding: chunked", "X-Forwarded-For: é"],
  ),
  fc
    .tuple(fc.constantFrom("Origin", "Host", "Sec-WebSocket-Protocol", "Sec-WebSocket-Key", "Cookie"), fc.string({ maxLength: 60 }))
    .map(([name, value]) => `${name}: ${value.replace(/[\r\n\0]/g, "")}`),
);
const target = fc.oneof(
  fc.constantFrom(
    "/ws",
    "/ws/events",
    "/ws/",
    "//ws",
    "/",
    "*",
    "/ws?since=-1",
    "/ws?since=99999999999999999999",
    "/ws?since=%",
    "/ws?%=%",
  ),
  fc.constantFrom("http://other/ws", "/ws#x", "/ws?since=1&since=2", "/%77s", "/ws?api_key=%ff&token=%00", `/ws?${"x".repeat(9_000)}`),
  fc.tuple(fc.constantFrom("/ws?since=", "/ws/events?", "/ws"), fc.webFragments({ size: "small" })).map(([path, rest]) => path + rest),
);

test(
  "fuzz WebSocket: any upgrade is accepted or rejected, and never causes an internal error",
  async () => {
    await holds(fc.tuple(target, fc.array(headerLine, { maxLength: 4 })), { few: 40, many: 8_000 }, async ([asked, lines]) => {
      const { socket, received, ended } = await rawConnection();
      // sent as Latin-1, so that é is invalid UTF-8
      socket.write(
        upgrade(lines).replace("/ws/events", () => asked),
        "latin1",
      );
      await Promise.race([ended, eventually(() => received().includes("\r\n\r\n"))]);
      socket.destroy();
      const [, status = ""] = /^HTTP\/1\.1 (\d+) /.exec(received().toString("latin1")) ?? [];
      expect(["101", "400", "403", "404", "405", "426", "431"]).toContain(status);
    });
    await unharmed();
  },
  testTimeoutMs,
);
