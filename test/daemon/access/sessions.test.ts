import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type AccessHome, accessHome, configured, listenAs } from "./home.ts";

let home: AccessHome;
beforeAll(async () => {
  home = await accessHome(true, { RATE_LIMIT_ENABLED: "true", RATE_LIMIT_MEDIA_REQUESTS_PER_MINUTE: "1", PUBLIC_URL: "https://home.test" });
}, 120_000);
afterAll(() => home?.close());

type Session = Readonly<Record<string, unknown>>;

/** Invites a person and accepts the invitation as a browser does. Returns its cookie. */
async function signIn(body: object, headers: Readonly<Record<string, string>> = {}) {
  const invited = await home.ask("POST /api/keys/invitations", configured, body);
  const { token } = invited.body as { readonly token: string };
  const accepted = await home.ask("POST /api/session", undefined, { token }, { "User-Agent": "A phone", ...headers });
  const cookie = accepted.headers.get("Set-Cookie") ?? "";
  return { invited, accepted, token, attributes: cookie, cookie: { Cookie: cookie.split(";")[0] ?? "" } };
}

describe("sessions", () => {
  it("sessions: an invitation works once, and its cookie signs the browser in", async () => {
    const { invited, accepted, token, attributes, cookie } = await signIn({ name: "anna", role: "guest", camera_ids: ["door"] });
    expect(invited.body).toMatchObject({ kind: "invitation", path: `/invite/${token}`, url: `https://home.test/invite/${token}` });
    expect([accepted.status, accepted.body]).toEqual([
      201,
      { kind: "session", name: "anna", role: "guest", camera_ids: ["door"], expires_at: expect.any(String), keys_required: true },
    ]);
    expect(attributes).toMatch(/^homesec_session=hs_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=34560000$/);
    expect(accepted.text).not.toContain(cookie.Cookie.slice(16));
    expect((await home.ask("POST /api/session", undefined, { token })).status).toBe(410);
    expect((await home.ask("GET /api/session", undefined, undefined, cookie)).body).toEqual(accepted.body);
    expect((await home.ask("GET /api/cameras", undefined, undefined, cookie)).body).toMatchObject({ count: 1 });
    expect((await home.ask("GET /api/alerts", undefined, undefined, cookie)).status).toBe(403);
    expect((await home.ask("GET /api/cameras")).status).toBe(401);
    const { messages, socket } = await listenAs(home.daemon.url, { headers: cookie });
    expect(messages[0]?.type).toBe("connected");
    socket.terminate();
    // a key in the header counts before the cookie
    expect((await home.ask("GET /api/cameras", configured, undefined, cookie)).body).toMatchObject({ count: 2 });
    expect((await home.ask("GET /api/cameras", "wrong", undefined, cookie)).status).toBe(401);
  });

  it("sessions: an invitation shows what it grants, also several times, and afterwards why it works no longer", async () => {
    const { token } = (await home.ask("POST /api/keys/invitations", configured, { name: "page", role: "owner" })).body as { token: string };
    for (let times = 0; times < 2; times += 1) {
      expect(await home.ask(`GET /api/invitations/${token}`)).toMatchObject({ status: 200, body: { name: "page", role: "owner" } });
    }
    const accept = (headers: Readonly<Record<string, string>>) => home.ask("POST /api/session", undefined, { token }, headers);
    expect((await accept({ Origin: "https://evil.test" })).status).toBe(403);
    expect((await accept({ Origin: new URL(home.daemon.url).origin })).status).toBe(201);
    const used = { status: 410, body: { detail: expect.stringContaining("was accepted already, or revoked") } };
    expect(await home.ask(`GET /api/invitations/${token}`)).toMatchObject(used);
    expect(await home.ask("GET /api/invitations/hs_nothing")).toMatchObject({ status: 404 });
  });

  it("sessions: behind TLS the cookie is sent over TLS only", async () => {
    const { attributes } = await signIn({ name: "tls", role: "owner" }, { "X-Forwarded-Proto": "https" });
    expect(attributes).toContain("; Secure");
  });

  it("sessions: an invitation ends after ten minutes", async () => {
    const { token } = (await home.ask("POST /api/keys/invitations", configured, { name: "late", role: "owner" })).body as { token: string };
    await home.database.db.query(
      (sql) =>
        sql`update keys set created_at = now() - interval '11 minutes', expires_at = now() - interval '1 minute' where name = 'late'`,
    );
    expect((await home.ask("POST /api/session", undefined, { token })).status).toBe(410);
  });

  it("sessions: pages of other origins cannot use the cookie, also not on another port of this host", async () => {
    const { cookie } = await signIn({ name: "pages", role: "resident" });
    const read = async (headers: Readonly<Record<string, string>>) =>
      (await home.ask("GET /api/events", undefined, undefined, { ...cookie, ...headers })).status;
    const own = new URL(home.daemon.url).origin;
    expect(await read({ Origin: own })).toBe(200);
    expect(await read({ "Sec-Fetch-Site": "same-origin" })).toBe(200);
    expect(await read({ "Sec-Fetch-Site": "same-site" })).toBe(401);
    expect(await read({ Origin: "http://127.0.0.1:1" })).toBe(401);
    const silence = { all: true, duration_seconds: 60, reason: "x" };
    const write = async (headers: Readonly<Record<string, string>>) =>
      (await home.ask("POST /api/silences", undefined, silence, { ...cookie, ...headers })).status;
    expect(await write({ Origin: "https://evil.test" })).toBe(403);
    expect(await write({ Origin: "http://127.0.0.1:1" })).toBe(401);
    expect(await write({ Origin: own })).toBe(201);
    expect(await (await listenAs(home.daemon.url, { headers: { ...cookie, Origin: "http://127.0.0.1:1" } })).closed).toBe(1008);
  });

  it("sessions: they are listed with device and last use, and end at once by the owner and by signing out", async () => {
    const [phone, tablet] = [await signIn({ name: "bob", role: "resident" }), await signIn({ name: "bob", role: "resident" })];
    await home.ask("GET /api/events", undefined, undefined, phone.cookie);
    const listed = async (): Promise<readonly Session[]> => {
      const { items } = (await home.ask("GET /api/keys?status=active", configured)).body as { readonly items: readonly Session[] };
      return items.filter(({ name }) => name === "bob");
    };
    await eventually(async () => (await listed()).some(({ last_seen_at }) => last_seen_at !== null), { what: "the last use" });
    expect(await listed()).toMatchObject([
      { kind: "session", device: "A phone" },
      { kind: "session", device: "A phone" },
    ]);
    const live = await listenAs(home.daemon.url, { headers: phone.cookie });
    const [, first] = await listed();
    expect((await home.ask(`DELETE /api/keys/${first?.["id"]}`, configured)).status).toBe(204);
    expect((await home.ask("GET /api/events", undefined, undefined, phone.cookie)).status).toBe(401);
    expect(await live.closed).toBe(1008);
    expect((await home.ask("GET /api/events", undefined, undefined, tablet.cookie)).status).toBe(200);
    const out = await home.ask("DELETE /api/session", undefined, undefined, tablet.cookie);
    expect([out.status, out.headers.get("Set-Cookie")]).toEqual([204, expect.stringMatching(/^homesec_session=; .*Max-Age=0$/)]);
    expect((await home.ask("GET /api/events", undefined, undefined, tablet.cookie)).status).toBe(401);
    expect((await home.ask("GET /api/session", undefined, undefined, tablet.cookie)).body).toMatchObject({
      role: null,
      keys_required: true,
    });
    expect(await listed()).toEqual([]);
  });

  it("sessions: a grid of 60 pictures of a session does not use up the media tier of others", async () => {
    const { cookie } = await signIn({ name: "grid", role: "resident" });
    const path = `/api/detections/${home.detections["door"]}/thumbnail`;
    const statuses: number[] = [];
    for (let n = 0; n < 60; n += 1) statuses.push((await home.ask(`GET ${path}`, undefined, undefined, cookie)).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const others: number[] = [];
    for (let n = 0; n < 12; n += 1) others.push((await home.ask(`GET ${path}`)).status);
    // one a minute and the burst of ten
    expect(others).toEqual([...Array.from({ length: 11 }, () => 200), 429]);
  });

  it("sessions: a session that is in use is extended", async () => {
    const { cookie } = await signIn({ name: "often", role: "owner" });
    await home.database.db.query(
      (sql) => sql`update keys set expires_at = now() + interval '2 days' where name = 'often' and kind = 'session'`,
    );
    await home.createKey({ name: "reload", role: "owner" });
    await home.ask("GET /api/events", undefined, undefined, cookie);
    const days = async (): Promise<number> => {
      const { body } = await home.ask("GET /api/session", undefined, undefined, cookie);
      return (Date.parse(String((body as Session)["expires_at"])) - Date.now()) / 86_400_000;
    };
    await eventually(async () => (await days()) > 89, { what: "the extension" });
  });
});

describe("the page in a home without keys", () => {
  it("sessions: the page has the limits of browsers in a home that asks for no key, and other clients keep theirs", async () => {
    const open = await accessHome(false, { RATE_LIMIT_ENABLED: "true", RATE_LIMIT_REQUESTS_PER_MINUTE: "5", RATE_LIMIT_BURST: "1" });
    try {
      const page = await fetch(`${open.daemon.url}/`);
      await page.arrayBuffer();
      const cookie = { Cookie: page.headers.get("Set-Cookie")?.split(";")[0] ?? "" };
      const statuses = async (headers: Readonly<Record<string, string>>, count: number): Promise<ReadonlySet<number>> => {
        const replies = await Promise.all(Array.from({ length: count }, () => open.ask("GET /api/cameras", undefined, undefined, headers)));
        return new Set(replies.map(({ status }) => status));
      };
      // ten pages within a minute
      expect(await statuses(cookie, 100)).toEqual(new Set([200]));
      expect(await statuses({}, 8)).toEqual(new Set([200, 429]));
      // another site's page cannot use the cookie
      expect(await statuses({ ...cookie, "Sec-Fetch-Site": "cross-site" }, 3)).toEqual(new Set([429]));
    } finally {
      await open.close();
    }
  });

  it("sessions: where a key is required, the page's cookie gives nobody the limits of browsers", async () => {
    const replies = await Promise.all(
      Array.from({ length: 80 }, () => home.ask("GET /api/cameras", undefined, undefined, { Cookie: "homesec_page=1" })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401, 429]));
  });
});
