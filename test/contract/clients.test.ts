import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Client } from "../../src/contract/client.ts";
import { createHttpClient, type HttpClientOptions } from "../../src/contract/http-client.ts";
import { listOf, pageQuery } from "../../src/contract/page.ts";
import { notFound, Problem, type ProblemKind, problemTypes } from "../../src/contract/problem.ts";
import { kindOf, statusOf } from "../../src/contract/problem-status.ts";
import { route } from "../../src/contract/route.ts";
import { BoolText, EnumText, IdText, Instant, StartInstant } from "../../src/contract/values.ts";
import { createDirectClientOf } from "../../src/work/operations/direct-client.ts";
import { noContext, type Served, serve } from "../daemon/http/support.ts";

const seen = z.object({ id: z.string(), at: Instant.nullable(), more: z.record(z.string(), z.unknown()).optional() });
const idParams = z.object({ id: z.string() });
/** The first bytes of a PNG. */
const png = Buffer.from("\x89PNG\r\n\x1a\npicture", "latin1");

const routes = {
  list: route("/list", {
    method: "get",
    summary: "List",
    tag: "t",
    query: z.object({
      word: z.array(EnumText(["a", "b"])).optional(),
      text: z.string().optional(),
      since: StartInstant.optional(),
      flag: BoolText.optional(),
      ...pageQuery,
    }),
    reply: listOf(z.record(z.string(), z.unknown())),
  }),
  get: route("/things/{id}", { method: "get", summary: "Get", tag: "t", params: idParams, reply: seen, refusals: { 404: "none" } }),
  number: route("/numbers/{id}", {
    method: "get",
    summary: "Get",
    tag: "t",
    params: z.object({ id: IdText }),
    reply: z.object({ id: z.int() }),
  }),
  create: route("/things", {
    method: "post",
    summary: "Create",
    tag: "t",
    body: z.strictObject({ id: z.string().min(1).max(5), at: Instant.optional() }),
    status: 201,
    reply: seen,
  }),
  remove: route("/things/{id}", { method: "delete", summary: "Delete", tag: "t", params: idParams, status: 204 }),
  picture: route("/things/{id}/picture", {
    method: "get",
    summary: "Bytes",
    tag: "t",
    params: idParams,
    reply: { mediaTypes: ["image/png"] },
  }),
  health: route("/healthy/{id}", {
    method: "get",
    summary: "Health",
    tag: "t",
    params: idParams,
    reply: z.object({ status: z.string() }),
    refusals: { 503: "The body is the same" },
  }),
  fail: route("/fail/{id}", { method: "get", summary: "Fail", tag: "t", params: idParams, reply: seen }),
};

let folder: string;
const operations = {
  list: async ({ query }: { query: Record<string, unknown> & { limit: number } }) => ({
    items: [Object.fromEntries(Object.entries(query).map(([key, value]) => [key, value instanceof Date ? value.toISOString() : value]))],
    pagination: { total: 1, limit: query.limit, offset: 0, next_cursor: null, has_more: false },
  }),
  get: async ({ params }: { params: { id: string } }) => {
    if (params.id.startsWith("no")) throw notFound("thing", params.id);
    return { id: params.id, at: new Date(1_234_567_890_123), more: { when: null, list: [1, undefined, "x"], gone: undefined } };
  },
  number: async ({ params }: { params: { id: number } }) => params,
  create: async ({ body }: { body: { id: string; at?: Date } }) => ({ id: body.id, at: body.at ?? null }),
  remove: async () => undefined,
  picture: async ({ params }: { params: { id: string } }) => ({
    mediaType: "image/png",
    content: params.id === "memory" ? { buffer: Buffer.from([1, 2, 3]) } : { file: join(folder, params.id) },
  }),
  health: async ({ params }: { params: { id: string } }) =>
    params.id === "ill" ? { status: 503, reply: { status: "degraded" } } : { status: "healthy" },
  fail: async ({ params }: { params: { id: ProblemKind | "error" } }) => {
    if (params.id === "error") throw new Error("a fault of ours");
    if (params.id !== "invalid") throw new Problem(params.id, "the reason");
    throw new Problem("invalid", "limit: bad", { items: [{ loc: ["query", "limit"], msg: "bad", type: "value_error" }] });
  },
};

let served: Served;
let http: Client;
let direct: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "homesec-clients-"));
  await writeFile(join(folder, "file"), png);
  served = await serve(routes, operations);
  http = createHttpClient({ url: `${served.url}/`, timeoutMs: 5_000 });
  direct = createDirectClientOf(routes, operations as never, noContext);
});
afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

/** The result of a call: the reply or the problem. */
async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return { reply: await call };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { kind: error.kind, message: error.message, items: error.items };
  }
}

describe("HTTP client and direct client", () => {
  const since = new Date("2026-01-31T00:00:00.000Z");
  const cases: [string, (client: Client) => Promise<unknown>, unknown][] = [
    ["defaults", (c) => c.call(routes.list, {}), { reply: { items: [{ limit: 50 }] } }],
    [
      "queries of every kind",
      (c) => c.call(routes.list, { query: { word: ["a", "b"], text: "ü & = + %", since, flag: false, limit: 7 } }),
      { reply: { items: [{ word: ["a", "b"], text: "ü & = + %", since: since.toISOString(), flag: false, limit: 7 }] } },
    ],
    [
      "a query out of bounds",
      (c) => c.call(routes.list, { query: { limit: 5_000 } }),
      { kind: "invalid", items: [{ loc: ["query", "limit"], type: "less_than_equal" }] },
    ],
    ["a NUL in a query", (c) => c.call(routes.list, { query: { text: "\0" } }), { kind: "invalid", items: [{ loc: ["query", "text"] }] }],
    [
      "times and gaps in replies",
      (c) => c.call(routes.get, { params: { id: "ü/🎥 %2F?#" } }),
      { reply: { id: "ü/🎥 %2F?#", at: new Date(1_234_567_890_123) } },
    ],
    [
      "what does not exist",
      (c) => c.call(routes.get, { params: { id: "nope" } }),
      { kind: "not_found", message: "thing nope does not exist" },
    ],
    ["an empty id", (c) => c.call(routes.get, { params: { id: "" } }), { kind: "not_found" }],
    ["an id of dots", (c) => c.call(routes.get, { params: { id: ".." } }), { kind: "not_found" }],
    ["half a surrogate pair as id", (c) => c.call(routes.get, { params: { id: "\ud800" } }), { kind: "not_found" }],
    ["numbers in the path", (c) => c.call(routes.number, { params: { id: -5 } }), { reply: { id: -5 } }],
    [
      "bad numbers in the path",
      (c) => c.call(routes.number, { params: { id: 1.5 } }),
      { kind: "invalid", items: [{ loc: ["path", "id"], type: "int_parsing" }] },
    ],
    ["bodies", (c) => c.call(routes.create, { body: { id: "x", at: since } }), { reply: { id: "x", at: since } }],
    [
      "bad bodies",
      (c) => c.call(routes.create, { body: { id: "too long" } }),
      { kind: "invalid", items: [{ loc: ["body", "id"], type: "string_too_long" }] },
    ],
    ["NUL in bodies", (c) => c.call(routes.create, { body: { id: "\0" } }), { kind: "invalid", items: [{ loc: ["body", "id"] }] }],
    ["no content", (c) => c.call(routes.remove, { params: { id: "x" } }), { reply: undefined }],
    [
      "bytes of a file",
      (c) => c.call(routes.picture, { params: { id: "file" } }),
      { reply: { mediaType: "image/png", bytes: new Uint8Array(png) } },
    ],
    ["bytes in memory", (c) => c.call(routes.picture, { params: { id: "memory" } }), { reply: { bytes: new Uint8Array([1, 2, 3]) } }],
    ["a file that is gone", (c) => c.call(routes.picture, { params: { id: "gone" } }), { kind: "not_found" }],
    ["health", (c) => c.call(routes.health, { params: { id: "well" } }), { reply: { status: "healthy" } }],
    ["ill health, with its body", (c) => c.call(routes.health, { params: { id: "ill" } }), { reply: { status: "degraded" } }],
    ...(
      [
        "bad_request",
        "unauthorized",
        "forbidden",
        "not_found",
        "conflict",
        "too_large",
        "media_type",
        "rate_limited",
        "unavailable",
        "invalid",
      ] as const
    ).map((kind): (typeof cases)[number] => [`the problem ${kind}`, (c) => c.call(routes.fail, { params: { id: kind } }), { kind }]),
  ];

  it.each(cases)("clients: both give the same result for %s", async (_name, call, expected) => {
    const [overHttp, inProcess] = [await outcome(call(http)), await outcome(call(direct))];
    expect(overHttp).toEqual(inProcess);
    expect(overHttp).toMatchObject(expected as object);
  });

  it("clients: both report a fault of homesec as a plain error", async () => {
    await expect(http.call(routes.fail, { params: { id: "error" } })).rejects.toThrow(/Internal error; request [0-9a-f-]{36}/);
    await expect(direct.call(routes.fail, { params: { id: "error" } })).rejects.toThrow("a fault of ours");
  });
});

describe("problem statuses", () => {
  it("problem statuses: each maps back to its kind", () => {
    for (const status of [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]) expect(statusOf(kindOf(status) as ProblemKind)).toBe(status);
    expect(kindOf(503)).toBe("unavailable");
    expect(kindOf(500)).toBeUndefined();
    expect(new Set(problemTypes).size).toBe(17);
  });
});

describe("the HTTP client", () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  });
  const standIn = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const ask = (url: string, options: Partial<HttpClientOptions> = {}) =>
    outcome(createHttpClient({ url, timeoutMs: 2_000, ...options }).call(routes.number, { params: { id: 1 } })) as Promise<{
      kind?: string;
      message?: string;
      reply?: unknown;
    }>;

  it("HTTP client: without a daemon, the error says what to do", async () => {
    const url = await standIn(() => {});
    await new Promise((done) => servers.pop()?.close(done));
    const { kind, message } = await ask(url);
    expect(kind).toBe("unreachable");
    expect(message).toBe(`No homesec daemon answers at ${url} (ECONNREFUSED); start it with \`homesec serve\`, or use --direct`);
  });

  it("HTTP client: times out both on a missing and on an unfinished answer", async () => {
    const silent = await ask(await standIn(() => {}), { timeoutMs: 200 });
    expect(silent).toMatchObject({ kind: "unreachable", message: expect.stringContaining("no answer within 0.2 s") });
    const stalled = await standIn((_request, response) => void response.writeHead(200, { "Content-Length": 10 }).write("{"));
    expect(await ask(stalled, { timeoutMs: 200 })).toMatchObject({ kind: "unreachable" });
    const cut = await standIn(
      (_request, response) => void response.writeHead(200, { "Content-Length": 10 }).write("{", () => response.destroy()),
    );
    expect(await ask(cut)).toMatchObject({ kind: "unreachable" });
  });

  it("HTTP client: recognises answers that are not from homesec", async () => {
    const answers: [number, string][] = [
      [200, "<html>"],
      [200, "{}"],
      [404, "<html>"],
      [502, "Bad Gateway"],
    ];
    for (const [status, text] of answers) {
      expect(await ask(await standIn((_request, response) => void response.writeHead(status).end(text)))).toMatchObject({
        kind: "unreachable",
      });
    }
    const redirect = await standIn((_request, response) => void response.writeHead(302, { Location: served.url }).end());
    expect(await ask(redirect)).toMatchObject({ kind: "unreachable" });
  });

  it("HTTP client: waits as a 429 asks, reports the wait, and fails only when the wait is too long", async () => {
    let asked = 0;
    const limited = (seconds: string, refusals: number) =>
      standIn((_request, response) => {
        asked += 1;
        if (asked > refusals) return void response.writeHead(200).end(`{"id":1}`);
        response.writeHead(429, { "Retry-After": seconds });
        response.end(
          JSON.stringify({ detail: { error: "rate_limit", message: "Too many requests", retry_after_seconds: 1, tier: "default" } }),
        );
      });
    const begun = performance.now();
    expect(await ask(await limited("1", 1))).toEqual({ reply: { id: 1 } });
    expect(performance.now() - begun).toBeGreaterThan(950);
    asked = 0;
    const waits: number[] = [];
    const onWait = (ms: number) => waits.push(ms);
    expect(await ask(await limited("0", 20), { leastWaitMs: 2, onWait })).toEqual({ reply: { id: 1 } });
    expect(waits).toEqual(Array(20).fill(2));
    asked = 0;
    const refused = await ask(await limited("60", 99), { maxWaitMs: 1_000, onWait });
    expect(refused).toMatchObject({ kind: "rate_limited", message: "Too many requests" });
    expect(waits).toHaveLength(20);
    expect(asked).toBe(1);
  });

  it("HTTP client: sends its key in the header only", async () => {
    let got = "";
    const url = await standIn((request, response) => {
      got = `${request.url} ${request.headers["x-api-key"]}`;
      response.end(`{"id":1}`);
    });
    await ask(`${url}/below/`, { apiKey: "k" });
    expect(got).toBe("/below/numbers/1 k");
  });

  it.each(["", "localhost:8000", "ftp://x", "http://", "http://a b"])("HTTP client: rejects %j as a URL", (url) => {
    expect(() => createHttpClient({ url, timeoutMs: 1 })).toThrow(/is not the URL of a daemon/);
  });
});
