import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { ntfyServer } from "../../support/phones/ntfy.ts";
import { appriseServer, gotifyServer, homeAssistantServer, pushoverServer } from "../../support/phones/services.ts";
import { telegramServer } from "../../support/phones/telegram.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { detectorStandIn, languageModelStandIn, verdictText } from "../../support/upstream.ts";

let database: TestDatabase;
let daemon: TestDaemon;
let ntfy: Awaited<ReturnType<typeof ntfyServer>>;
let telegram: Awaited<ReturnType<typeof telegramServer>>;
let pushover: Awaited<ReturnType<typeof pushoverServer>>;
const botToken = "123456:ABC-of_the_house";
const ends: (() => Promise<unknown>)[] = [];

const ask = async (path: string, body?: object): Promise<unknown> => {
  const response = await fetch(`${daemon.url}${path}`, {
    method: body ? "POST" : "GET",
    headers: { "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return await response.json();
};

beforeAll(async () => {
  const [opened, detector, model, server] = await Promise.all([
    testDatabase({ max: 1 }),
    detectorStandIn(),
    languageModelStandIn({ answer: () => ({ content: verdictText(91) }) }),
    ntfyServer({ token: "tk_of_the_house" }),
  ]);
  [database, ntfy] = [opened, server];
  ends.push(database.close, detector.close, model.close, ntfy.close);
  daemon = await testDaemon({
    env: {
      ...{ DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
      ...{ BATCH_WINDOW_SECONDS: "2", BATCH_IDLE_TIMEOUT_SECONDS: "1", PUBLIC_URL: "http://home.example.org" },
    },
  });
  ends.push(() => daemon.stop());
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

it("phones: a picture leads to one message with the picture on each phone, by push and by name", async () => {
  await ask("/api/channels", { name: "Ben", kind: "ntfy", settings: { server: ntfy.url, topic: "ben", token: "tk_of_the_house" } });
  await ask("/api/channels", { name: "Anna", kind: "ntfy", settings: { server: ntfy.url, topic: "anna", token: "tk_of_the_house" } });
  const rule = { severity: "critical", risk_threshold: 60, object_types: ["person"] };
  await ask("/api/alerts/rules", { ...rule, name: "Anybody", channels: ["push", "ben"] });
  await ask("/api/alerts/rules", { ...rule, name: "Somebody", severity: "low", channels: ["Anna"] });
  await renameIn(join(daemon.cameraRoot, "gate", "1.jpg"), await uniqueJpeg());
  await eventually(() => expect(ntfy.messages.map(({ topic }) => topic).toSorted()).toEqual(["anna", "ben"]));
  for (const message of ntfy.messages) {
    expect(message).toMatchObject({ priority: 5, tags: ["rotating_light"], title: expect.stringMatching(/^Person at gate/i) });
    expect(message.click).toMatch(/^http:\/\/home\.example\.org\/events\/\d+$/);
    expect(message.message).toContain("risk 91 of 100");
    expect(message.message).toContain("Somebody walked by.");
    expect(message.message).toContain("Rule Anybody: ");
    expect(await sharp(message.picture).metadata()).toMatchObject({ format: "jpeg" });
  }
  expect(ntfy.messages.find(({ topic }) => topic === "anna")?.message).toContain("Rule Somebody: ");
  const { items } = (await ask("/api/alerts")) as { items: { id: string; status: string; alert_metadata: { channels: object[] } }[] };
  await eventually(async () =>
    expect(((await ask("/api/alerts")) as { items: { status: string }[] }).items.map(({ status }) => status)).toEqual([
      "delivered",
      "delivered",
    ]),
  );
  expect(items).toHaveLength(2);
  const explained = JSON.stringify(await Promise.all(items.map(({ id }) => ask(`/api/alerts/${id}/explain`))));
  expect(explained).toContain("ntfy accepted it");
  expect(explained).not.toContain("tk_of_the_house");
});

it("phones: every service gets the message of one event, and homesec stores what it calls it", async () => {
  const keys = { token: "a".repeat(30), user: "u".repeat(30) };
  const [bot, receipts, gotify, homeAssistant, apprise] = await Promise.all([
    telegramServer(botToken),
    pushoverServer(keys),
    gotifyServer("gotify-token"),
    homeAssistantServer("long-lived-token"),
    appriseServer("the-key-of-the-house"),
  ]);
  [telegram, pushover] = [bot, receipts];
  ends.push(telegram.close, pushover.close, gotify.close, homeAssistant.close, apprise.close);
  telegram.chats.push({ id: 7, first_name: "Anna", type: "private" });
  const add = (kind: string, settings: object) => ask("/api/channels", { name: kind, kind, settings });
  await add("telegram", { server: telegram.url, token: botToken, chat_id: "7" });
  await add("pushover", { server: pushover.url, ...keys });
  await add("gotify", { server: gotify.url, token: "gotify-token" });
  await add("home_assistant", { server: homeAssistant.url, token: "long-lived-token", service: "mobile_app_annas_phone" });
  await add("apprise", { server: apprise.url, key: "the-key-of-the-house" });
  // Most services fail once
  const failing = ["telegram", "pushover", "gotify", "apprise"];
  for (const service of [telegram, pushover, gotify, apprise]) {
    let isFirst = true;
    service.breakWith(({ path }) => {
      if (!isFirst || path.endsWith("/getUpdates")) return undefined;
      isFirst = false;
      return { status: 503, body: "busy" };
    });
  }
  const channels = [...failing, "home_assistant"];
  await ask("/api/alerts/rules", { name: "All", severity: "critical", risk_threshold: 60, object_types: ["person"], channels });
  await renameIn(join(daemon.cameraRoot, "porch", "1.jpg"), await uniqueJpeg());
  const phones = async () =>
    ((await ask("/api/channels")) as { channels: { id: string; name: string; last_error: string | null }[] }).channels.filter(({ name }) =>
      channels.includes(name),
    );
  await eventually(async () => {
    const refused = (await phones()).filter(({ last_error }) => last_error?.includes("503"));
    expect(refused.map(({ name }) => name).toSorted()).toEqual(failing.toSorted());
    return true;
  });
  // A test that works sends what waits
  for (const { id } of await phones()) await ask(`/api/channels/${id}/test`, {});
  const sent = await eventually(async () => {
    const rows = await database.db.query(
      (sql) => sql<{ channel: string; reference: string | null }[]>`
        select n.channel, n.reference
        from notifications n
        where n.status = 'sent' and n.joined_to is null and n.channel = any (${channels})
      `,
    );
    expect(rows).toHaveLength(channels.length);
    return new Map(rows.map(({ channel, reference }) => [channel, reference]));
  });
  // The alert and the test, each once
  const services = [telegram, pushover, gotify, homeAssistant, apprise];
  expect(services.map(({ messages }) => messages.length)).toEqual([2, 2, 2, 2, 2]);
  expect(sent.get("pushover")).toMatch(/^receipt/);
  expect(sent.get("telegram")).toMatch(/^photo 10\d$/);
  const answers = await database.db.query((sql) => sql`select a.answer from notification_attempts a`);
  const shown = JSON.stringify([answers, await ask("/api/alerts"), await ask("/api/channels")]);
  for (const secret of [botToken, keys.token, keys.user, "gotify-token", "long-lived-token", "the-key-of-the-house"]) {
    expect(shown).not.toContain(secret);
  }
});

const outcomes = async (): Promise<Readonly<Record<string, number>>> => {
  const text = await (await fetch(`${daemon.url}/metrics`)).text();
  return Object.fromEntries(
    [...text.matchAll(/phone_answers_total\{outcome="(\w+)"\} (\d+)/g)].map(([, name, count]) => [name, Number(count)]),
  );
};

it("phones: a pressed button counts once, with the person; a forged one is refused", async () => {
  const message = ntfy.messages.find(({ topic }) => topic === "ben");
  const [acknowledge, silence] = message?.actions ?? [];
  if (!acknowledge || !silence) throw new Error("the message has no buttons");
  const press = async (body: string) => expect((await fetch(acknowledge.url, { method: "POST", body })).status).toBe(200);
  await press(`A${acknowledge.body.slice(1)}`.replace(/.$/, "x"));
  await press(silence.body);
  await press(silence.body);
  await press(acknowledge.body);
  await press(acknowledge.body);
  await eventually(async () => expect(await outcomes()).toMatchObject({ done: 2, repeated: 2, forged: 1, late: 0 }));
  const { items } = (await ask("/api/alerts")) as { items: { id: string; status: string; alert_metadata: { closed_by?: string } }[] };
  const ended = items.filter(({ status }) => status === "acknowledged");
  expect(ended.map(({ alert_metadata }) => alert_metadata.closed_by)).toContain("Ben on ntfy");
  const { items: silences } = (await ask("/api/silences")) as { items: { created_by: string; reason: string }[] };
  expect(silences).toMatchObject([{ created_by: "Ben on ntfy", reason: "Silenced from a phone" }]);
  const explained = JSON.stringify(await ask(`/api/alerts/${ended[0]?.id}/explain`));
  expect(explained).toContain("It was acknowledged by Ben on ntfy");
  expect(JSON.stringify(await ask("/api/changes"))).toContain("Ben on ntfy");
  // The message is replaced; the one on the other phone reports another alert too, which is open
  await eventually(() => {
    const [own] = ntfy.messages.filter(({ topic }) => topic === "ben");
    expect(own?.message).toMatch(/^Acknowledged by Ben on ntfy at \d\d:\d\d\n/);
    expect(own).toMatchObject({ priority: 2, actions: undefined });
    return true;
  });
  expect(ntfy.messages.find(({ topic }) => topic === "anna")?.actions).toHaveLength(3);
});

it("phones: buttons on Telegram say what happened; from another chat, forged or replayed they change nothing", async () => {
  const before = await outcomes();
  const message = telegram.messages.find(({ buttons }) => buttons.length > 0);
  const [acknowledge, silence, dismiss] = message?.buttons ?? [];
  if (!acknowledge || !silence || !dismiss) throw new Error("the message has no buttons");
  expect([acknowledge, silence, dismiss].map(({ text }) => text)).toEqual(["Acknowledge", "Silence 1 h", "Not interesting"]);
  const pressed = async (data: string, person: Parameters<typeof telegram.press>[1] = {}) => {
    const id = telegram.press(data, person);
    return await eventually(() => telegram.shown.find((each) => each.id === id)?.text ?? expect.unreachable());
  };
  expect(await pressed(acknowledge.callback_data, { who: "Mallory", chat: 666 })).toBe("This chat is not set up in homesec");
  expect(await pressed(`${acknowledge.callback_data.slice(0, -2)}xx`, { who: "Mallory" })).toBe("homesec did not write this button");
  expect(await pressed(acknowledge.callback_data, { who: "Anna" })).toBe("Acknowledged");
  expect(await pressed(acknowledge.callback_data, { who: "Ben" })).toMatch(/^Already acknowledged by Anna on Telegram at \d\d:\d\d$/);
  const { items } = (await ask("/api/alerts?status=acknowledged")) as { items: { alert_metadata: { closed_by?: string } }[] };
  expect(items.map(({ alert_metadata }) => alert_metadata.closed_by)).toContain("Anna on Telegram");
  await eventually(() => {
    const changed = telegram.messages.find(({ id }) => id === message?.id);
    expect(changed).toMatchObject({
      buttons: [],
      edits: 1,
      text: expect.stringMatching(/\nAcknowledged by Anna on Telegram at \d\d:\d\d/),
    });
    expect(pushover.receipts).toMatchObject([{ isCancelled: true }]);
    return true;
  });
  const after = await outcomes();
  const more = Object.entries(after).map(([outcome, count]) => [outcome, count - (before[outcome] ?? 0)]);
  expect(Object.fromEntries(more)).toMatchObject({ done: 1, repeated: 1, forged: 1, foreign: 1 });
});

it("phones: Pushover's receipt acknowledges the alert with the device, and the message on Telegram says so", async () => {
  await renameIn(join(daemon.cameraRoot, "lane", "1.jpg"), await uniqueJpeg());
  const message = await eventually(() => {
    expect(pushover.receipts).toHaveLength(2);
    return telegram.messages.find(({ buttons }) => buttons.length > 0) ?? expect.unreachable();
  });
  pushover.acknowledge("iphone");
  await eventually(() => {
    const text = telegram.messages.find(({ id }) => id === message.id)?.text;
    expect(text).toMatch(/\nAcknowledged by pushover on Pushover \(iphone\) at \d\d:\d\d/);
    return true;
  });
  const { items } = (await ask("/api/alerts")) as { items: { id: string; alert_metadata: { closed_by?: string } }[] };
  const ended = items.find(({ alert_metadata }) => alert_metadata.closed_by === "pushover on Pushover (iphone)");
  await eventually(async () => {
    const explained = JSON.stringify(await ask(`/api/alerts/${ended?.id}/explain`));
    return explained.includes("After the answer it was updated: Telegram accepted it");
  });
});

it("phones: homesec finds another chat of a bot whose buttons it reads", async () => {
  const found = ask("/api/channels/telegram-chats", { token: botToken, server: telegram.url, wait_seconds: 20 });
  telegram.join({ id: 8, first_name: "Ben", type: "private" });
  expect(await found).toEqual({ bot: "@home_alerts_bot", chats: expect.arrayContaining([{ id: "8", title: "Ben" }]) });
});

it("phones: a webhook of another program is reported with the fix, and the token is in no report", async () => {
  telegram.setWebhook(true);
  const faults = await eventually(async () => {
    const rows = await database.db.query((sql) => sql<{ fault: string }[]>`select s.fault from answer_sources s where s.fault is not null`);
    expect(rows).toHaveLength(1);
    return rows;
  });
  expect(faults[0]?.fault).toMatch(
    /^Telegram answered 409: Conflict: .* set a webhook for this bot: remove it there, or give homesec its own/,
  );
  expect(faults[0]?.fault).not.toContain(botToken);
});
