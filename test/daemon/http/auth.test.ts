import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { keyHeader } from "../../../src/contract/http-client.ts";
import { route } from "../../../src/contract/route.ts";
import { routes as allRoutes } from "../../../src/contract/routes/index.ts";
import { createKeyring } from "../../../src/platform/keys/keyring.ts";
import { type Served, sendRaw, serve } from "./support.ts";

const Reply = z.object({ ok: z.boolean() });
const routes = {
  open: route("/open", { method: "get", summary: "Open", tag: "t", reply: Reply, tier: "none", auth: "none" }),
  picture: route("/picture/{id}", {
    method: "get",
    summary: "Picture",
    tag: "t",
    params: z.object({ id: z.string() }),
    reply: Reply,
    tier: "media",
    auth: "none",
  }),
  closed: route("/closed", { method: "get", summary: "Closed", tag: "t", reply: Reply }),
  write: route("/closed", { method: "post", summary: "Write", tag: "t", body: z.strictObject({ name: z.string() }), reply: Reply }),
  named: route("/named/{name}", { method: "get", summary: "Named", tag: "t", params: z.object({ name: z.string() }), reply: Reply }),
};
const ok = async () => ({ ok: true });
const operations = { open: ok, picture: ok, closed: ok, write: ok, named: ok };

let served: Served;
beforeAll(async () => {
  served = await serve(routes, operations, { keyring: createKeyring(["right", "other-key", "größe"]) });
});
afterAll(() => served.close());

const ask = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${served.url}${path}`, init);
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text), headers: response.headers };
};
const key = (value: string): RequestInit => ({ headers: { "X-API-Key": value } });

const required = { status: 401, body: { detail: "API key required" } };
const invalid = { status: 401, body: { detail: "Invalid API key" } };

describe("authentication", () => {
  it("authentication: requests need a key", async () => {
    const refused = await ask("/closed");
    expect(refused).toMatchObject(required);
    expect(refused.headers.get("x-request-id")).toMatch(/.+/);
    expect(refused.headers.get("www-authenticate")).toBe("ApiKey");
  });

  it("authentication: any of the keys works, in the header or the query", async () => {
    expect((await ask("/closed", key("right"))).status).toBe(200);
    expect((await ask("/closed", key("other-key"))).status).toBe(200);
    expect((await ask("/closed?api_key=right")).status).toBe(200);
    expect((await ask("/closed?x=1&api_key=other-key")).headers.get("x-ignored-parameters")).toBe("x");
    expect((await ask(`/closed?api_key=${encodeURIComponent("größe")}`)).status).toBe(200);
  });

  it("authentication: a key with non-ASCII letters works in the header as typed in a terminal", async () => {
    const sent = Buffer.from("größe").toString("latin1");
    const answer = await sendRaw(served.port, `GET /closed HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${sent}\r\nConnection: close\r\n\r\n`);
    // sendRaw writes UTF-8, so the two letters become four bytes: another key.
    expect(answer).toContain("401");
    const status = await new Promise<number>((done, fail) => {
      request(`${served.url}/closed`, { headers: { "X-API-Key": sent } }, (response) => done(response.resume().statusCode ?? 0))
        .once("error", fail)
        .end();
    });
    expect(status).toBe(200);
    // The homesec commands send it like this.
    expect((await ask("/closed", { headers: keyHeader("größe") })).status).toBe(200);
  });

  it("authentication: other keys are refused", async () => {
    for (const wrong of ["wrong", "RIGHT", "right,other-key", "righ", "right2"])
      expect(await ask("/closed", key(wrong))).toMatchObject(invalid);
    expect(await ask("/closed?api_key=wrong")).toMatchObject(invalid);
    expect(await ask("/closed?API_KEY=right")).toMatchObject(required);
    expect(await ask("/closed?api_key=")).toMatchObject(required);
  });

  it("authentication: the header takes precedence over the query", async () => {
    expect(await ask("/closed?api_key=right", key("wrong"))).toMatchObject(invalid);
    expect((await ask("/closed?api_key=wrong", key("right"))).status).toBe(200);
  });

  it("authentication: comes before validation and before checks of paths and methods, which could leak information", async () => {
    expect(await ask("/closed", { method: "POST", headers: { "Content-Type": "text/plain" }, body: "x" })).toMatchObject(required);
    expect(await ask("/closed", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{" })).toMatchObject(required);
    expect(await ask("/closed", { method: "DELETE" })).toMatchObject(required);
    expect(await ask("/picture/1", { method: "POST" })).toMatchObject(required);
    expect(await ask("/nowhere")).toMatchObject(required);
    expect(await ask("/")).toMatchObject(required);
    expect(await ask("/named/%E0%A4%A")).toMatchObject(required);
    expect((await ask("/nowhere", key("right"))).status).toBe(404);
    expect((await ask("/named/%E0%A4%A", key("right"))).status).toBe(404);
    expect((await ask("/closed", { ...key("right"), method: "DELETE" })).status).toBe(405);
  });

  it("authentication: exempt routes need no key, including HEAD requests", async () => {
    expect((await ask("/open")).status).toBe(200);
    expect((await ask("/open/")).status).toBe(200);
    expect((await ask("/open", { method: "HEAD" })).status).toBe(200);
    expect((await ask("/open", { method: "POST" })).status).toBe(405);
    expect((await ask("/picture/1", key("wrong"))).status).toBe(200);
    expect((await ask("/picture/1", { method: "HEAD" })).status).toBe(200);
    expect((await ask("/closed", { method: "HEAD" })).status).toBe(401);
  });

  it("authentication: OPTIONS needs no key", async () => {
    const answer = await ask("/closed", { method: "OPTIONS" });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("allow")).toBe("GET, POST, HEAD, OPTIONS");
  });

  it("authentication: keys never appear in the log", () => {
    expect(served.log.lines.length).toBeGreaterThan(10);
    expect(JSON.stringify(served.log.lines)).not.toMatch(/right|other-key/);
  });
});

it("authentication: requests need no key if none is configured", async () => {
  const open = await serve(routes, operations);
  expect((await fetch(`${open.url}/closed`)).status).toBe(200);
  expect((await fetch(`${open.url}/closed?api_key=anything`)).headers.get("x-ignored-parameters")).toBeNull();
  await open.close();
});

describe("authentication of the routes", () => {
  const open = Object.values(allRoutes)
    .filter((each) => "auth" in each)
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    .toSorted();

  it("authentication: exactly the exempt routes of the contract need no key", () => {
    expect(open).toEqual(
      [
        "GET /api/cameras/{camera_id}/snapshot",
        "GET /api/detections/{detection_id}/image",
        "GET /api/detections/{detection_id}/preview",
        "GET /api/detections/{detection_id}/thumbnail",
        "GET /api/detections/{detection_id}/video",
        "GET /api/health",
        "GET /health",
        // these tell a browser who it is, and sign it in and out
        "DELETE /api/session",
        "GET /api/session",
        "GET /api/invitations/{token}",
        "POST /api/session",
        // their token is the key
        "POST /api/answers",
        "GET /api/shared/{token}",
        "GET /api/shared/{token}/pictures/{number}",
        "GET /api/shared/{token}/pictures/{number}/thumbnail",
        "GET /api/shared/{token}/pictures/{number}/video",
      ].toSorted(),
    );
  });

  it("authentication: wrong keys are reported with their address, a missing key is not; the answer waits for the report", async () => {
    const reported: (string | undefined)[] = [];
    const onWrongKey = async (request: IncomingMessage) => {
      await sleep(50);
      reported.push(request.socket.remoteAddress);
    };
    const slow = await serve(routes, operations, { keyring: createKeyring(["right"]), onWrongKey });
    expect((await fetch(`${slow.url}/closed`)).status).toBe(401);
    expect((await fetch(`${slow.url}/closed`, key("right"))).status).toBe(200);
    expect(reported).toEqual([]);
    expect((await fetch(`${slow.url}/closed`, key("wrong"))).status).toBe(401);
    expect(reported).toEqual(["127.0.0.1"]);
    await slow.close();
  });

  it("authentication: every route asks for a key except the exempt ones", async () => {
    const everything = Object.fromEntries(Object.keys(allRoutes).map((id) => [id, async () => ({})]));
    const all = await serve(allRoutes, everything, { keyring: createKeyring(["right"]), strictReplies: false });
    for (const { method, path } of Object.values(allRoutes)) {
      const name = `${method.toUpperCase()} ${path}`;
      const response = await fetch(`${all.url}${path.replace(/\{\w+\}/g, "1")}`, { method: method.toUpperCase() });
      const body = await response.text();
      expect([name, response.status === 401]).toEqual([name, !open.includes(name)]);
      if (response.status === 401) expect(JSON.parse(body)).toEqual({ detail: "API key required" });
    }
    await all.close();
  });
});
