import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { phoneKinds } from "../../../src/alerting/channels/kinds.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { ntfyServer } from "../../support/phones/ntfy.ts";

let desk: Desk;
let server: Awaited<ReturnType<typeof ntfyServer>>;
beforeAll(async () => {
  [desk, server] = await Promise.all([openDesk(), ntfyServer({ token: "tk_a_secret", mostBytes: 100_000 })]);
});
afterAll(async () => {
  await Promise.all([desk.close(), server.close()]);
});
beforeEach(async () => {
  server.breakWith(() => undefined);
  await desk.db.query((sql) => sql`delete from channels`);
});

const add = (settings: object = {}, body: object = {}) =>
  desk.ask("createChannel", {
    body: {
      name: "Anna's phone",
      kind: "ntfy",
      settings: { server: server.url, topic: "home", token: "tk_a_secret", ...settings },
      ...body,
    },
  });
const test = (id: string) => desk.ask("testChannel", { params: { id } });

describe("channels to phones by ntfy", () => {
  it("ntfy: a server that does not repeat the name of a message cannot change it, so nothing extra is sent to it", () => {
    const { sender, changeable = "" } = phoneKinds.ntfy;
    const { verdict } = sender({ topic: "home" });
    const [id, name] = ["Nw7q0Xq2dHVb", "5f0c1f2e-6d0e-4a59-8f5c-0a1b2c3d4e5f"];
    const referenceOf = (body: object) => verdict({ status: 200, body: JSON.stringify({ id, ...body }) }).reference ?? "";
    expect([referenceOf({}), referenceOf({ sequence_id: name })]).toEqual([id, name]);
    expect([id, name].map((reference) => new RegExp(changeable).test(reference))).toEqual([false, true]);
  });

  it("ntfy: a test message arrives with a picture, and the answer contains no secret", async () => {
    const channel = await add();
    expect(channel).toMatchObject({ settings: { server: server.url, topic: "home" }, secrets: ["token"], last_attempt_at: null });
    expect(await test(channel.id)).toEqual({ success: true, error: null, message: "ntfy accepted the test message" });
    const message = server.messages.at(-1);
    expect(message).toMatchObject({ topic: "home", title: "Test message from homesec", priority: 3, tags: ["house"] });
    expect(message?.message).toContain('"Anna\'s phone"');
    expect(await sharp(message?.picture).metadata()).toMatchObject({ format: "jpeg", width: 960 });
    const shown = await desk.ask("getChannel", { params: { id: channel.id } });
    expect(shown).toMatchObject({ last_error: null, last_attempt_at: expect.any(String) });
    expect(JSON.stringify([channel, shown, await desk.ask("listChannels")])).not.toContain("tk_a_secret");
    const stored = await desk.db.query((sql) => sql`select to_jsonb(c) as row from channels c`);
    expect(JSON.stringify(stored)).not.toContain("tk_a_secret");
  });

  it("ntfy: a user name with a password works instead of a token", async () => {
    const { id } = await add({ token: null, username: "anna", password: "tk_a_secret" });
    expect(await test(id)).toMatchObject({ success: true });
  });

  it("ntfy: a wrong token is named with the fix, and a server that repeats it shows no secret", async () => {
    const { id } = await add({ token: "tk_wrong" });
    const refused = await test(id);
    expect(refused).toMatchObject({ success: false, error: "ntfy answered 401: unauthorized; set the token or the password again" });
    server.breakWith(() => ({ status: 500, body: { error: "no such token: tk_wrong" } }));
    expect(await test(id)).toMatchObject({ error: "ntfy answered 500: no such token: ***" });
    expect(await desk.ask("getChannel", { params: { id } })).toMatchObject({ last_error: "ntfy answered 500: no such token: ***" });
  });

  it("ntfy: a server that takes no attachments gets the message without the picture", async () => {
    const { id } = await add();
    const before = server.messages.length;
    const refusal = { status: 400, body: { code: 40014, http: 400, error: "invalid request: attachments not allowed" } };
    server.breakWith(({ headers }) => (headers["x-filename"] === undefined ? undefined : refusal));
    expect(await test(id)).toMatchObject({ success: true });
    expect(server.messages).toHaveLength(before + 1);
    expect(server.messages.at(-1)).toMatchObject({
      picture: undefined,
      message: expect.stringContaining("(No picture: ntfy did not accept it.)"),
    });
  });

  it("ntfy: an answer of something else than ntfy is no success", async () => {
    const { id } = await add();
    server.breakWith(() => ({ status: 200, body: "<html>Please log in to this hotel</html>" }));
    expect(await test(id)).toMatchObject({ success: false, error: expect.stringContaining("is the address right?") });
  });

  it("channels: wrong settings, a taken name and an unknown kind are refused", async () => {
    await expect(add({ topic: "a topic" })).rejects.toThrow("settings.topic: Must be 1 to 64 letters");
    await expect(add({ topic: null })).rejects.toThrow("settings.topic: Missing; ntfy needs it");
    await expect(add({ chat: "1" })).rejects.toThrow("settings.chat: ntfy has no such setting");
    await expect(add({ server: "http://169.254.169.254" })).rejects.toThrow("settings.server: ");
    await expect(add({}, { name: "push" })).rejects.toThrow("not be email, webhook, push or all");
    await expect(add({}, { kind: "pigeon" })).rejects.toThrow("kind");
    await add();
    await expect(add({}, { name: "anna's PHONE" })).rejects.toThrow("There is a channel anna's PHONE already");
  });

  it("channels: a change keeps secrets, except for another server", async () => {
    const { id } = await add();
    const change = (body: object) => desk.ask("updateChannel", { params: { id }, body });
    expect(await change({ name: "Phone", settings: { topic: "other" } })).toMatchObject({
      name: "Phone",
      settings: { server: server.url, topic: "other" },
      secrets: ["token"],
    });
    expect(await test(id)).toMatchObject({ success: true });
    expect(server.messages.at(-1)?.topic).toBe("other");
    await expect(change({ settings: { server: "http://127.0.0.1:9" } })).rejects.toThrow("settings.token: Give it again: it was set for");
    expect(await change({ settings: { server: "http://127.0.0.1:9", token: null } })).toMatchObject({ secrets: [] });
    // A client can send back what it has read
    expect(await change(await desk.ask("getChannel", { params: { id } }))).toMatchObject({ name: "Phone" });
  });
});
