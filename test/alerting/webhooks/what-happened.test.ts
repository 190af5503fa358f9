import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { outboundEventTypes } from "../../../src/contract/constants.ts";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { type MailServer, mailServer } from "../../support/mail-server.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../../support/upstream.ts";

const types = ["generic", "chat_blocks", "chat_embeds", "bot_markdown", "team_cards"] as const;
const publicUrl = "https://home.example.org/homesec";
let database: TestDatabase;
let detector: StandIn;
let model: StandIn;
let mail: MailServer;
let channel: Receiver;
let hooks: ReadonlyMap<(typeof types)[number], Receiver>;
let daemon: TestDaemon;

const post = async (path: string, body: object) => {
  const init = { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(`${daemon.url}/api/${path}`, init);
  expect(response.status, await response.clone().text()).toBe(201);
};
const bodies = (type: (typeof types)[number]) => (hooks.get(type)?.received ?? []).map(({ body }) => body);
interface Payload {
  readonly event_type: string;
  readonly data: Readonly<Record<string, unknown>>;
}
const told = (): readonly Payload[] => bodies("generic").map((body) => JSON.parse(body) as Payload);

beforeAll(async () => {
  [database, detector, model, mail, channel] = await Promise.all([
    testDatabase(),
    detectorStandIn(),
    // Slower than the alert of a rule without threshold
    languageModelStandIn({ delayMs: 700 }),
    mailServer(),
    receiver(),
  ]);
  hooks = new Map(await Promise.all(types.map(async (type) => [type, await receiver()] as const)));
  daemon = await testDaemon({
    env: {
      ...{ DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, PUBLIC_URL: publicUrl },
      ...{ BATCH_WINDOW_SECONDS: "3", BATCH_IDLE_TIMEOUT_SECONDS: "1" },
      ...{ SMTP_HOST: "127.0.0.1", SMTP_PORT: String(mail.port), SMTP_FROM_ADDRESS: "homesec@example.org" },
      ...{ DEFAULT_EMAIL_RECIPIENTS: "me@example.org", DEFAULT_WEBHOOK_URL: channel.url },
    },
  });
  for (const [type, { url }] of hooks) {
    const address = type === "bot_markdown" ? `${url}?chat_id=-1001` : url;
    const event_types = type === "generic" ? outboundEventTypes : ["alert_fired"];
    await post("outbound-webhooks", { name: type, url: address, integration_type: type, event_types });
  }
  await post("alerts/rules", { name: "People", severity: "high", object_types: ["person"], channels: ["email", "webhook"] });
  await post("cameras", { camera_id: "front_door", name: "Haustür" });
  await renameIn(join(daemon.cameraRoot, "front_door", "a.jpg"), await uniqueJpeg());
  for (const type of types) {
    await eventually(() => bodies(type).length >= (type === "generic" ? 4 : 1), { what: `messages for ${type}` });
  }
  await eventually(() => mail.mails.length > 0 && channel.received.length > 0, { what: "mail and webhook" });
});
afterAll(async () => {
  await daemon.stop();
  const servers = [...hooks.values(), channel, mail, detector, model, database];
  await Promise.all(servers.map((server) => server.close()));
});

const what = {
  risk_score: 42,
  risk_level: "medium",
  summary: "Somebody walked by.",
  object_types: ["person"],
  object_counts: { person: 1 },
};

test("webhooks: every message about an event says what happened, with absolute links, and event_created comes first", () => {
  const about = told().filter(({ event_type }) => event_type.startsWith("event_") || event_type.startsWith("alert_"));
  expect(about.map(({ event_type }) => event_type).toSorted()).toEqual(["alert_fired", "event_created"]);
  for (const { data } of about) {
    expect(data).toMatchObject({ ...what, camera_id: "front_door", camera_name: "Haustür" });
    expect(data["thumbnail_url"]).toMatch(/^https:\/\/home\.example\.org\/homesec\/api\/detections\/\d+\/thumbnail$/);
    expect(data["event_url"]).toBe(`${publicUrl}/api/events/${data["event_id"]}`);
    expect(data["page_url"]).toBe(`${publicUrl}/events/${data["event_id"]}`);
  }
  expect(told()[0]?.event_type).toBe("event_created");
});

test.each(types.slice(1))("webhooks: an alert in the format %s says what happened, with picture and link", (type) => {
  const [body = ""] = bodies(type);
  for (const part of ["Haustür", "Somebody walked by", "medium", "42 of 100", "People", "/thumbnail", "Event details"]) {
    // Embeds have their link on the title
    if (type === "chat_embeds" && part === "Event details") expect(body).toContain(`${publicUrl}/events/`);
    else expect(body.replaceAll("\\\\", "")).toContain(part);
  }
  expect(body).not.toContain("object_type in");
});

test("notifications: mail and DEFAULT_WEBHOOK_URL of a rule without threshold have the judgement that came meanwhile", () => {
  expect(mail.mails[0]?.mail.text).toContain("Somebody walked by.");
  expect(mail.mails[0]?.mail.text).toContain("42 of 100");
  expect(JSON.parse(channel.received[0]?.body ?? "")).toMatchObject({ type: "security_alert", event: what });
});
