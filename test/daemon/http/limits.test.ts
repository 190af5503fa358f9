import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { clientAddressBehind } from "../../../daemon/http/client-address.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { route } from "../../../src/contract/route.ts";
import { routes as allRoutes } from "../../../src/contract/routes/index.ts";
import { createKeyring } from "../../../src/platform/keys/keyring.ts";
import { createLimiter } from "../../../src/platform/limits/limiter.ts";
import type { LimitedTier } from "../../../src/platform/limits/tiers.ts";
import { inProcessStore } from "../../../src/platform/store/open-store.ts";
import { type Served, serve } from "./support.ts";

const Reply = z.object({ ok: z.boolean() });
const spec = { method: "get", summary: "Ask", tag: "t", reply: Reply } as const;
const routes = {
  plain: route("/plain", spec),
  other: route("/other", spec),
  write: route("/plain", { ...spec, method: "post", body: z.strictObject({ name: z.string() }) }),
  search: route("/search", { ...spec, tier: "search" }),
  free: route("/free", { ...spec, tier: "none", auth: "none" }),
  messages: route("/messages", { ...spec, method: "post", body: z.object({}), itemwise: true, largeBodyTier: "bulk" }),
  trends: route("/trends", { ...spec, tag: "analytics" }),
  number: route("/number/{number}", {
    ...spec,
    params: z.object({ number: z.codec(z.string(), z.int(), { decode: Number, encode: String }) }),
  }),
};
const ok = async () => ({ ok: true });
const operations = { plain: ok, other: ok, write: ok, messages: ok, search: ok, free: ok, trends: ok, number: ok };

const start = new Date("2026-03-01T12:00:00.400Z");
let served: Served | undefined;
let now = start;

/** Serves the routes with this many requests per minute in each tier. */
async function limited(most: number, { proxies = [] as string[], keyed = false } = {}): Promise<Served> {
  now = start;
  const allowance = { requestsPerMinute: most - 1, burst: 1 };
  const tiers = ["default", "media", "websocket", "search", "export", "ai_inference", "bulk"] as const;
  const allowances = Object.fromEntries(tiers.map((tier) => [tier, allowance])) as Record<LimitedTier, typeof allowance>;
  const clock = { now: () => now, monotonic: () => now.getTime() };
  served = await serve(routes, operations, {
    rateLimit: {
      limiter: createLimiter({ store: inProcessStore(), allowances, clock, log: silentLog }),
      clientAddress: clientAddressBehind(proxies),
    },
    ...(keyed && { keyring: createKeyring(["right"]) }),
  });
  return served;
}
afterEach(async () => {
  await served?.close();
  served = undefined;
});

const statusOf = async (path: string, init: RequestInit = {}): Promise<number> => {
  const response = await fetch(`${served?.url}${path}`, init);
  await response.arrayBuffer();
  return response.status;
};
const statusesOf = async (paths: readonly string[], init?: RequestInit): Promise<number[]> => {
  const statuses: number[] = [];
  for (const path of paths) statuses.push(await statusOf(path, init));
  return statuses;
};

describe("rate limit", () => {
  it("rate limit: requests beyond it get the 429 of the contract", async () => {
    await limited(3);
    expect(await statusesOf(["/plain", "/plain", "/plain"])).toEqual([200, 200, 200]);
    const refused = await fetch(`${served?.url}/plain`);
    expect(refused.status).toBe(429);
    expect(
      Object.fromEntries(
        ["retry-after", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"].map((name) => [name, refused.headers.get(name)]),
      ),
    ).toEqual({
      "retry-after": "60",
      "x-ratelimit-limit": "3",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(Math.ceil((start.getTime() + 60_000) / 1_000)),
    });
    expect(refused.headers.get("x-request-id")).toMatch(/.+/);
    expect(await refused.json()).toEqual({
      detail: {
        error: "Too many requests",
        message: expect.stringContaining("at most 3 requests"),
        retry_after_seconds: 60,
        tier: "default",
      },
    });
  });

  it("rate limit: analytics routes answer with a plain sentence", async () => {
    await limited(2);
    await statusesOf(["/trends", "/trends"]);
    const refused = await fetch(`${served?.url}/trends`);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(await refused.json()).toEqual({ detail: expect.stringContaining("at most 2 requests") });
  });

  it("rate limit: all endpoints of a tier share it, and each tier has a separate one", async () => {
    await limited(2);
    expect(await statusesOf(["/plain", "/other", "/plain", "/other", "/search", "/search", "/search"])).toEqual([
      200, 200, 429, 429, 200, 200, 429,
    ]);
  });

  it("rate limit: a large body, or one of unstated length, counts in the tier of the route for large bodies", async () => {
    await limited(2);
    const post = (body: string | ReadableStream, headers = {}) =>
      statusOf("/messages", {
        ...{ method: "POST", body, duplex: "half", headers: { "Content-Type": "application/json", ...headers } },
      } as RequestInit);
    const large = JSON.stringify({ text: "x".repeat(128 * 1024) });
    const chunked = (): ReadableStream => new Blob(["{}"]).stream();
    expect([await post(large), await post(chunked()), await post(large), await post(chunked())]).toEqual([200, 200, 429, 429]);
    expect([await post("{}"), await statusOf("/plain"), await post("{}")]).toEqual([200, 200, 429]);
  });

  it("rate limit: routes without a tier are never limited", async () => {
    await limited(2);
    expect(new Set(await statusesOf(Array.from({ length: 20 }, () => "/free")))).toEqual(new Set([200]));
    expect(await statusOf("/free", { method: "POST" })).toBe(405);
    expect(await statusesOf(["/plain", "/plain", "/plain"])).toEqual([200, 200, 429]);
  });

  it("rate limit: counts all requests: unknown paths, wrong methods, invalid requests, OPTIONS and HEAD", async () => {
    await limited(7);
    expect(await statusesOf(["/nowhere", "/", "/number/%ZZ", "/number/x"])).toEqual([404, 404, 404, 422]);
    expect(await statusOf("/plain", { method: "DELETE" })).toBe(405);
    expect(await statusOf("/plain", { method: "OPTIONS" })).toBe(204);
    expect(await statusOf("/plain", { method: "HEAD" })).toBe(200);
    expect(await statusOf("/plain")).toBe(429);
    expect(await statusesOf(["/nowhere", "/number/%ZZ"])).toEqual([429, 429]);
    expect(await statusOf("/plain", { method: "HEAD" })).toBe(429);
  });

  it("rate limit: applies before key and body, so that guessing keys is limited too", async () => {
    await limited(2, { keyed: true });
    expect(await statusesOf(["/plain", "/plain?api_key=wrong", "/plain?api_key=right"])).toEqual([401, 401, 429]);
    expect(await statusOf("/plain", { method: "POST", body: "x".repeat(2_000_000) })).toBe(429);
  });

  it("rate limit: a request leaves the window after 60 s, including a refused one", async () => {
    await limited(2);
    const at = async (seconds: number): Promise<number> => {
      now = new Date(start.getTime() + seconds * 1_000);
      return await statusOf("/plain");
    };
    expect([await at(0), await at(30), await at(59.999), await at(90), await at(119.998)]).toEqual([200, 200, 429, 200, 429]);
    expect(await at(179.998)).toBe(200);
  });
});

describe("client address", () => {
  it("client address: is the peer, whatever its headers say", async () => {
    await limited(2);
    const claim = (address: string): RequestInit => ({ headers: { "X-Forwarded-For": address } });
    expect([
      await statusOf("/plain", claim("192.0.2.1")),
      await statusOf("/plain", claim("192.0.2.2")),
      await statusOf("/plain", claim("192.0.2.3")),
    ]).toEqual([200, 200, 429]);
  });

  it("client address: behind a trusted proxy it is the first entry of X-Forwarded-For, in any notation", async () => {
    await limited(2, { proxies: ["127.0.0.0/8"] });
    const from = (header: string): Promise<number> => statusOf("/plain", { headers: { "X-Forwarded-For": header } });
    expect([await from("192.0.2.1"), await from("192.0.2.1, 10.0.0.1"), await from(" 192.0.2.1 ,10.0.0.2")]).toEqual([200, 200, 429]);
    expect([await from("::ffff:192.0.2.1"), await from("192.0.2.1:4711")]).toEqual([429, 429]);
    expect([await from("2001:db8::1"), await from("2001:DB8:0:0::1"), await from("[2001:db8::1]:80")]).toEqual([200, 200, 429]);
    // An invalid address identifies no client, so the proxy itself counts.
    expect([await from("unknown"), await statusOf("/plain"), await from("<script>")]).toEqual([200, 200, 429]);
  });
});

describe("client addresses", () => {
  const address = (proxies: readonly string[], peer: string | undefined, forwarded?: string): string =>
    clientAddressBehind(proxies)({
      socket: { remoteAddress: peer },
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    } as never);

  it.each([
    [[], "::ffff:192.0.2.9", "198.51.100.1", "192.0.2.9"],
    [[], undefined, "198.51.100.1", "unknown"],
    [["10.0.0.0/8"], "10.200.0.1", "198.51.100.1", "198.51.100.1"],
    [["10.0.0.0/8"], "::ffff:10.200.0.1", "198.51.100.1", "198.51.100.1"],
    [["10.0.0.0/8"], "11.0.0.1", "198.51.100.1", "11.0.0.1"],
    [["10.1.2.3"], "10.1.2.3", "198.51.100.1", "198.51.100.1"],
    [["10.1.2.3"], "10.1.2.4", "198.51.100.1", "10.1.2.4"],
    [["::ffff:10.1.2.3"], "10.1.2.3", "198.51.100.1", "198.51.100.1"],
    [["::ffff:10.0.0.0/104"], "::ffff:10.9.9.9", "198.51.100.1", "198.51.100.1"],
    [["::ffff:10.0.0.0/104"], "11.0.0.1", "198.51.100.1", "11.0.0.1"],
    [["fd00::/64"], "fd00::abcd", "198.51.100.1", "198.51.100.1"],
    [["fd00::/64"], "fd00:0:0:1::1", "198.51.100.1", "fd00:0:0:1::1"],
    [["::1"], "::1", "fe80::1%eth0", "fe80::1"],
    [["0.0.0.0/0"], "203.0.113.7", "", "203.0.113.7"],
    [["0.0.0.0/0"], "203.0.113.7", ", 198.51.100.1", "203.0.113.7"],
  ] as const)("client address: proxies %j, peer %s, X-Forwarded-For %s: %s", (proxies, peer, forwarded, client) => {
    expect(address(proxies, peer, forwarded)).toBe(client);
  });
});

it("rate limit: each route has the tier of the contract", () => {
  const tiers = Object.values(allRoutes).map((each) => [`${each.method} ${each.path}`, "tier" in each ? each.tier : "default"] as const);
  const expected = (name: string): string => {
    const [, path = ""] = name.split(" ");
    if (/^\/(health|api\/health|metrics)$|^\/api\/system\/(health|monitoring)(\/|$)/.test(path)) return "none";
    if (/(?<!retention)\/(snapshot|image|preview|thumbnail|video|pictures\/\{number\})$/.test(path)) return "media";
    if (path.endsWith("/search")) return "search";
    if (/\/(export|evidence)$/.test(path)) return "export";
    if (path.endsWith("/bulk")) return "bulk";
    return /\/(reanalyze|doctor)$/.test(path) ? "ai_inference" : "default";
  };
  expect(tiers).toEqual(tiers.map(([name]) => [name, expected(name)]));
});
