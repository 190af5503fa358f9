import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { includesRole, messageNeeds, needs } from "../../../src/contract/access.ts";
import { type KeyRole, keyRoles } from "../../../src/contract/constants.ts";
import { JournalMessage } from "../../../src/contract/live.ts";
import type { Route } from "../../../src/contract/route.ts";
import { type OperationId, routes } from "../../../src/contract/routes/index.ts";
import { eventually } from "../../support/eventually.ts";
import { type AccessHome, accessHome, listenAs } from "./home.ts";

let home: AccessHome;
const keys = {} as Record<KeyRole, string>;

beforeAll(async () => {
  home = await accessHome(true);
  for (const role of keyRoles) {
    const { api_key } = await home.createKey({ name: role, role, ...(role === "guest" && { camera_ids: ["door"] }) });
    keys[role] = api_key;
  }
});
afterAll(() => home?.close());

/** Routes that an owner does not run here: they take long, or end what the other tests need. */
const notRun: readonly OperationId[] = ["runSelftest", "cleanUp"];
const all = Object.entries<Route>(routes) as [OperationId, Route][];

/** The path of a route for one camera: with ids that exist if the route needs a camera, an event or a detection. */
function pathOf({ path }: Route, camera: string): string {
  return path
    .replace("{camera_id}", camera)
    .replace("{event_id}", String(home.events[camera]))
    .replace("{detection_id}", String(home.detections[camera]))
    .replaceAll(/\{\w+\}/g, "nothing");
}

describe("roles", () => {
  it("roles: every route and every message has an entry in the table, and no other", () => {
    expect(Object.keys(needs).toSorted()).toEqual(Object.keys(routes).toSorted());
    const types = JournalMessage.options.map(({ shape }) => shape.type.value);
    expect(Object.keys(messageNeeds).toSorted()).toEqual(types.toSorted());
  });

  it.each(keyRoles)(
    "roles: %s is refused exactly the routes that need another role",
    async (role) => {
      const refused: string[] = [];
      for (const [id, route] of all) {
        const may = includesRole(role, needs[id].role);
        // what an owner or a resident may change would change it
        if (may && (route.method !== "get" || notRun.includes(id))) continue;
        const { status, body } = await home.ask(`${route.method.toUpperCase()} ${pathOf(route, "door")}`, keys[role]);
        if (status === 403) {
          expect(body).toEqual({ detail: expect.stringContaining(`has the role ${role}`) });
          refused.push(id);
        }
        expect([id, status]).not.toEqual([id, 401]);
      }
      const expected = all.filter(([id]) => !includesRole(role, needs[id].role)).map(([id]) => id);
      expect(refused.toSorted()).toEqual(expected.toSorted());
      // the self-check of a busy machine takes its time
    },
    120_000,
  );

  it("roles: everything of another camera is as if it did not exist for a guest, pictures included", async () => {
    const scoped = all.filter(([id]) => ["camera", "event", "detection"].includes((needs[id] as { cameras?: string }).cameras ?? ""));
    expect(scoped.length).toBeGreaterThan(8);
    for (const [id, route] of scoped) {
      const other = await home.ask(`GET ${pathOf(route, "yard")}`, keys.guest);
      const missing = await home.ask(`GET ${route.path.replace("{camera_id}", "none").replaceAll(/\{\w+\}/g, "987654")}`, keys.guest);
      expect([id, other.status, missing.status]).toEqual([id, 404, 404]);
      const plain = (text: string) => text.replaceAll(/\d+|yard|none/g, "X");
      expect(plain(other.text)).toBe(plain(missing.text));
    }
    for (const path of [`/api/detections/${home.detections["door"]}/image`, `/api/detections/${home.detections["door"]}/thumbnail`]) {
      expect((await home.ask(`GET ${path}`, keys.guest)).status).toBe(200);
    }
  });

  it("roles: lists, searches and statistics of a guest hold only its cameras", async () => {
    const query = "q=walker&start_date=2026-02-01T00:00:00Z&end_date=2026-02-02T00:00:00Z";
    const filtered = all.filter(([id]) => ["query", "list"].includes((needs[id] as { cameras?: string }).cameras ?? ""));
    expect(filtered.length).toBeGreaterThan(6);
    for (const [id, { path }] of filtered) {
      const search = id === "searchDetections" ? query.replace("walker", "person") : query;
      const [mine, everything] = [
        await home.ask(`GET ${path}?${search}`, keys.guest),
        await home.ask(`GET ${path}?${search}`, keys.resident),
      ];
      expect([id, mine.status, everything.status]).toEqual([id, 200, 200]);
      expect([id, mine.text]).not.toEqual([id, everything.text]);
      expect([id, mine.text.includes("yard")]).toEqual([id, false]);
      const none = await home.ask(`GET ${path}?${search}&camera_id=yard`, keys.guest);
      const nothing = await home.ask(`GET ${path}?${search}&camera_id=none`, keys.guest);
      if (id !== "listCameras") expect([id, none.text]).toEqual([id, nothing.text]);
    }
    const { body } = await home.ask("GET /api/cameras", keys.guest);
    expect(body).toMatchObject({ count: 1, pagination: { total: 1 }, cameras: [{ camera_id: "door" }] });
  });

  it("roles: a resident reviews, notes, mutes and switches the mode, and changes nothing else", async () => {
    const event = home.events["yard"];
    expect((await home.ask(`PATCH /api/events/${event}`, keys.resident, { reviewed: true, notes: "the postman" })).status).toBe(200);
    const silence = await home.ask("POST /api/silences", keys.resident, { all: true, duration_seconds: 60, reason: "Moving in" });
    expect(silence.status).toBe(201);
    expect((await home.ask("PATCH /api/cameras/yard", keys.resident, { name: "Other" })).status).toBe(403);
    expect((await home.ask(`DELETE /api/events/${event}`, keys.resident)).status).toBe(403);
    expect((await home.ask("PUT /api/mode", keys.resident, { mode: "night" })).body).toMatchObject({ mode: "night" });
    expect((await home.ask("PUT /api/modes/night", keys.resident, { exit_delay_seconds: 5 })).status).toBe(403);
    expect((await home.ask("PUT /api/mode", keys.guest, { mode: "off" })).status).toBe(403);
    expect((await home.ask("GET /api/keys", keys.resident)).status).toBe(403);
    expect((await home.ask(`PATCH /api/events/${home.events["door"]}`, keys.guest, { reviewed: true })).status).toBe(403);
  });

  it("roles: an alert says which key acknowledged it, and explain too", async () => {
    const id = "00000000-0000-4000-8000-000000000001";
    const metadata = { rule_name: "Night", matched_conditions: [], channels: [], reason: null };
    await home.database.db.query(
      (sql) => sql`
        insert into alerts (alert_id, event_id, rule_name, camera_id, severity, status, dedup_key, alert_metadata, created_at, updated_at)
        values (${id}, ${home.events["door"] ?? 0}, 'Night', 'door', 'high', 'pending', 'x', ${JSON.stringify(metadata)}::text::jsonb, now(), now())
      `,
    );
    const closed = await home.ask(`POST /api/alerts/${id}/acknowledge`, keys.resident);
    expect([closed.status, closed.body]).toMatchObject([200, { alert_metadata: { closed_by: "resident" } }]);
    expect((await home.ask(`GET /api/alerts/${id}/explain`, keys.resident)).text).toContain("It was acknowledged by resident");
  });

  it("roles: a guest receives the live messages of its cameras, also when it resumes", async () => {
    const [guest, resident] = await Promise.all([
      listenAs(home.daemon.url, { key: keys.guest }),
      listenAs(home.daemon.url, { key: keys.resident }),
    ]);
    for (const camera of ["yard", "door"]) await home.ask(`PATCH /api/events/${home.events[camera]}`, keys.owner, { notes: camera });
    const notesOf = ({ messages }: typeof guest): unknown[] =>
      messages.filter(({ type }) => type === "event.updated").map(({ data }) => data["notes"]);
    await eventually(() => notesOf(guest).length > 0 && notesOf(resident).length > 1, { what: "the messages" });
    expect([notesOf(guest), notesOf(resident)]).toEqual([["door"], ["yard", "door"]]);
    const replayed = await listenAs(home.daemon.url, { key: keys.guest, since: 0 });
    await eventually(() => notesOf(replayed).length > 0, { what: "the history" });
    const cameras = replayed.messages.filter((message) => "sequence" in message).map(({ data }) => data["camera_id"]);
    expect(new Set(cameras)).toEqual(new Set(["door"]));
    for (const { socket } of [guest, resident, replayed]) socket.terminate();
  });

  it("roles: a share shows its event to anyone, and nothing else of the home, until it is revoked", async () => {
    const made = await home.ask(`POST /api/events/${home.events["yard"]}/shares`, keys.resident, { expires_in_seconds: 3_600 });
    const { id, token, url } = made.body as { readonly id: string; readonly token: string; readonly url: string };
    expect([made.status, url]).toEqual([201, `${home.daemon.url}/shared/${token}`]);
    expect(made.body).toMatchObject({ created_by: "resident", status: "active", view_count: 0 });

    const shown = await home.ask(`GET /api/shared/${token}`);
    expect([shown.status, shown.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    const { pictures, ...event } = shown.body as { readonly pictures: readonly Readonly<Record<string, string>>[] };
    expect(event).toMatchObject({ kind: "event", camera: "yard", summary: "A walker", risk_score: 50, object_types: ["person"] });
    expect(shown.text).not.toMatch(/"\w*id"|_path|reasoning|notes|\.jpg/);
    expect(pictures).toHaveLength(1);
    for (const name of ["image_url", "thumbnail_url"]) {
      const picture = await home.ask(`GET ${pictures[0]?.[name]}`);
      expect([name, picture.status, picture.headers.get("Content-Type")]).toEqual([name, 200, "image/jpeg"]);
    }
    for (const rest of ["/pictures/2", "/pictures/2/thumbnail"])
      expect((await home.ask(`GET /api/shared/${token}${rest}`)).status).toBe(404);
    expect((await home.ask(`GET /api/shared/${token}/pictures/1/video`)).status).toBe(400);
    // the token is no key
    for (const path of ["/api/events", `/api/events/${home.events["yard"]}`, "/api/shares"]) {
      expect([path, (await home.ask(`GET ${path}`, token)).status]).toEqual([path, 401]);
    }

    const listed = await home.ask(`GET /api/shares?status=active&event_id=${home.events["yard"]}`, keys.resident);
    expect(listed.body).toMatchObject({ items: [{ id, view_count: 1, last_viewed_at: expect.any(String) }], pagination: { total: 1 } });
    expect(listed.text).not.toContain(token);
    const [row] = await home.database.db.query((sql) => sql<{ text: string }[]>`select string_agg(s::text, '') as text from shares s`);
    expect(row?.text).not.toContain(token.slice(3, 20));

    expect((await home.ask(`DELETE /api/shares/${id}`, keys.guest)).status).toBe(403);
    expect((await home.ask(`DELETE /api/shares/${id}`, keys.resident)).status).toBe(204);
    expect((await home.ask(`DELETE /api/shares/${id}`, keys.resident)).status).toBe(409);
    for (const path of [`/api/shared/${token}`, pictures[0]?.["image_url"]]) {
      expect(await home.ask(`GET ${path}`)).toMatchObject({
        status: 410,
        body: { detail: expect.stringContaining("has revoked the link") },
      });
    }
  });

  it("roles: a share that has ended, or whose event is deleted, says so; an unknown one is 404", async () => {
    const share = async () => {
      const { body } = await home.ask(`POST /api/events/${home.events["yard"]}/shares`, keys.owner, {});
      return body as { readonly id: string; readonly token: string; readonly expires_at: string };
    };
    const [late, other] = [await share(), await share()];
    expect((Date.parse(late.expires_at) - Date.now()) / 86_400_000).toBeCloseTo(7, 1);
    await home.database.db.query(
      (sql) =>
        sql`update shares set created_at = now() - interval '2 days', expires_at = now() - interval '1 day' where share_id = ${late.id}`,
    );
    const says = async ({ token }: { readonly token: string }) => {
      const { status, body } = await home.ask(`GET /api/shared/${token}`);
      return [status, (body as { readonly detail?: string }).detail];
    };
    expect(await says(late)).toEqual([410, "This link has ended; ask for a new link"]);
    await home.ask(`DELETE /api/events/${home.events["yard"]}`, keys.owner);
    expect(await says(other)).toEqual([410, "What this link showed was deleted; ask for a new link"]);
    expect((await home.ask(`POST /api/events/${home.events["yard"]}/shares`, keys.owner, {})).status).toBe(404);
    await home.ask(`POST /api/events/${home.events["yard"]}/restore`, keys.owner);
    expect((await says(other))[0]).toBe(200);
    expect(await says({ token: "hs_nothing" })).toEqual([404, expect.stringContaining("This link is not valid")]);
    const tooLong = await home.ask(`POST /api/events/${home.events["yard"]}/shares`, keys.owner, { expires_in_seconds: 366 * 86_400 });
    expect(tooLong.status).toBe(422);
  });
});
