import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createOutbound, type Outbound, type OutboundRequest } from "../../../src/platform/outbound/outbound.ts";
import { eventually } from "../../support/eventually.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

let receiver: Receiver;
let outbound: Outbound;

beforeEach(async () => {
  receiver = await startReceiver();
  outbound = createOutbound({ allow: [] });
});
afterEach(async () => {
  await outbound.close();
  await receiver.close();
});

const ask = (url: string, more: Partial<OutboundRequest> = {}) =>
  outbound.post({ url, headers: { "content-type": "application/json" }, body: '{"ü":1}', timeoutMs: 10_000, ...more });

/** A server that does not speak HTTP; each connection is passed to `talk`. */
async function rawServer(talk: (socket: Socket) => void): Promise<{ port: number; open: Set<Socket>; close(): Promise<void> }> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket
      .on("close", () => open.delete(socket))
      .on("error", () => {})
      .resume();
    talk(socket);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: (server.address() as { port: number }).port,
    open,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of open) socket.destroy();
      }),
  };
}

describe("outbound request", () => {
  it("outbound request: arrives unchanged and once, with homesec's name", async () => {
    receiver.answer = { status: 202, headers: { "retry-after": "7" }, body: "thanks ✓" };
    expect(await ask(`${receiver.url}/hook?chat=1#x`, { headers: { "Content-Type": "application/json", "X-Mine": "yes" } })).toEqual({
      kind: "answered",
      status: 202,
      retryAfter: "7",
      body: "thanks ✓",
      ms: expect.any(Number),
    });
    expect(receiver.requests).toEqual([
      {
        method: "POST",
        url: "/hook?chat=1",
        body: '{"ü":1}',
        headers: {
          host: new URL(receiver.url).host,
          "content-type": "application/json",
          "content-length": "8",
          "x-mine": "yes",
          "user-agent": expect.stringMatching(/^homesec\/\d/),
          accept: "*/*",
          "accept-encoding": "identity",
          connection: "close",
        },
      },
    ]);
  });

  it("outbound request: the body may be bytes, or empty", async () => {
    await ask(receiver.url, { body: Buffer.from([0x61, 0x62]) });
    await ask(receiver.url, { body: "" });
    expect(receiver.requests.map(({ body, headers }) => [body, headers["content-length"]])).toEqual([
      ["ab", "2"],
      ["", "0"],
    ]);
  });

  it.each([
    ["Host", "example.org"],
    ["Content-Length", "1"],
    ["transfer-encoding", "chunked"],
    ["Connection", "keep-alive"],
    ["Upgrade", "websocket"],
    ["Expect", "100-continue"],
    ["Proxy-Authorization", "Basic c2VjcmV0"],
    ["X-Break", "a\r\nHost: example.org"],
    ["X Space", "a"],
    ["X-Null", "a\0b"],
    ["", "a"],
  ])("outbound request: refuses header %j with %j", async (name, value) => {
    const answer = await ask(receiver.url, { headers: { [name]: value } });
    expect(answer).toMatchObject({ kind: "refused", error: expect.stringContaining("header") });
    expect(JSON.stringify(answer)).not.toContain(value === "a" ? "\r\n" : value);
    expect(receiver.connections.total).toBe(0);
  });

  it("outbound request: ignores the proxies of the environment", async () => {
    const names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
    const before = names.map((name) => process.env[name]);
    const proxy = await startReceiver();
    for (const name of names) process.env[name] = name === "NODE_USE_ENV_PROXY" ? "1" : proxy.url;
    expect(await ask(receiver.url)).toMatchObject({ kind: "answered", status: 200 });
    expect(proxy.connections.total).toBe(0);
    for (const [at, name] of names.entries()) {
      if (before[at] === undefined) delete process.env[name];
      else process.env[name] = before[at];
    }
    await proxy.close();
  });
});

describe("outbound response", () => {
  it.each([200, 204, 400, 404, 410, 429, 500, 503])("outbound response: status %i counts as a response", async (status) => {
    receiver.answer = { status };
    expect(await ask(receiver.url)).toMatchObject({ kind: "answered", status, body: "", retryAfter: null });
  });

  it("outbound response: leaves no connection open", async () => {
    receiver.answer = { status: 200, headers: { connection: "keep-alive", "keep-alive": "timeout=600" }, body: "ok" };
    await ask(receiver.url);
    await ask(receiver.url);
    await eventually(() => expect(receiver.connections).toEqual({ total: 2, open: 0 }));
  });

  it("outbound response: is read up to 16 KiB, without splitting a character", async () => {
    receiver.answer = { status: 200, body: `a${"ü".repeat(10_000)}` };
    const answer = await ask(receiver.url);
    expect(answer).toMatchObject({ kind: "answered", body: `a${"ü".repeat(8191)}` });
  });

  it("outbound response: an endless one is cut off at the limit", async () => {
    let written = 0;
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const part = "x".repeat(64 * 1024);
      const more = (): void => {
        while (!response.destroyed && written < 1e9) {
          written += part.length;
          if (!response.write(part)) return void response.once("drain", more);
        }
      };
      more();
    };
    expect(await ask(receiver.url)).toMatchObject({ kind: "answered", status: 200, body: "x".repeat(16 * 1024) });
    await eventually(() => expect(receiver.connections.open).toBe(0));
    // The kernel's buffers accepted this much
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  it("outbound response: one that breaks off still counts", async () => {
    receiver.answer = (_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    };
    expect(await ask(receiver.url)).toMatchObject({ kind: "answered", status: 200, body: "half" });
  });

  it("outbound response: contains only text that a database can store, and is not decompressed", async () => {
    receiver.answer = { status: 200, body: "a\0b" };
    expect(await ask(receiver.url)).toMatchObject({ body: "a\uFFFDb" });
    receiver.answer = { status: 200, headers: { "content-encoding": "gzip" }, body: "no gzip" };
    expect(await ask(receiver.url)).toMatchObject({ body: "no gzip" });
  });
});

describe("outbound deadline", () => {
  it("outbound deadline: ends a request to a server that never replies", async () => {
    receiver.answer = () => {};
    const answer = await ask(`${receiver.url}/secret`, { timeoutMs: 300 });
    expect(answer).toEqual({
      kind: "unreachable",
      error: `127.0.0.1:${receiver.port}: no answer came within 0.3 s`,
      ms: expect.any(Number),
    });
    await eventually(() => expect(receiver.connections.open).toBe(0));
  });

  it("outbound deadline: ends slow headers", async () => {
    const server = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => socket.write("x-a: b\r\n"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    expect(await ask(`http://127.0.0.1:${server.port}`, { timeoutMs: 300 })).toMatchObject({ kind: "unreachable" });
    await eventually(() => expect(server.open.size).toBe(0));
    await server.close();
  });

  it("outbound deadline: ends a slow body and returns the part that arrived", async () => {
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    };
    // The timeout is longer: the status alone completes the request
    const answer = await ask(receiver.url, { timeoutMs: 60_000 });
    expect(answer).toMatchObject({ kind: "answered", status: 200, body: expect.stringMatching(/^x+$/) });
    expect(answer.kind === "answered" && answer.ms).toBeLessThan(10_000);
    await eventually(() => expect(receiver.connections.open).toBe(0));
  });

  it("outbound deadline: ends a TLS handshake that never begins", async () => {
    const server = await rawServer(() => {});
    const answer = await ask(`https://127.0.0.1:${server.port}`, { timeoutMs: 300 });
    expect(answer).toMatchObject({ kind: "unreachable", error: expect.stringContaining("within 0.3 s") });
    await eventually(() => expect(server.open.size).toBe(0));
    await server.close();
  });

  it("outbound deadline: ends the wait for a name server that never replies", async () => {
    const slow = createOutbound({ allow: [], resolve: () => new Promise(() => {}) });
    expect(await slow.post({ url: "http://hooks.lan/", headers: {}, body: "", timeoutMs: 200 })).toMatchObject({
      kind: "unreachable",
      error: "hooks.lan: the name hooks.lan was not found within 0.2 s",
    });
  });

  it("outbound deadline: 32 dead targets do not delay others", async () => {
    const dead = await rawServer(() => {});
    const slow = Array.from({ length: 32 }, (_, n) => ask(`http://127.0.0.1:${dead.port}/${n}`, { timeoutMs: 60_000 }));
    await eventually(() => expect(dead.open.size).toBe(32));
    expect(await ask(receiver.url)).toMatchObject({ kind: "answered", status: 200 });
    await outbound.close();
    expect(new Set((await Promise.all(slow)).map(({ kind }) => kind))).toEqual(new Set(["unreachable"]));
    await eventually(() => expect(dead.open.size).toBe(0));
    await dead.close();
  });

  it("outbound deadline: a request can be cancelled before and while it runs", async () => {
    receiver.answer = () => {};
    const stop = new AbortController();
    const answer = ask(receiver.url, { signal: stop.signal });
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    stop.abort();
    expect(await answer).toMatchObject({ kind: "unreachable", error: `127.0.0.1:${receiver.port}: stopped before an answer came` });
    expect(await ask(receiver.url, { signal: stop.signal })).toMatchObject({ kind: "unreachable" });
    expect(receiver.connections.total).toBe(1);
  });

  it("outbound deadline: nothing is sent after the end", async () => {
    await outbound.close();
    expect(await ask(receiver.url)).toMatchObject({ kind: "unreachable" });
    expect(receiver.connections.total).toBe(0);
  });
});

describe("outbound failure text", () => {
  it("outbound failure text: no service listens", async () => {
    const { port } = receiver;
    await receiver.close();
    expect(await ask(`http://127.0.0.1:${port}/bot-secret/send?token=secret`)).toEqual({
      kind: "unreachable",
      error: `127.0.0.1:${port}: nothing listens there (ECONNREFUSED)`,
      ms: expect.any(Number),
    });
  });

  it("outbound failure text: no service listens at any of its addresses", async () => {
    const { port } = receiver;
    await receiver.close();
    const named = createOutbound({ allow: [], resolve: async () => ["::1", "127.0.0.1"] });
    expect(await named.post({ url: `http://hooks.lan:${port}/`, headers: {}, body: "", timeoutMs: 5_000 })).toMatchObject({
      kind: "unreachable",
      error: expect.stringMatching(/^hooks\.lan:\d+: (nothing listens there|no route)/),
    });
  });

  it.each([
    ["closes at once", (socket: Socket) => socket.destroy(), "the connection was closed before an answer came"],
    ["says something else", (socket: Socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"), "the server does not speak HTTP"],
    [
      "has endless headers",
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(200_000)}`),
      "the headers of its answer are too large",
    ],
    [
      "switches protocols",
      (socket: Socket) => socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
      "closed",
    ],
  ])("it %s", async (_, talk, words) => {
    const server = await rawServer((socket) => socket.once("data", () => talk(socket)));
    expect(await ask(`http://127.0.0.1:${server.port}/secret`)).toMatchObject({
      kind: "unreachable",
      error: expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1:${server.port}: .*${words}`)),
    });
    await eventually(() => expect(server.open.size).toBe(0));
    await server.close();
  });

  it("outbound failure text: the target does not speak TLS", async () => {
    expect(await ask(receiver.url.replace("http:", "https:"))).toMatchObject({
      kind: "unreachable",
      error: expect.stringContaining("is it http://?"),
    });
  });
});
