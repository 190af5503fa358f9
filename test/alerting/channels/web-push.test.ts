import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { payloadOf, webPush } from "../../../src/alerting/channels/kinds/web-push.ts";
import type { PhoneMessage } from "../../../src/alerting/channels/phone-message.ts";
import { encryptionBytes, encryptPush, makeVapidKeys } from "../../../src/alerting/channels/push-encryption.ts";
import { createOutbound } from "../../../src/platform/outbound/outbound.ts";
import { openSealer } from "../../../src/platform/secrets/sealer.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { pushService } from "../../support/phones/push-service.ts";
import { temporaryFolder } from "../../support/temporary.ts";

let desk: Desk;
let service: Awaited<ReturnType<typeof pushService>>;
beforeAll(async () => {
  service = await pushService();
  desk = await openDesk({ OUTBOUND_ALLOW: "127.0.0.1" }, { ca: service.ca });
});
afterAll(async () => {
  await Promise.all([desk.close(), service.close()]);
});
beforeEach(async () => {
  service.breakWith(() => undefined);
  await desk.db.query((sql) => sql`delete from channels`);
});

const publicKey = async (): Promise<string> => (await desk.ask("getPushKey")).public_key;
const subscribe = async (more: object = {}) => {
  const subscription = await service.subscribe(await publicKey());
  return {
    ...subscription,
    channel: await desk.ask("subscribeDevice", { body: { ...subscription, device: "Chrome on Android", ...more } }),
  };
};
const test = (id: string) => desk.ask("testChannel", { params: { id } });
const channel = (id: string) => desk.ask("getChannel", { params: { id } });

const message: PhoneMessage = {
  id: "1",
  title: "Person at The Gate",
  text: "A person walks by.",
  urgency: "high",
  link: undefined,
  pictureLink: undefined,
  paths: { page: "/events/17", picture: "/api/detections/3/image" },
  picture: undefined,
  topic: "event-17",
  buttons: ["Acknowledge", "Silence 1 h", "Not interesting"].map((label) => ({ label, token: "t".repeat(50) })),
};

describe("channels to phones by Web Push", () => {
  it("web push: encrypts as the example of RFC 8291 does", () => {
    const bytes = (text: string): Buffer => Buffer.from(text, "base64url");
    const keys = {
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    };
    const once = { salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"), privateKey: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw") };
    expect(encryptPush(Buffer.from("When I grow up, I want to be a watermelon"), keys, once).toString("base64url")).toBe(
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
    );
  });

  it("web push: a browser subscribes, is listed by its name, gets a test message, and no answer contains its secrets", async () => {
    const { endpoint, keys, channel: made } = await subscribe();
    expect(made).toMatchObject({ name: "Chrome on Android", kind: "web_push", enabled: true, settings: { server: service.url } });
    expect(await test(made.id)).toEqual({ success: true, error: null, message: "Web Push accepted the test message" });
    const { message: shown, headers } = service.pushed.at(-1) ?? {};
    expect(shown).toMatchObject({ title: "Test message from homesec", picture: "/icon-512.png", isQuiet: false });
    expect(headers).toMatchObject({ urgency: "normal", ttl: "86400" });
    const known = await desk.ask("getDevice", { params: { subscription: String(made.settings["subscription"]) } });
    expect(known).toMatchObject({ id: made.id, last_error: null });
    const stored = await desk.db.query(
      (sql) => sql`select to_jsonb(c) as row from channels c union all select to_jsonb(v) from vapid_keys v`,
    );
    for (const secret of [endpoint, keys.auth, keys.p256dh]) {
      expect(JSON.stringify([made, known, stored, await desk.ask("listChannels")])).not.toContain(secret);
    }
  });

  it("web push: the same browser keeps its channel, a second one has its own name, and either can leave", async () => {
    const first = await subscribe();
    const body = { endpoint: first.endpoint, keys: first.keys, device: "Chrome on Android" };
    expect((await desk.ask("subscribeDevice", { body })).id).toBe(first.channel.id);
    const second = await subscribe();
    expect(second.channel.name).toBe("Chrome on Android 2");
    const renewed = await subscribe({ replaces: first.channel.settings["subscription"] });
    expect(renewed.channel).toMatchObject({ id: first.channel.id, name: "Chrome on Android" });
    await desk.ask("unsubscribeDevice", { params: { subscription: String(second.channel.settings["subscription"]) } });
    expect((await desk.ask("listChannels")).channels.map(({ id }) => id)).toEqual([first.channel.id]);
    expect(await test(first.channel.id)).toMatchObject({ success: true });
  });

  it("web push: a subscription that ended switches its channel off and says what to do", async () => {
    const { endpoint, channel: made } = await subscribe();
    service.forget(endpoint);
    const words =
      "Web Push answered 410: Request did not validate: subscription is gone; the browser ended its subscription, so the channel is off; to get alerts there again, turn Notify this device off and on again on the device";
    expect(await test(made.id)).toMatchObject({ success: false, error: words });
    expect(await channel(made.id)).toMatchObject({ enabled: false, last_error: words });
    const renewed = await subscribe({ replaces: made.settings["subscription"] });
    expect(renewed.channel).toMatchObject({ id: made.id, enabled: true });
    expect(await test(made.id)).toMatchObject({ success: true });
  });

  it("web push: says what refusals mean, and takes only 201 for a success", async () => {
    const { channel: made } = await subscribe();
    const answers = [
      [{ status: 429, headers: { "retry-after": "17" }, body: "slow down" }, "Web Push answered 429: slow down"],
      [{ status: 413, body: { message: "too large" } }, "Web Push answered 413: too large; the message is too long for this service"],
      [
        { status: 200, body: "<html>Welcome to the hotel</html>" },
        "Web Push answered 200: not in the words of the service; is the address right?",
      ],
      [{ status: 500, body: "\u0000".repeat(9) }, "Web Push answered 500"],
      [
        { status: 403, body: { reason: "BadJwtToken" } },
        "Web Push answered 403: BadJwtToken; turn Notify this device off and on again on the device",
      ],
    ] as const;
    for (const [answer, error] of answers) {
      service.breakWith(() => answer);
      expect((await test(made.id)).error).toContain(error);
      expect(await channel(made.id)).toMatchObject({ enabled: true });
    }
    service.breakWith(() => "reset");
    expect(await test(made.id)).toMatchObject({ success: false });
  });

  it("web push: takes only https addresses on the internet, and keys of the right form", async () => {
    const { endpoint, keys } = await service.subscribe(await publicKey());
    const refuse = (more: object) => desk.ask("subscribeDevice", { body: { endpoint, keys, device: "Chrome", ...more } });
    await expect(refuse({ endpoint: endpoint.replace("https", "http") })).rejects.toThrow("https");
    await expect(refuse({ endpoint: "https://user:word@push.example.org/x" })).rejects.toThrow("https");
    await expect(refuse({ keys: { ...keys, auth: keys.auth.slice(2) } })).rejects.toThrow("16 bytes");
    await expect(refuse({ keys: { ...keys, p256dh: keys.p256dh.slice(4) } })).rejects.toThrow("65 bytes");
    await expect(refuse({ keys: { ...keys, p256dh: Buffer.alloc(65, 4).toString("base64url") } })).rejects.toThrow("curve P-256");
    await expect(refuse({ endpoint: "https://169.254.169.254/latest" })).rejects.toThrow("link-local");
    const home = createOutbound({ allow: [], resolve: async (name) => [name === "push.example.org" ? "142.250.1.1" : "192.168.1.7"] });
    const refusalOf = (url: string) => home.refusalOf(url, { isOnInternet: true });
    for (const host of ["127.0.0.1", "[::1]", "10.0.0.8", "192.168.1.7", "[fd00::1]", "nas.example.org", "[::ffff:127.0.0.1]"]) {
      expect(await refusalOf(`https://${host}/x`), host).toMatch(/is not on the internet|reserved/);
    }
    expect(await refusalOf("https://push.example.org/x")).toBeUndefined();
    // The address is checked at each message too: a name may point elsewhere by then
    const post = { url: "https://nas.example.org/x", headers: {}, body: "", timeoutMs: 5_000, isOnInternet: true };
    expect(await home.post(post)).toMatchObject({ kind: "refused" });
    await home.close();
    const settings = { server: "https://push.example.org", topic: "x" };
    await expect(desk.ask("createChannel", { body: { name: "Mine", kind: "web_push", settings } })).rejects.toThrow("Notify this device");
  });

  it("web push: the key pair is made once, and again only when the key file was lost", async () => {
    const [first, second] = await Promise.all([publicKey(), publicKey()]);
    expect(second).toBe(first);
    const folder = temporaryFolder("other-key");
    const other = { ...desk.context, sealer: openSealer(`${folder.path}/other.key`) };
    const { webPushOperations } = await import("../../../src/alerting/web-push/operations.ts");
    const remade = await webPushOperations.getPushKey({} as never, other);
    expect(remade).not.toEqual({ public_key: first });
    expect(await webPushOperations.getPushKey({} as never, other)).toEqual(remade);
    await desk.db.query((sql) => sql`delete from vapid_keys`);
  });

  it("web push: after an answer elsewhere, a quiet message without buttons takes the place of the alert, except on Apple's devices", async () => {
    const { publicKey: vapid_public, privateKey: vapid_private } = makeVapidKeys();
    const { endpoint, keys } = await service.subscribe(vapid_public);
    const settings = { server: service.url, subscription: "s", device: "Chrome", endpoint, ...keys, vapid_public, vapid_private };
    const { verdict, change } = webPush.sender(settings);
    expect(verdict({ status: 201, body: "" })).toEqual({
      isAccepted: true,
      reference: expect.stringMatching(webPush.changeable ?? "none"),
    });
    const answered = { ...message, urgency: "low", ended: "Acknowledged by Anna at 23:30" } as const;
    const outbound = createOutbound({ allow: ["127.0.0.1"], ca: service.ca });
    const request = change?.request(answered, "replaceable") ?? expect.unreachable();
    await outbound.post({ ...request, timeoutMs: 5_000, signal: AbortSignal.timeout(5_000) });
    await outbound.close();
    expect(service.pushed.at(-1)?.message).toMatchObject({
      tag: "event-17",
      isQuiet: true,
      buttons: [],
      text: "Acknowledged by Anna at 23:30\nA person walks by.",
    });
    const apple = webPush.sender({ ...settings, endpoint: "https://web.push.apple.com/x" });
    expect(apple.verdict({ status: 201, body: "" })).toEqual({ isAccepted: true, reference: null });
  });

  it("web push: a long text is cut at a word, and no message is larger than services take", () => {
    const words = fc.array(
      fc.oneof(fc.string({ unit: "grapheme", maxLength: 30 }), fc.constantFrom('"\\\n\u0001', "🚪🧍", "x".repeat(400))),
    );
    fc.assert(
      fc.property(words, fc.string({ unit: "grapheme", maxLength: 400 }), (parts, title) => {
        const text = parts.join(" ").repeat(20);
        const payload = payloadOf({ ...message, title, text });
        expect(payload.length + encryptionBytes).toBeLessThanOrEqual(3_200);
        const shown = JSON.parse(payload.toString()) as { readonly text: string };
        if (shown.text !== text) expect(shown.text === "" || shown.text.endsWith("…")).toBe(true);
      }),
      { numRuns: 200 },
    );
    const long = JSON.parse(payloadOf({ ...message, text: "word ".repeat(2_000) }).toString()) as { readonly text: string };
    expect(long.text).toMatch(/^(word )+word…$/);
    expect(long.text.length).toBeGreaterThan(2_000);
  });

  it("web push: the priority follows the severity, and messages about one event replace each other", () => {
    const { publicKey: vapid_public, privateKey: vapid_private } = makeVapidKeys();
    const own = { server: "https://push.example.org", subscription: "s", device: "Chrome", endpoint: "https://push.example.org/x" };
    const keys = { p256dh: vapid_public, auth: "BTBZMqHH6r4Tts7J_aSIgg", vapid_public, vapid_private };
    const headersOf = (more: Partial<PhoneMessage>) => webPush.sender({ ...own, ...keys }).request({ ...message, ...more }).headers;
    const urgencies = (["low", "medium", "high", "critical"] as const).map((urgency) => headersOf({ urgency })["urgency"]);
    expect(urgencies).toEqual(["low", "normal", "high", "high"]);
    expect(headersOf({ title: "Update" })["topic"]).toBe(headersOf({})["topic"]);
    expect(headersOf({ topic: "event-18" })["topic"]).not.toBe(headersOf({})["topic"]);
    expect(() => webPush.sender({ ...own, ...keys, endpoint: "http://push.example.org/x" })).toThrow("https");
  });
});
