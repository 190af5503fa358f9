import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { route } from "../../../src/contract/route.ts";
import { createKeyring } from "../../../src/platform/keys/keyring.ts";
import { type Served, sendRaw, serve } from "./support.ts";

const Reply = z.object({ ok: z.boolean() });
const routes = {
  look: route("/things", { method: "get", summary: "Look", tag: "t", reply: Reply }),
  act: route("/things", { method: "post", summary: "Act", tag: "t", reply: Reply }),
  drop: route("/things", { method: "delete", summary: "Drop", tag: "t", status: 204 }),
};
const ok = async () => ({ ok: true });
const operations = { look: ok, act: ok, drop: async () => undefined };
const page = "https://dashboard.example";

let served: Served;
let keyed: Served;
beforeAll(async () => {
  served = await serve(routes, operations, { corsOrigins: [page, "http://localhost:3000"] });
  keyed = await serve(routes, operations, { corsOrigins: [page], keyring: createKeyring(["right"]) });
});
afterAll(async () => {
  await served.close();
  await keyed.close();
});

/** Not with `fetch`, which sets browser headers automatically. */
async function ask(server: Served, method: string, headers: Record<string, string>) {
  const lines = Object.entries({ Host: `localhost:${server.port}`, Connection: "close", ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const answer = await sendRaw(server.port, `${method} /things HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`, 5_000);
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  const header = (name: string): string | undefined => new RegExp(`^${name}: (.*?)\\r?$`, "im").exec(head)?.[1];
  return { status: Number(head.split(" ")[1]), header, body };
}

describe("CORS: a page of an allowed origin", () => {
  it("CORS: a page of an allowed origin may read answers and their headers, including errors, without cookies", async () => {
    for (const [server, status] of [
      [served, 200],
      [keyed, 401],
    ] as const) {
      const answer = await ask(server, "GET", { Origin: page });
      expect(answer.status).toBe(status);
      expect(answer.header("Access-Control-Allow-Origin")).toBe(page);
      expect(answer.header("Access-Control-Allow-Credentials")).toBeUndefined();
      expect(answer.header("Access-Control-Expose-Headers")).toContain("X-Request-ID");
      expect(answer.header("Vary")).toContain("Origin");
    }
  });

  it("CORS: a page of an allowed origin gets its preflight answered without a key", async () => {
    const answer = await ask(keyed, "OPTIONS", {
      Origin: page,
      "Access-Control-Request-Method": "PATCH",
      "Access-Control-Request-Headers": "content-type,x-api-key",
    });
    expect(answer.status).toBe(204);
    expect(answer.header("Access-Control-Allow-Origin")).toBe(page);
    expect(answer.header("Access-Control-Allow-Methods")).toContain("PATCH");
    expect(answer.header("Access-Control-Allow-Headers")).toMatch(/Content-Type.*X-API-Key/);
    expect(answer.header("Access-Control-Max-Age")).toBe("600");
    expect(answer.header("Access-Control-Allow-Private-Network")).toBeUndefined();
  });

  it("CORS: a page of an allowed origin on the internet may call a machine on a private network", async () => {
    const answer = await ask(served, "OPTIONS", {
      Origin: page,
      "Access-Control-Request-Method": "GET",
      "Access-Control-Request-Private-Network": "true",
    });
    expect(answer.header("Access-Control-Allow-Private-Network")).toBe("true");
  });

  it("CORS: a page of an allowed origin may write", async () => {
    expect((await ask(served, "POST", { Origin: page, "Content-Length": "0" })).status).toBe(200);
    expect((await ask(served, "POST", { Origin: "http://localhost:3000", "Sec-Fetch-Site": "cross-site" })).status).toBe(200);
  });
});

describe("CORS: a page of any other origin", () => {
  it.each(["https://evil.example", "http://dashboard.example", `${page}:8443`, `${page}.evil.example`, "null"])(
    "CORS: a page of %s may not read",
    async (origin) => {
      for (const method of ["GET", "OPTIONS"]) {
        const answer = await ask(served, method, { Origin: origin, "Access-Control-Request-Method": "POST" });
        expect(answer.header("Access-Control-Allow-Origin")).toBeUndefined();
        expect(answer.header("Access-Control-Allow-Methods")).toBeUndefined();
        expect(answer.header("Vary")).toContain("Origin");
      }
    },
  );

  it.each([
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: "https://evil.example", "Sec-Fetch-Site": "same-origin" },
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { Origin: "http://localhost.evil.example" },
  ])("CORS: a page of any other origin may not write: %j", async (headers) => {
    for (const method of ["POST", "DELETE"]) {
      const answer = await ask(served, method, { ...headers, "Content-Length": "0" } as Record<string, string>);
      expect(answer.status).toBe(403);
      expect(answer.body).toContain("CORS_ORIGINS");
    }
  });
});

describe("CORS: allowed writes", () => {
  it.each([
    {},
    { "Sec-Fetch-Site": "same-origin" },
    { "Sec-Fetch-Site": "none" },
    { Origin: "http://localhost:9999", "Sec-Fetch-Site": "same-site" },
    { Origin: "https://localhost" },
  ])("CORS: writes from programs and from pages of this host are allowed: %j", async (headers) => {
    expect((await ask(served, "POST", { ...headers, "Content-Length": "0" } as Record<string, string>)).status).toBe(200);
  });
});

it("CORS: only pages of an allowed origin may show pictures, whether they name themselves in Origin or in Referer", async () => {
  const policy = async (headers: Record<string, string>) => (await ask(served, "GET", headers)).header("Cross-Origin-Resource-Policy");
  expect(await policy({})).toBe("same-site");
  expect(await policy({ Origin: page })).toBe("cross-origin");
  expect(await policy({ Referer: `${page}/kitchen?a=1` })).toBe("cross-origin");
  expect(await policy({ Referer: "https://elsewhere.example/" })).toBe("same-site");
  expect(await policy({ Referer: "not an address" })).toBe("same-site");
  expect(await policy({ Origin: "https://elsewhere.example", Referer: `${page}/` })).toBe("same-site");
  expect((await ask(served, "GET", {})).header("Vary")).toContain("Referer");
});

it("CORS: no CORS headers are sent without CORS_ORIGINS", async () => {
  const plain = await serve(routes, operations);
  const answer = await ask(plain, "GET", { Origin: page });
  expect(answer.status).toBe(200);
  expect(answer.header("Access-Control-Allow-Origin")).toBeUndefined();
  expect((await ask(plain, "POST", { Origin: page, "Content-Length": "0" })).status).toBe(403);
  await plain.close();
});
