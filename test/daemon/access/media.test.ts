import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";
import { type AccessHome, accessHome, configured, listenAs } from "./home.ts";

let home: AccessHome;
let chat: Receiver;
beforeAll(async () => {
  chat = await receiver();
  home = await accessHome(true, { MEDIA_REQUIRES_KEY: "true", DEFAULT_WEBHOOK_URL: chat.url, PUBLIC_URL: "http://home.test" });
});
afterAll(async () => {
  await home?.close();
  await chat?.close();
});

const media = (camera: string): readonly string[] => [
  `/api/cameras/${camera}/snapshot`,
  `/api/detections/${home.detections[camera]}/image`,
  `/api/detections/${home.detections[camera]}/thumbnail`,
  `/api/detections/${home.detections[camera]}/preview`,
  `/api/detections/${home.detections[camera]}/video`,
];
const statusOf = async (path: string, key?: string, headers?: Readonly<Record<string, string>>): Promise<number> =>
  (await home.ask(`GET ${path}`, key, undefined, headers)).status;

/** Signs a browser in with a key and returns its cookie. */
async function signIn(key: string) {
  const reply = await home.ask("POST /api/session/key", key);
  return { ...reply, cookie: { Cookie: (reply.headers.get("Set-Cookie") ?? "").split(";")[0] ?? "" } };
}

describe("media with MEDIA_REQUIRES_KEY=true", () => {
  it("media: pictures and videos need a key or a session", async () => {
    const { cookie } = await signIn(configured);
    for (const path of media("door")) {
      expect([path, await statusOf(path), await statusOf(path, "wrong")]).toEqual([path, 401, 401]);
      // the detection is from a picture
      const found = path.endsWith("video") ? 400 : 200;
      expect([path, await statusOf(path, configured), await statusOf(path, undefined, cookie)]).toEqual([path, found, found]);
    }
    const { api_key } = await home.createKey({ name: "guest", role: "guest", camera_ids: ["door"] });
    const [, picture = "", , preview = ""] = media("yard");
    expect([await statusOf(picture, api_key), await statusOf(preview, api_key)]).toEqual([404, 404]);
    const [, , , own = ""] = media("door");
    expect(await statusOf(own, api_key)).toBe(200);
  });

  it("media: messages carry a signed address that works without a key, for this picture only", async () => {
    await home.ask("POST /api/alerts/rules", configured, {
      ...{ name: "All", severity: "high", risk_threshold: 10, cooldown_seconds: 0, channels: ["webhook"] },
    });
    const detection = { camera_id: "door", detected_at: new Date().toISOString(), object_type: "person", confidence: 0.8 };
    const file_path = `${home.daemon.cameraRoot}/door/a.jpg`;
    const made = await home.ask("POST /api/detections/bulk", configured, { detections: [{ ...detection, file_path }] });
    const [{ id }] = (made.body as { results: [{ id: number }] }).results;
    const event = { camera_id: "door", started_at: detection.detected_at, risk_score: 90, summary: "Someone", detection_ids: [id] };
    await home.ask("POST /api/events/bulk", configured, { events: [event] });
    await eventually(() => chat.received.length > 0, { what: "the message", timeoutMs: 30_000 });
    const address = (JSON.parse(chat.received[0]?.body ?? "{}") as { event: { thumbnail_url: string } }).event.thumbnail_url;
    const { origin, pathname, search, searchParams } = new URL(address);
    expect([origin, pathname]).toEqual(["http://home.test", `/api/detections/${id}/thumbnail`]);
    const days = (Number(searchParams.get("expires")) * 1_000 - Date.now()) / 86_400_000;
    expect(days > 7 && days <= 8).toBe(true);
    const reply = await home.ask(`GET ${pathname}${search}`);
    expect([reply.status, reply.headers.get("X-Ignored-Parameters")]).toEqual([200, null]);
    expect(await home.ask(`GET /api/detections/${id}/image${search}`)).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining("signature of this address is wrong") },
    });
    const later = search.replace(/expires=\d+/, `expires=${Number(searchParams.get("expires")) + 86_400}`);
    expect(await statusOf(`${pathname}${later}`)).toBe(401);
    expect(await statusOf(`/api/detections/${id}${search}`)).toBe(401);
  });

  it("media: a session from a key has its rights, is listed, and ends with the key", async () => {
    const { id, api_key } = await home.createKey({ name: "tablet", role: "guest", camera_ids: ["door"] });
    const { status, body, text, headers, cookie } = await signIn(api_key);
    expect([status, body]).toMatchObject([201, { kind: "session", name: "tablet", role: "guest", camera_ids: ["door"] }]);
    expect(text + headers.get("Set-Cookie")).not.toContain(api_key);
    const [, picture = ""] = media("door");
    expect(await statusOf(picture, undefined, cookie)).toBe(200);
    const live = await listenAs(home.daemon.url, { headers: cookie });
    expect((await home.ask(`DELETE /api/keys/${id}`, configured)).status).toBe(204);
    expect(await statusOf(picture, undefined, cookie)).toBe(401);
    expect(await live.closed).toBe(1008);
    const active = await home.ask("GET /api/keys?status=active", configured);
    expect(active.text).not.toContain("tablet");
  });

  it("media: a key that is no key gets no session", async () => {
    expect((await home.ask("POST /api/session/key")).status).toBe(401);
    expect((await home.ask("POST /api/session/key", "wrong")).status).toBe(401);
    const { cookie } = await signIn(configured);
    const [row] = await home.database.db.query(
      (sql) =>
        sql<{ mac: string }[]>`select encode(from_mac, 'hex') as mac from keys where name = 'API_KEYS' order by created_at desc limit 1`,
    );
    // a key that is no longer in API_KEYS leaves no session behind
    await home.database.db.transaction(async (sql) => {
      await sql`update keys set from_mac = sha256('another key') where encode(from_mac, 'hex') = ${row?.mac ?? ""}`;
      await sql`select pg_notify('homesec_keys', '')`;
    });
    await eventually(async () => (await statusOf("/api/events", undefined, cookie)) === 401, { what: "the end of the session" });
  });
});
