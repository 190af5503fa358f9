// Over 400 lines: the conventions of all routes, tested on one server with made-up routes.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { makePage } from "../../../src/contract/cursor.ts";
import { listOf, pageQuery } from "../../../src/contract/page.ts";
import { notFound, Problem, type ProblemKind } from "../../../src/contract/problem.ts";
import { route } from "../../../src/contract/route.ts";
import { BoolText, EnumText, FloatText, IdText, Instant, StartInstant } from "../../../src/contract/values.ts";
import { type Served, sendRaw, serve } from "./support.ts";

const Thing = z.object({ id: z.string(), seen_at: Instant.nullable() });
const routes = {
  listThings: route("/things", {
    method: "get",
    summary: "List",
    tag: "things",
    query: z.object({
      color: z.array(EnumText(["red", "blue"])).optional(),
      since: StartInstant.optional(),
      done: BoolText.optional(),
      share: FloatText(0, 1).optional(),
      name: z.string().optional(),
      ...pageQuery,
    }),
    reply: listOf(z.object({ query: z.record(z.string(), z.unknown()) })),
  }),
  createThing: route("/things", {
    method: "post",
    summary: "Create",
    tag: "things",
    body: z.strictObject({
      name: z.string().min(1).max(5),
      count: z.int().min(1).max(9).optional(),
      share: z.number().optional(),
      kind: z.enum(["a", "b"]).optional(),
      on: z.boolean().optional(),
      slug: z
        .string()
        .regex(/^[a-z]+$/, "Must be lower case letters")
        .optional(),
      id: z.uuid().optional(),
      url: z.url().optional(),
      day: z.iso.date().optional(),
      at: Instant.optional(),
      tags: z.array(z.string()).max(2).optional(),
      extra: z.unknown().optional(),
    }),
    status: 201,
    reply: z.object({ name: z.string() }),
  }),
  deletedThings: route("/things/deleted", { method: "get", summary: "Deleted", tag: "things", reply: Thing }),
  getThing: route("/things/{thing_id}", {
    method: "get",
    summary: "One",
    tag: "things",
    params: z.object({ thing_id: z.string() }),
    reply: Thing,
  }),
  deleteThing: route("/things/{thing_id}", {
    method: "delete",
    summary: "Delete",
    tag: "things",
    params: z.object({ thing_id: z.string() }),
    status: 204,
  }),
  restoreThing: route("/things/{thing_id}/restore", {
    method: "post",
    summary: "Restore",
    tag: "things",
    params: z.object({ thing_id: z.string() }),
    reply: Thing,
  }),
  getNumber: route("/numbers/{number}", {
    method: "get",
    summary: "A number",
    tag: "things",
    params: z.object({ number: IdText }),
    reply: z.object({ number: z.int() }),
  }),
  fail: route("/fail/{kind}", { method: "get", summary: "Fails", tag: "things", params: z.object({ kind: z.string() }), reply: Thing }),
  misfit: route("/misfit", { method: "get", summary: "Breaks its promise", tag: "things", reply: Thing }),
  document: route("/document", { method: "get", summary: "Constant", tag: "things", reply: z.object({ a: z.int() }), etag: true }),
};
const operations = {
  listThings: async ({ query }: { query: Record<string, unknown> & { limit: number; offset?: number } }) =>
    makePage({
      listName: "things",
      rows: [{ query }],
      limit: query.limit,
      offset: query.offset,
      after: undefined,
      total: 1,
      key: () => [1],
    }),
  createThing: async ({ body }: { body: { name: string } }) => ({ name: body.name, secret: "never promised" }),
  deletedThings: async () => ({ id: "deleted", seen_at: null }),
  getThing: async ({ params }: { params: { thing_id: string } }) => {
    if (params.thing_id.startsWith("no")) throw notFound("thing", params.thing_id);
    return { id: params.thing_id, seen_at: new Date("2026-01-31T22:15:00.5Z") };
  },
  deleteThing: async () => undefined,
  restoreThing: async ({ params }: { params: { thing_id: string } }) => ({ id: params.thing_id, seen_at: null }),
  getNumber: async ({ params }: { params: { number: number } }) => params,
  fail: async ({ params }: { params: { kind: ProblemKind | "error" } }) => {
    if (params.kind === "error") throw new Error("secret: rtsp://user:pass@camera");
    throw new Problem(params.kind, "the reason");
  },
  misfit: async () => ({ id: 5, seen_at: null, password: "secret" }),
  document: async () => ({ a: 1 }),
};

let served: Served;
let lenient: Served;
beforeAll(async () => {
  served = await serve(routes, operations);
  lenient = await serve(routes, operations, { strictReplies: false });
});
afterAll(async () => {
  await served.close();
  await lenient.close();
});

const get = (path: string, init?: RequestInit) => fetch(`${served.url}${path}`, init);
const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = { "Content-Type": "application/json" }) =>
  fetch(`${served.url}/things`, { method: "POST", body, headers });
const items = async (response: Response) => {
  expect(response.status).toBe(422);
  return ((await response.json()) as { detail: { loc: (string | number)[]; msg: string; type: string }[] }).detail.map(
    ({ loc, type }) => `${loc.join(".")} ${type}`,
  );
};

describe("replies", () => {
  it("replies: are JSON with times in UTC and contain only the fields of their schema", async () => {
    const response = await get("/things/front");
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await response.json()).toEqual({ id: "front", seen_at: "2026-01-31T22:15:00.500Z" });
    const created = await post(`{"name":"x"}`);
    expect(created.status).toBe(201);
    expect(await created.json()).toEqual({ name: "x" });
  });

  it("replies: have no body with 204", async () => {
    const response = await get("/things/a", { method: "DELETE" });
    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
  });

  it("replies: a reply that does not fit its schema fails in tests; in production homesec strips and logs it", async () => {
    expect((await get("/misfit")).status).toBe(500);
    const response = await fetch(`${lenient.url}/misfit`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ id: 5, seen_at: null });
    expect(lenient.log.lines.find(({ level }) => level === "error")?.fields).toMatchObject({ operation: "misfit" });
  });

  it("replies: HEAD gets the same headers as GET, without the body", async () => {
    const [head, full] = [await get("/things/front", { method: "HEAD" }), await get("/things/front")];
    expect(head.status).toBe(200);
    expect(head.headers.get("content-length")).toBe(full.headers.get("content-length"));
    expect(await head.text()).toBe("");
  });

  it("replies: have an ETag and answer 304 if the route declares it", async () => {
    const tag = (await get("/document")).headers.get("etag") ?? "";
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    const again = await get("/document", { headers: { "If-None-Match": tag } });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
    expect((await get("/document", { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
    expect((await get("/things/front")).headers.get("etag")).toBeNull();
  });

  it("replies: do not name the server software and forbid browsers to guess the type", async () => {
    const { headers } = await get("/things/front");
    expect(headers.get("x-powered-by")).toBeNull();
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("request id", () => {
  it("request id: each answer has one; the client's own is kept if it is a plain token", async () => {
    for (const path of ["/things/front", "/nowhere", "/fail/error", "/things?limit=x", "/document"]) {
      expect((await get(path)).headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect((await get("/things/a", { headers: { "X-Request-ID": "abc.1-2_3" } })).headers.get("x-request-id")).toBe("abc.1-2_3");
    for (const odd of ["a b", "x".repeat(65), "<script>", "é"]) {
      expect((await get("/things/a", { headers: { "X-Request-ID": odd } })).headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe("query", () => {
  const echo = async (query: string) => {
    const response = await get(`/things?${query}`);
    expect(response.status).toBe(200);
    const body = (await response.json()) as { items: [{ query: Record<string, unknown> }]; deprecation_warning?: string };
    return { response, body, query: body.items[0].query };
  };

  it("query: is decoded to the types of the route", async () => {
    const { query } = await echo("color=RED&color=blue&since=2026-01-31&done=Yes&share=.5&limit=7");
    expect(query).toEqual({ color: ["red", "blue"], since: "2026-01-31T00:00:00.000Z", done: true, share: 0.5, limit: 7 });
    expect((await echo("color=red")).query["color"]).toEqual(["red"]);
  });

  it("query: the last value of a repeated key counts", async () => {
    expect((await echo("limit=1&limit=9")).query["limit"]).toBe(9);
    expect((await echo("limit=x&limit=9")).query["limit"]).toBe(9);
  });

  it("query: unknown keys are ignored and listed; authentication keys are known everywhere", async () => {
    const { response } = await echo("a=1&a=2&api_key=k&token=t&%C3%BC%0D%0A=1&__proto__=x&constructor=y");
    expect(response.headers.get("x-ignored-parameters")).toBe("a, %C3%BC%0D%0A, __proto__, constructor");
    expect((await echo("limit=1")).response.headers.get("x-ignored-parameters")).toBeNull();
    expect((await get("/things/front?zzz=1")).headers.get("x-ignored-parameters")).toBe("zzz");
    const refused = await get("/things?limit=x&limt=9");
    expect([refused.status, refused.headers.get("x-ignored-parameters")]).toEqual([422, "limt"]);
    const many = await echo(Array.from({ length: 900 }, (_, i) => `unknown${i}=`).join("&"));
    expect(many.response.headers.get("x-ignored-parameters")?.length).toBeLessThan(1000);
  });

  it.each([
    ["2026-01-31T22:15:00", "2026-01-31T22:15:00.000Z"],
    ["2026-01-31 22:15", "2026-01-31T22:15:00.000Z"],
    ["2026-01-31T22:15:00%2B01:00", "2026-01-31T21:15:00.000Z"],
    ["2026-01-31t22:15:00.5z", "2026-01-31T22:15:00.500Z"],
    ["2026-01-31T22:15:00,5Z", "2026-01-31T22:15:00.500Z"],
    ["2026-01-31 22:15:00,123456 -0330", "2026-02-01T01:45:00.123Z"],
    ["2026-01-31T22:15:00.000123456789Z", "2026-01-31T22:15:00.000Z"],
    ["2026-01-31T22:15%2B01", "2026-01-31T21:15:00.000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
  ])("query: %s is read as a time, in UTC if it has no zone", async (text, instant) => {
    const zone = process.env["TZ"];
    process.env["TZ"] = "America/New_York";
    try {
      expect((await echo(`since=${text}`)).query["since"]).toBe(instant);
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  it.each([
    "2026-02-30T00:00:00Z",
    "2025-02-29T10:00",
    "2026-13-01T00:00:00Z",
    "2026-01-31T22:15:00 GMT",
    "2026-01-31T25:00:00Z",
    "2026-01-31T22:15%2B25:00",
  ])("query: %s is refused as an invalid time", async (text) => {
    expect(await items(await get(`/things?since=${text}`))).toEqual(["query.since datetime_parsing"]);
  });

  it("query: every error is listed at once", async () => {
    const response = await get("/things?limit=0&offset=x&color=green&since=2026-02-30&done=perhaps&share=2&name=a%00b");
    expect(await items(response)).toEqual([
      "query.name value_error",
      "query.color.0 enum",
      "query.since datetime_parsing",
      "query.done bool_parsing",
      "query.share less_than_equal",
      "query.limit greater_than_equal",
      "query.offset int_parsing",
    ]);
  });

  it.each(["", "1.5", " 1", "1e3", "0x10", "NaN", "١"])("query: %j is refused as a limit", async (text) => {
    expect(await items(await get(`/things?limit=${encodeURIComponent(text)}`))).toEqual(["query.limit int_parsing"]);
  });

  it("query: limit is 1 to 1000, 50 by default", async () => {
    expect((await echo("")).query["limit"]).toBe(50);
    expect((await echo("limit=1000")).query["limit"]).toBe(1000);
    expect(await items(await get("/things?limit=1001"))).toEqual(["query.limit less_than_equal"]);
    expect(await items(await get("/things?limit=99999999999999999999"))).toEqual(["query.limit less_than_equal"]);
    expect(await items(await get(`/things?limit=-${"9".repeat(400)}`))).toEqual(["query.limit greater_than_equal"]);
  });

  it("query: offset is reported as deprecated in body and header only if used", async () => {
    const used = await echo("offset=0");
    expect(used.body.deprecation_warning).toBeTypeOf("string");
    expect(used.response.headers.get("deprecation")).toBe("true");
    const not = await echo("");
    expect(not.body).not.toHaveProperty("deprecation_warning");
    expect(not.response.headers.get("deprecation")).toBeNull();
  });
});

describe("path", () => {
  it("path: a string id may be any text", async () => {
    for (const id of ["ü 🎥", "a/b", "%", "..%", "a".repeat(2000), "constructor"]) {
      expect(((await (await get(`/things/${encodeURIComponent(id)}`)).json()) as { id: string }).id).toBe(id);
    }
  });

  it.each(["no%00pe", "%ff", "%ED%A0%80"])("path: %s cannot be an id and gets 404", async (id) => {
    const response = await get(`/things/${id}`);
    expect(response.status).toBe(404);
    expect(((await response.json()) as { detail: unknown }).detail).toBeTypeOf("string");
  });

  it("path: a missing id is named in the answer", async () => {
    const response = await get("/things/nope");
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ detail: "thing nope does not exist" });
  });

  it("path: integer parameters must be integers", async () => {
    expect(await items(await get("/numbers/x"))).toEqual(["path.number int_parsing"]);
    expect(await items(await get("/numbers/1.5"))).toEqual(["path.number int_parsing"]);
    expect(await (await get("/numbers/-3")).json()).toEqual({ number: -3 });
    expect((await get("/numbers/99999999999999999999")).status).toBe(200);
  });

  it("path: literal segments take precedence over placeholders, for each method", async () => {
    expect(await (await get("/things/deleted")).json()).toMatchObject({ id: "deleted" });
    expect((await get("/things/deleted", { method: "DELETE" })).status).toBe(405);
  });

  it("path: unknown paths get 404 as JSON", async () => {
    for (const path of ["/", "/nowhere", "/THINGS", "/things/a/b/c", "/%ff"]) {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(((await response.json()) as { detail: string }).detail).toContain("/openapi.json");
    }
  });

  it("path: unsupported methods get the list of supported ones", async () => {
    for (const method of ["PUT", "PATCH", "DELETE", "PROPFIND"]) {
      const response = await get("/things", { method });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("GET, POST, HEAD, OPTIONS");
      expect(((await response.json()) as { detail: unknown }).detail).toBeTypeOf("string");
    }
    const options = await get("/things", { method: "OPTIONS" });
    expect(options.status).toBe(204);
    expect(options.headers.get("allow")).toBe("GET, POST, HEAD, OPTIONS");
  });
});

describe("body", () => {
  it("body: every error is reported at once, with types from the closed list", async () => {
    const wrong = {
      name: "too long",
      count: 1.5,
      share: "x",
      kind: "c",
      on: 1,
      slug: "A",
      id: "x",
      url: "x",
      day: "2026-02-30",
      at: "noon",
      tags: ["a", 2],
      zzz: 1,
      __proto: 1,
    };
    expect(await items(await post(JSON.stringify(wrong)))).toEqual([
      "body.name string_too_long",
      "body.count int_parsing",
      "body.share float_parsing",
      "body.kind enum",
      "body.on bool_parsing",
      "body.slug string_pattern_mismatch",
      "body.id uuid_parsing",
      "body.url url_parsing",
      "body.day date_parsing",
      "body.at datetime_parsing",
      "body.tags.1 value_error",
      "body.zzz extra_forbidden",
      "body.__proto extra_forbidden",
    ]);
    expect(await items(await post(`{"name":"","count":0}`))).toEqual(["body.name string_too_short", "body.count greater_than_equal"]);
    expect(await items(await post(`{"name":"x","count":10}`))).toEqual(["body.count less_than_equal"]);
    expect(await items(await post("{}"))).toEqual(["body.name missing"]);
    expect(await items(await post(`{"name":"x","__proto__":{"a":1}}`))).toEqual(["body.__proto__ extra_forbidden"]);
  });

  it.each(["null", "5", "[]", `"x"`, "true"])("body: must be an object, not %s", async (text) => {
    expect(await items(await post(text))).toEqual(["body value_error"]);
  });

  it.each(["{", "{'a':1}", "", " ", "NaN", "\ufeff{}x", `{"name":"x"}}`])("body: must be JSON, not %j", async (text) => {
    expect(await items(await post(text))).toEqual([text === "" ? "body missing" : "body json_invalid"]);
  });

  it("body: NUL and half surrogates are refused, because they cannot be stored", async () => {
    expect(await items(await post(`{"name":"a\\u0000"}`))).toEqual(["body.name value_error"]);
    expect(await items(await post(`{"name":"\\ud800"}`))).toEqual(["body.name value_error"]);
    expect(await items(await post(`{"name":"a","extra":{"x":[1,"\\u0000"],"\\u0000":1}}`))).toEqual([
      "body.extra.x.1 value_error",
      "body.extra value_error",
    ]);
    expect((await post(`{"name":"🎥"}`)).status).toBe(201);
  });

  it("body: bytes that are not UTF-8 and truncated characters are refused, not replaced", async () => {
    const json = { "Content-Type": "application/json" };
    const body = (...bytes: number[]) => new Uint8Array([...Buffer.from('{"name":"'), ...bytes, ...Buffer.from('"}')]);
    for (const bytes of [[0xff], [0x67, 0xe4, 0x6e], [0xe2, 0x82], [0xed, 0xa0, 0x80]]) {
      const response = await post(body(...bytes), json);
      expect([response.status, await items(response)]).toEqual([422, ["body json_invalid"]]);
    }
    expect((await post(body(0xe2, 0x82, 0xac), json)).status).toBe(201);
  });

  it("body: half a million nested levels do no harm", async () => {
    const deep = `{"name":"x","extra":${"[".repeat(500_000)}${"]".repeat(500_000)}}`;
    expect((await post(deep)).status).toBe(201);
  });

  it("body: more than 1 MiB gets 413, announced or not, plain or compressed, and the connection stays usable", async () => {
    const big = JSON.stringify({ name: "x", extra: "y".repeat(1024 * 1024) });
    expect((await post(big)).status).toBe(413);
    const { gzipSync } = await import("node:zlib");
    expect((await post(new Uint8Array(gzipSync(big)), { "Content-Type": "application/json", "Content-Encoding": "gzip" })).status).toBe(
      413,
    );
    const stream = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(big));
        controller.close();
      },
    });
    const init = { method: "POST", body: stream, duplex: "half", headers: { "Content-Type": "application/json" } };
    const response = await fetch(`${served.url}/things`, init as RequestInit);
    expect(response.status).toBe(413);
    expect((await post(JSON.stringify({ name: "x", extra: "y".repeat(1_000_000) }))).status).toBe(201);
  });

  it("body: gets 415 unless it is JSON; gzip is accepted", async () => {
    const types = [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/jsonx",
      "application/json; charset=koi8-r",
    ];
    for (const type of types) expect((await post(`{"name":"x"}`, { "Content-Type": type })).status).toBe(415);
    expect((await post(new TextEncoder().encode(`{"name":"x"}`), {})).status).toBe(415);
    expect((await post(`{"name":"x"}`, { "Content-Type": "Application/JSON; charset=UTF-8" })).status).toBe(201);
    const { gzipSync } = await import("node:zlib");
    const gzip = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
    expect((await post(new Uint8Array(gzipSync(`{"name":"x"}`)), gzip)).status).toBe(201);
    expect((await post("not gzip", gzip)).status).toBe(400);
    expect((await post("x", { ...gzip, "Content-Encoding": "rot13" })).status).toBe(415);
  });

  it("body: is ignored by routes without one", async () => {
    expect((await get("/things/a/restore", { method: "POST" })).status).toBe(200);
    expect((await get("/things/a/restore", { method: "POST", body: "{", headers: { "Content-Type": "text/plain" } })).status).toBe(200);
  });
});

describe("problems", () => {
  it.each([
    ["bad_request", 400],
    ["unauthorized", 401],
    ["forbidden", 403],
    ["not_found", 404],
    ["conflict", 409],
    ["too_large", 413],
    ["media_type", 415],
    ["rate_limited", 429],
    ["unavailable", 503],
  ])("problems: %s gets status %i with its reason", async (kind, status) => {
    const response = await get(`/fail/${kind}`);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ detail: "the reason" });
    expect(response.headers.has("retry-after")).toBe(status === 503);
  });

  it("problems: invalid gets 422 with a list", async () => {
    expect(await items(await get("/fail/invalid"))).toEqual(["body value_error"]);
  });

  it("problems: internal errors show only the request id; the log has the details", async () => {
    const response = await get("/fail/error", { headers: { "X-Request-ID": "mine" } });
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ detail: "Internal error; request mine" });
    const line = served.log.lines.find(({ level, fields }) => level === "error" && fields["requestId"] === "mine");
    expect(line?.fields["error"]).toContain("secret: rtsp://user:pass@camera");
  });
});

describe("observation", () => {
  it("observation: each answer is counted and logged without the query and the tokens in its path", async () => {
    await expect.poll(() => served.stats().total).toBe(served.log.lines.filter(({ message }) => message === "answered").length);
    served.log.lines.length = 0;
    const before = served.stats();
    await get("/things?api_key=secret&limit=0");
    await get("/things/a");
    for (const path of ["/shared/hs_secret", "/api/shared/hs_secret/pictures/1", "/invite/hs_secret"]) await get(path);
    await expect.poll(() => served.stats().total).toBe(before.total + 5);
    const { byStatus, p50Ms, p99Ms } = served.stats();
    expect(byStatus["422"]).toBe((before.byStatus["422"] ?? 0) + 1);
    expect(p50Ms).toBeLessThanOrEqual(p99Ms ?? 0);
    expect(JSON.stringify(served.log.lines)).not.toContain("secret");
    expect(served.log.lines[0]).toMatchObject({ level: "debug", fields: { method: "GET", path: "/things", status: 422 } });
  });
});

describe("malformed HTTP", () => {
  it.each([
    ["nonsense", "nonsense\r\n\r\n", "400 Bad Request"],
    ["too large headers", `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, "431 Request Header Fields Too Large"],
    ["two hosts", "GET /things HTTP/1.1\r\nHost: localhost\r\nHost: other\r\nConnection: close\r\n\r\n", "400 Bad Request"],
    ["two lengths", "POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", "400 Bad Request"],
  ])("malformed HTTP: gets JSON with a request id: %s", async (_name, text, status) => {
    const answer = await sendRaw(served.port, text);
    expect(answer).toContain(`HTTP/1.1 ${status}`);
    expect(answer).toMatch(/X-Request-ID: [0-9a-f-]{36}/);
    expect(answer).toMatch(/\{"detail":"[^"]+"\}$/);
  });

  it("malformed HTTP: requests without a Host are served, because old monitors send them", async () => {
    expect(await sendRaw(served.port, "GET /things/a HTTP/1.0\r\n\r\n")).toContain("HTTP/1.1 200 OK");
  });

  it("malformed HTTP: a client may disconnect early", async () => {
    await sendRaw(
      served.port,
      "POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
      50,
    );
    await sendRaw(served.port, "GET /things HTTP/1.1\r\nHost: localhost\r\n\r\n", 1);
    expect((await get("/things/a")).status).toBe(200);
    expect(served.log.lines.filter(({ message }) => message === "a request failed")).toEqual([]);
  });
});
