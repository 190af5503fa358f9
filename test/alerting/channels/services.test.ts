import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { phoneKinds } from "../../../src/alerting/channels/kinds.ts";
import type { Urgency } from "../../../src/alerting/channels/phone-message.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { formOf } from "../../support/phones/form.ts";
import { appriseServer, gotifyServer, homeAssistantServer, pushoverServer } from "../../support/phones/services.ts";
import { telegramServer } from "../../support/phones/telegram.ts";

const token = "123456:ABC-of_the_house";
const keys = { token: "a".repeat(30), user: "u".repeat(30) };
let desk: Desk;
let telegram: Awaited<ReturnType<typeof telegramServer>>;
let pushover: Awaited<ReturnType<typeof pushoverServer>>;
let gotify: Awaited<ReturnType<typeof gotifyServer>>;
let homeAssistant: Awaited<ReturnType<typeof homeAssistantServer>>;
let apprise: Awaited<ReturnType<typeof appriseServer>>;
beforeAll(async () => {
  [desk, telegram, pushover, gotify, homeAssistant, apprise] = await Promise.all([
    openDesk(),
    telegramServer(token),
    pushoverServer(keys),
    gotifyServer("gotify-token"),
    homeAssistantServer("long-lived-token"),
    appriseServer("the-key-of-the-house"),
  ]);
});
afterAll(async () => {
  await Promise.all([desk, telegram, pushover, gotify, homeAssistant, apprise].map((each) => each.close()));
});
beforeEach(async () => {
  telegram.breakWith(() => undefined);
  await desk.db.query((sql) => sql`delete from channels`);
});

const add = (kind: string, settings: object) => desk.ask("createChannel", { body: { name: "Phone", kind, settings } });
const test = (id: string) => desk.ask("testChannel", { params: { id } });
const isPicture = async (picture: Buffer | undefined) =>
  expect(await sharp(picture).metadata()).toMatchObject({ format: "jpeg", width: 960 });

/** The request of a kind for a message of some urgency. */
function requestOf(kind: keyof typeof phoneKinds, settings: object, urgency: Urgency, text = "A person <b>& a dog</b> walk by.") {
  const link = "https://home.example.org/events/17";
  const message = {
    id: "1",
    title: "Person at The Gate",
    text,
    urgency,
    link,
    pictureLink: `${link}.jpg`,
    picture: Buffer.from("jpeg"),
    topic: "event-17",
  };
  return phoneKinds[kind].sender(settings).request(message);
}
const received = async (request: ReturnType<typeof requestOf>) => {
  const body = Buffer.from(request.body);
  return (await formOf({ headers: request.headers, body })).texts;
};

describe("channels to phones by Telegram", () => {
  it("telegram: homesec finds the chat that wrote to the bot, and sends a picture with a caption", async () => {
    const ask = (given: string) => desk.ask("findTelegramChats", { body: { token: given, server: telegram.url } });
    expect(await ask(token)).toEqual({ bot: "@home_alerts_bot", chats: [] });
    telegram.chats.push({ id: 8_734_562, first_name: "Anna", type: "private" });
    expect(await ask(token)).toEqual({ bot: "@home_alerts_bot", chats: [{ id: "8734562", title: "Anna" }] });
    await expect(ask("654321:wrong-token")).rejects.toThrow("token: Telegram does not know it (Not Found)");
    const channel = await add("telegram", { server: telegram.url, token, chat_id: "8734562" });
    expect(await test(channel.id)).toMatchObject({ success: true });
    const message = telegram.messages.at(-1);
    expect(message?.texts["caption"]).toMatch(/^<b>Test message from homesec<\/b>\n/);
    await isPicture(message?.picture);
  });

  it("telegram: a blocked bot fails for good, a limit is waited for, and no answer contains the token", async () => {
    telegram.chats.push({ id: 1, first_name: "Ben", type: "private" });
    const { id } = await add("telegram", { server: telegram.url, token, chat_id: "1" });
    telegram.breakWith(() => telegram.refusal(403, `Forbidden: bot ${token} was blocked by the user`));
    expect((await test(id)).error).toBe(
      "Telegram answered 403: Forbidden: bot *** was blocked by the user; open the chat with the bot, press Start or unblock it, then requeue the message",
    );
    const { sender } = phoneKinds.telegram;
    const { verdict } = sender({ token, chat_id: "1" });
    expect(verdict({ status: 403, body: "{}" }).isFinal).toBe(true);
    const limited = telegram.refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 });
    expect(verdict({ status: 429, body: JSON.stringify(limited.body) })).toMatchObject({ waitMs: 17_000, isFinal: false });
    telegram.breakWith(() => "reset");
    const stored = await test(id);
    expect(stored.success).toBe(false);
    expect(JSON.stringify([stored, await desk.ask("listChannels")])).not.toContain(token);
  });

  it("telegram: text is escaped, and a caption with the link stays within 1,024 characters", async () => {
    const texts = await received(requestOf("telegram", { token, chat_id: "1" }, "low", "a <b> & ".repeat(500)));
    const shown = texts["caption"]?.replaceAll(/<\/?(b|a)[^>]*>/g, "").replaceAll(/&(amp|lt|gt|quot);/g, "x") ?? "";
    expect(shown.length).toBeLessThanOrEqual(1024);
    expect(shown.endsWith("…\nOpen in homesec")).toBe(true);
    expect(texts["caption"]).toContain("a &lt;b&gt; &amp; a");
    expect(texts["disable_notification"]).toBe("true");
  });
});

describe("channels to phones by other services", () => {
  it("pushover: a test arrives with its picture, a wrong key is named, and a critical message repeats and has a receipt", async () => {
    const settings = { server: pushover.url, ...keys };
    const { id } = await add("pushover", settings);
    expect(await test(id)).toMatchObject({ success: true });
    expect(pushover.messages.at(-1)?.texts).toMatchObject({ priority: "0", title: "Test message from homesec" });
    await isPicture(pushover.messages.at(-1)?.picture);
    await desk.ask("updateChannel", { params: { id }, body: { settings: { token: "b".repeat(30) } } });
    expect((await test(id)).error).toBe("Pushover answered 400: application token is invalid; set the token of the application again");
    const critical = requestOf("pushover", settings, "critical");
    expect(await received(critical)).toMatchObject({
      priority: "2",
      retry: "60",
      expire: "3600",
      url: "https://home.example.org/events/17",
    });
    const { verdict } = phoneKinds.pushover.sender(settings);
    expect(verdict({ status: 200, body: '{"status":1,"request":"q","receipt":"r"}' })).toEqual({ isAccepted: true, reference: "r" });
  });

  it("gotify: a test arrives as text with a priority, and a wrong token is named with the fix", async () => {
    const { id } = await add("gotify", { server: gotify.url, token: "gotify-token" });
    expect((await test(id)).message).toBe("Gotify accepted the test message without its picture, because Gotify takes none");
    expect(gotify.messages.at(-1)).toMatchObject({ title: "Test message from homesec", priority: 5 });
    await desk.ask("updateChannel", { params: { id }, body: { settings: { token: "wrong-token" } } });
    expect((await test(id)).error).toContain("set the token of the application again");
    const body = JSON.parse(String(requestOf("gotify", { server: gotify.url, token: "x" }, "critical").body)) as object;
    const click = { url: "https://home.example.org/events/17" };
    expect(body).toMatchObject({ priority: 10, extras: { "client::notification": { click } } });
  });

  it("home assistant: a test arrives, a message has the picture by its link, and a wrong action is named with the fix", async () => {
    const settings = { server: homeAssistant.url, token: "long-lived-token", service: "notify.mobile_app_annas_phone" };
    const { id } = await add("home-assistant", settings);
    const without = await test(id);
    expect(without.message).toContain("without its picture; set PUBLIC_URL, so that the phone can load it");
    expect(homeAssistant.messages.at(-1)).toMatchObject({ title: "Test message from homesec", data: { tag: "test" } });
    Object.assign(desk.context.config, { publicUrl: "http://192.168.1.10:8000" });
    expect((await test(id)).message).toBe("Home Assistant accepted the test message");
    expect(homeAssistant.messages.at(-1)).toMatchObject({ data: { image: "http://192.168.1.10:8000/icon-512.png" } });
    const body = JSON.parse(String(requestOf("home_assistant", settings, "critical").body)) as object;
    const shown = { image: "https://home.example.org/events/17.jpg", ttl: 0, push: { "interruption-level": "critical" } };
    expect(body).toMatchObject({ data: shown });
    await desk.ask("updateChannel", { params: { id }, body: { settings: { service: "mobile_app_other" } } });
    expect((await test(id)).error).toBe(
      "Home Assistant answered 400: 400: Bad Request; check the name of the notify action in Home Assistant",
    );
  });

  it("apprise: a test arrives with its picture, and a key without a configuration is no success", async () => {
    const { id } = await add("apprise", { server: apprise.url, key: "the-key-of-the-house", tag: "family" });
    expect(await test(id)).toMatchObject({ success: true });
    expect(apprise.messages.at(-1)?.texts).toMatchObject({ type: "info", tag: "family", format: "text" });
    await isPicture(apprise.messages.at(-1)?.picture);
    await desk.ask("updateChannel", { params: { id }, body: { settings: { key: "another-key" } } });
    expect((await test(id)).error).toContain("no such configuration; check the key");
  });
});
