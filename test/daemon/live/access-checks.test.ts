import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clientAddressBehind } from "../../../daemon/http/client-address.ts";
import { type AccessCheckOptions, createAccessChecks } from "../../../daemon/live/access-checks.ts";
import { tail } from "../../../src/admin/live-client/tail.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { parseConfig } from "../../../src/platform/config/parse.ts";
import { createKeyring } from "../../../src/platform/keys/keyring.ts";
import { createLimiter } from "../../../src/platform/limits/limiter.ts";
import { allowancesOf } from "../../../src/platform/limits/tiers.ts";
import { inProcessStore } from "../../../src/platform/store/open-store.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { type LiveServer, liveServer, Peer } from "./harness.ts";

let database: TestDatabase;
let live: LiveServer | undefined;
const peers: Peer[] = [];

beforeAll(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  for (const made of peers.splice(0)) made.socket.terminate();
  await live?.stop();
});
afterAll(() => database.close());

async function start(options: Partial<AccessCheckOptions> = {}): Promise<void> {
  const clientAddress = clientAddressBehind([]);
  live = await liveServer(database.db, createAccessChecks({ allowedHosts: [], allowedOrigins: [], clientAddress, ...options }));
}

function limiter(env: Record<string, string>) {
  const { config } = parseConfig({ env, isRoot: false, home: "/home/ada", cwd: "/srv" });
  return createLimiter({ store: inProcessStore(), allowances: allowancesOf(config), clock: systemClock, log: silentLog });
}

const peer = (...options: ConstructorParameters<typeof Peer> extends [unknown, ...infer Rest] ? Rest : never): Peer => {
  const made = new Peer(live?.url ?? "", ...options);
  peers.push(made);
  return made;
};

/** The result of a connection attempt: `connected` or how it was closed. A refused client must not receive a single message. */
async function outcome(...options: Parameters<typeof peer>): Promise<string> {
  const tried = peer(...options);
  const closed = tried.closed.then(({ code, reason }) => {
    expect(tried.messages).toEqual([]);
    return `${code} ${reason}`;
  });
  return await Promise.race([tried.ofType("connected").then(() => "connected"), closed]);
}

const refused = "1008 API key missing or not valid";

describe("a key", () => {
  test("is read from the query first, and from the subprotocol only if the query has none", async () => {
    await start({ keyring: createKeyring(["right"]) });
    expect(await outcome()).toBe(refused);
    expect(await outcome("/ws/events?api_key=right")).toBe("connected");
    expect(await outcome("/ws?api_key=right")).toBe("connected");
    expect(await outcome("/ws/events?api_key=wrong")).toBe(refused);
    expect(await outcome("/ws/events", { protocols: ["api-key.right"] })).toBe("connected");
    expect(await outcome("/ws/events", { protocols: ["api-key.wrong"] })).toBe(refused);
    expect(await outcome("/ws/events", { protocols: ["right"] })).toBe(refused);
    expect(await outcome("/ws/events?api_key=wrong", { protocols: ["api-key.right"] })).toBe(refused);
    expect(await outcome("/ws/events?api_key=right", { protocols: ["api-key.wrong"] })).toBe("connected");
    expect(await outcome("/ws/events", { headers: { "X-API-Key": "right" } })).toBe(refused);
  });

  test("offered as a subprotocol is the selected subprotocol", async () => {
    await start({ keyring: createKeyring(["right"]) });
    const byProtocol = peer("/ws/events", { protocols: ["homesec", "api-key.right"] });
    await byProtocol.ofType("connected");
    expect(byProtocol.socket.protocol).toBe("api-key.right");
    const byQuery = peer("/ws/events?api_key=right", { protocols: ["homesec"] });
    await byQuery.ofType("connected");
    expect(byQuery.socket.protocol).toBe("homesec");
  });

  test("is not required if keys are disabled", async () => {
    await start();
    expect(await outcome()).toBe("connected");
    expect(await outcome("/ws/events?api_key=anything&token=anything")).toBe("connected");
  });
});

test("the connection requires a token in addition to the key if one is configured", async () => {
  await start({ keyring: createKeyring(["right"]), token: "ticket" });
  expect(await outcome("/ws/events?api_key=right&token=ticket")).toBe("connected");
  expect(await outcome("/ws/events?token=ticket", { protocols: ["api-key.right"] })).toBe("connected");
  expect(await outcome("/ws/events?api_key=right&token=other")).toBe("1008 Token missing or not valid");
  expect(await outcome("/ws/events?api_key=right")).toBe("1008 Token missing or not valid");
  expect(await outcome("/ws/events?token=ticket")).toBe(refused);
});

test("connections count in their own tier, even those without a key", async () => {
  await start({ limiter: limiter({ RATE_LIMIT_WEBSOCKET_CONNECTIONS_PER_MINUTE: "1" }), keyring: createKeyring(["right"]) });
  expect(await outcome("/ws/events?api_key=right")).toBe("connected");
  expect(await outcome()).toBe(refused);
  expect(await outcome("/ws/events?api_key=right")).toBe("connected");
  expect(await outcome("/ws/events?api_key=right")).toBe("1008 Too many connections");
  expect(await outcome()).toBe("1008 Too many connections");
});

test("each client behind a proxy has its own limit", async () => {
  await start({
    limiter: limiter({ RATE_LIMIT_WEBSOCKET_CONNECTIONS_PER_MINUTE: "1" }),
    clientAddress: clientAddressBehind(["127.0.0.1"]),
  });
  const from = (address: string): Promise<string> => outcome("/ws/events", { headers: { "X-Forwarded-For": address } });
  for (let count = 0; count < 3; count += 1) expect(await from("192.0.2.1")).toBe("connected");
  expect(await from("192.0.2.1")).toBe("1008 Too many connections");
  expect(await from("192.0.2.2")).toBe("connected");
});

test("pages of CORS_ORIGINS may connect, and those of other sites may not", async () => {
  await start({ allowedOrigins: ["https://dashboard.example"] });
  const from = (origin: string): Promise<string> => outcome("/ws/events", { headers: { origin } });
  expect(await from("https://dashboard.example")).toBe("connected");
  expect(await from("http://127.0.0.1:3000")).toBe("connected");
  expect(await from("http://dashboard.example")).toBe("1008 Origin not allowed");
  expect(await from("null")).toBe("1008 Origin not allowed");
});

test("a foreign host is rejected before the upgrade", async () => {
  await start();
  const foreign = peer("/ws/events", { headers: { host: "evil.example" } });
  expect((await foreign.rejected).status).toBe(403);
});

test("an invalid handshake is refused in the form of every other error", async () => {
  await start();
  const { hostname, port } = new URL(live?.url ?? "");
  const handshake = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
  };
  const refused = (method: string, headers: Readonly<Record<string, string>>) =>
    new Promise<IncomingMessage & { readonly body: string }>((done, fail) => {
      request({ hostname, port, path: "/ws/events", method, headers: { ...handshake, ...headers } }, async (answer) => {
        done(Object.assign(answer, { body: await text(answer) }));
      })
        .on("error", fail)
        .end();
    });
  for (const [method, headers, status, own] of [
    ["POST", {}, 405, { allow: "GET" }],
    ["GET", { "Sec-WebSocket-Version": "7" }, 400, { "sec-websocket-version": "13, 8" }],
    ["GET", { "Sec-WebSocket-Key": "short" }, 400, {}],
  ] as const) {
    const answer = await refused(method, headers);
    expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([status, { detail: expect.any(String) }]);
    expect(answer.headers).toMatchObject({ "content-type": "application/json; charset=utf-8", "x-request-id": expect.any(String), ...own });
  }
});

describe("the client of homesec", () => {
  const first = async (options: { apiKey?: string; token?: string }): Promise<string> => {
    const enough = new AbortController();
    try {
      const messages = tail({
        url: live?.url ?? "",
        ...options,
        signal: enough.signal,
        onState: (state) => {
          if (state.kind === "connected") enough.abort();
        },
      });
      for await (const message of messages) return message.type;
      return "connected";
    } catch (error) {
      return String(error);
    }
  };

  test.each(["hs_plain-key", "needs the query: ä, ö & ü"])("connects with the key %s and reports a wrong key", async (key) => {
    await start({ keyring: createKeyring([key]), token: "a ticket" });
    expect(await first({ apiKey: key, token: "a ticket" })).toBe("connected");
    expect(await first({ apiKey: "wrong", token: "a ticket" })).toContain("wants an API key");
    expect(await first({ token: "a ticket" })).toContain("wants an API key");
    expect(await first({ apiKey: key })).toContain("Token missing or not valid");
  });
});
