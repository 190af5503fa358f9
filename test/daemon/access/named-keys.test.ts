import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testDaemon } from "../../support/daemon.ts";
import { eventually } from "../../support/eventually.ts";
import { type AccessHome, accessHome, configured, listenAs } from "./home.ts";

describe("named keys, while keys are required", () => {
  let home: AccessHome;
  beforeAll(async () => {
    home = await accessHome(true);
  });
  afterAll(() => home?.close());

  it("named keys: a key works at once in header, query and WebSocket, and only its hash is stored", async () => {
    const { api_key, ...record } = await home.createKey({ name: "anna", role: "resident", expires_in_seconds: 3_600 });
    expect(record).toMatchObject({ kind: "key", name: "anna", role: "resident", camera_ids: null, status: "active" });
    expect((await home.ask("GET /api/events", api_key)).status).toBe(200);
    expect((await home.ask(`GET /api/events?api_key=${api_key}`)).status).toBe(200);
    const { socket, messages } = await listenAs(home.daemon.url, { key: api_key });
    expect([messages[0]?.type, socket.protocol]).toEqual(["connected", `api-key.${api_key}`]);
    socket.terminate();
    const [row] = await home.database.db.query((sql) => sql<{ text: string }[]>`select string_agg(k::text, '') as text from keys k`);
    expect(row?.text).not.toContain(api_key.slice(3, 20));
    const list = await home.ask("GET /api/keys", configured);
    expect(list.text).not.toContain(api_key);
    expect(list.body).toMatchObject({ items: [{ name: "anna" }], pagination: { total: 1 } });
  });

  it("named keys: a revoked key is refused at once, and its WebSocket closes with 1008", async () => {
    const { id, api_key } = await home.createKey({ name: "bob", role: "guest", camera_ids: ["door"] });
    const live = await listenAs(home.daemon.url, { key: api_key });
    expect((await home.ask(`DELETE /api/keys/${id}`, configured)).status).toBe(204);
    expect(await home.ask("GET /api/events", api_key)).toMatchObject({ status: 401, body: { detail: "Invalid API key" } });
    expect(await live.closed).toBe(1008);
    const again = await listenAs(home.daemon.url, { key: api_key });
    expect(await again.closed).toBe(1008);
    expect((await home.ask(`DELETE /api/keys/${id}`, configured)).status).toBe(409);
    expect((await home.ask("DELETE /api/keys/nothing", configured)).status).toBe(404);
    // the name is free again
    await home.createKey({ name: "bob", role: "owner" });
  });

  it("named keys: an expired key is refused, and its WebSocket closes with 1008", async () => {
    const { api_key } = await home.createKey({ name: "short", role: "resident", expires_in_seconds: 1 });
    const live = await listenAs(home.daemon.url, { key: api_key });
    expect(live.messages[0]?.type).toBe("connected");
    expect(await live.closed).toBe(1008);
    expect((await home.ask("GET /api/events", api_key)).status).toBe(401);
  });

  it("named keys: a key that another daemon revokes stops working here", async () => {
    const other = await testDaemon({
      env: { ...home.services, DATABASE_URL: home.database.url, API_KEY_ENABLED: "true", API_KEYS: configured },
    });
    const { id, api_key } = await home.createKey({ name: "shared", role: "owner" });
    const works = async (): Promise<boolean> =>
      (await fetch(`${other.url}/api/events`, { headers: { "X-API-Key": api_key } })).status === 200;
    await eventually(works, { what: "the key at the other daemon" });
    const revoked = await fetch(`${other.url}/api/keys/${id}`, { method: "DELETE", headers: { "X-API-Key": configured } });
    expect(revoked.status).toBe(204);
    await eventually(async () => (await home.ask("GET /api/events", api_key)).status === 401, { what: "the end of the key here" });
    await other.stop();
  }, 120_000);

  it("named keys: wrong requests for keys are refused with the reason", async () => {
    const create = (body: object) => home.ask("POST /api/keys", configured, body);
    expect((await create({ name: "x", role: "guest" })).status).toBe(422);
    expect((await create({ name: "x", role: "owner", camera_ids: ["door"] })).status).toBe(422);
    expect((await create({ name: "x", role: "king" })).status).toBe(422);
    expect((await create({ name: "x", role: "guest", camera_ids: ["none"] })).status).toBe(404);
    expect((await create({ name: "anna", role: "owner" })).body).toEqual({ detail: expect.stringContaining('the name "anna"') });
    expect((await home.ask("POST /api/keys", undefined, { name: "x", role: "owner" })).status).toBe(401);
  });

  it("named keys: the check of a key costs no query", async () => {
    const { api_key } = await home.createKey({ name: "quick", role: "guest", camera_ids: ["door"] });
    await home.database.db.transaction(async (sql) => {
      await sql`lock table keys in access exclusive mode`;
      for (let n = 0; n < 5; n += 1) expect((await home.ask("GET /api/cameras", api_key)).status).toBe(200);
    });
  });
});

describe("named keys, while keys are off", () => {
  let home: AccessHome;
  beforeAll(async () => {
    home = await accessHome(false);
  });
  afterAll(() => home?.close());

  it("named keys: clients without a key and with an unknown one may do everything, a guest key is limited, a revoked one refused", async () => {
    const { id, api_key } = await home.createKey({ name: "anna", role: "guest", camera_ids: ["door"] });
    const counts = async (key?: string) => ((await home.ask("GET /api/cameras", key)).body as { readonly count?: number }).count;
    expect([await counts(), await counts("unknown"), await counts(api_key)]).toEqual([2, 2, 1]);
    expect((await home.ask("GET /api/rules", api_key)).status).toBe(404);
    expect((await home.ask("GET /api/alerts/rules", api_key)).status).toBe(403);
    const [anyone, guest] = [await listenAs(home.daemon.url, {}), await listenAs(home.daemon.url, { key: api_key })];
    await home.ask(`PATCH /api/events/${home.events["yard"]}`, undefined, { notes: "seen" });
    await eventually(() => anyone.messages.some(({ type }) => type === "event.updated"), { what: "the message" });
    expect(guest.messages.map(({ type }) => type)).toEqual(["connected"]);
    expect((await home.ask(`DELETE /api/keys/${id}`)).status).toBe(204);
    expect((await home.ask("GET /api/cameras", api_key)).status).toBe(401);
    expect((await home.ask(`GET /api/cameras/door/snapshot`, api_key)).status).toBe(401);
    expect((await home.ask("GET /health", api_key)).status).toBe(200);
    expect(await guest.closed).toBe(1008);
    expect(await counts()).toBe(2);
    expect(anyone.socket.readyState).toBe(anyone.socket.OPEN);
    anyone.socket.terminate();
  });

  it("named keys: a client of another machine needs a key to create one", async () => {
    const forwarded = { "X-Forwarded-For": "198.18.0.1" };
    const body = { name: "x", role: "owner" };
    expect((await home.ask("POST /api/keys", undefined, body, forwarded)).status).toBe(403);
    const { api_key } = await home.createKey({ name: "boss", role: "owner" });
    expect((await home.ask("POST /api/keys", api_key, body, forwarded)).status).toBe(201);
  });
});
