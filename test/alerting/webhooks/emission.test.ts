import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { minuteMs } from "../../../src/base/clock/clock.ts";
import { outboundEventTypes } from "../../../src/contract/constants.ts";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { type MailServer, mailServer } from "../../support/mail-server.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../../support/upstream.ts";

const types = ["generic", "chat_blocks", "chat_embeds", "bot_markdown", "team_cards"] as const;
const folder = temporaryFolder("emission");
let database: TestDatabase;
let detector: StandIn;
let model: StandIn;
let daemon: TestDaemon;
let mail: MailServer;
/** The receiver at DEFAULT_WEBHOOK_URL. */
let channel: Receiver;
let hooks: ReadonlyMap<(typeof types)[number], Receiver>;

interface Payload {
  readonly event_type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const ask = async (call: string, body?: unknown) => {
  const [method = "GET", path = ""] = call.split(" ");
  const response = await fetch(`${daemon.url}/api/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const upload = async (camera: string): Promise<void> => renameIn(join(daemon.cameraRoot, camera, "a.jpg"), await uniqueJpeg());
const told = (): readonly Payload[] => (hooks.get("generic")?.received ?? []).map(({ body }) => JSON.parse(body) as Payload);
/** The first event of a type, about a camera if there is one, as it came at the receiver. */
const arrived = (type: string, camera?: string) =>
  eventually(() => told().find(({ event_type, data }) => event_type === type && (!camera || data["camera_id"] === camera))?.data, {
    what: `${type} at the receiver`,
    timeoutMs: 20_000,
  });

beforeAll(async () => {
  [database, detector, model, mail, channel] = await Promise.all([
    testDatabase(),
    detectorStandIn(),
    languageModelStandIn(),
    mailServer(),
    receiver(),
  ]);
  hooks = new Map(await Promise.all(types.map(async (type) => [type, await receiver()] as const)));
  daemon = await start();
  for (const [type, { url }] of hooks) {
    const created = await ask("POST outbound-webhooks", {
      name: type,
      url: type === "bot_markdown" ? `${url}?chat_id=-1001` : url,
      integration_type: type,
      event_types: type === "generic" ? outboundEventTypes : ["event_created", "alert_fired"],
    });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
  }
  const rule = { name: "People", severity: "high", object_types: ["person"], cooldown_seconds: 0, channels: ["email", "webhook"] };
  expect((await ask("POST alerts/rules", rule)).status).toBe(201);
});
const start = (env: Readonly<Record<string, string>> = {}): Promise<TestDaemon> =>
  testDaemon({
    env: {
      ...{ DATA_DIR: folder.path, DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
      ...{ BATCH_WINDOW_SECONDS: "3", BATCH_IDLE_TIMEOUT_SECONDS: "1", HEALTH_CACHE_TTL_SECONDS: "0" },
      ...{ SMTP_HOST: "127.0.0.1", SMTP_PORT: String(mail.port), SMTP_FROM_ADDRESS: "homesec@example.org" },
      ...{ DEFAULT_EMAIL_RECIPIENTS: "me@example.org", DEFAULT_WEBHOOK_URL: channel.url, ...env },
    },
  });
afterAll(async () => {
  await daemon.stop();
  await Promise.all([
    ...[...hooks.values(), channel, mail].map((server) => server.close()),
    detector.close(),
    model.close(),
    database.close(),
  ]);
  await folder.remove();
});

test("webhooks: one picture reaches mail, DEFAULT_WEBHOOK_URL and a receiver of each integration type", async () => {
  expect((await ask("POST cameras", { camera_id: "front_door", name: "Haustür" })).status).toBe(201);
  await upload("front_door");
  for (const type of types) {
    await eventually(() => (hooks.get(type)?.received.length ?? 0) >= 2, { what: `two messages for ${type}` });
  }
  const bodies = (type: (typeof types)[number]) => (hooks.get(type)?.received ?? []).map(({ body }) => JSON.parse(body) as unknown);
  const seen = expect.stringContaining("Person seen at Haustür");
  expect(bodies("chat_blocks")).toContainEqual(expect.objectContaining({ text: seen, blocks: expect.any(Array) }));
  expect(bodies("chat_embeds")).toContainEqual(
    expect.objectContaining({ embeds: [expect.objectContaining({ title: seen })], allowed_mentions: { parse: [] } }),
  );
  expect(bodies("bot_markdown")).toContainEqual(expect.objectContaining({ chat_id: "-1001", parse_mode: "MarkdownV2", text: seen }));
  expect(JSON.stringify(bodies("team_cards"))).toContain("Person seen at Haustür");
  const event = await arrived("event_created", "front_door");
  // what-happened.test.ts checks the judgement, which a busy machine may have too late
  expect(event).toMatchObject({ object_types: ["person"], object_counts: { person: 1 }, camera_name: "Haustür" });
  await eventually(() => mail.mails.length > 0 && channel.received.length > 0, { what: "mail and webhook" });
  expect(mail.mails[0]).toMatchObject({
    to: ["me@example.org"],
    mail: { headers: { subject: expect.stringMatching(/Person at Haustür/) } },
  });
  expect(mail.mails[0]?.mail.pictures[0]?.bytes.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
  const alert = await arrived("alert_fired", "front_door");
  expect(JSON.parse(channel.received[0]?.body ?? "")).toMatchObject({
    type: "security_alert",
    alert: { id: alert["id"], event_id: event["id"], severity: "high" },
    metadata: { rule_name: "People", matched_conditions: ["object_type in [person]"] },
  });
});

describe("webhook event types reach the receiver", () => {
  test("batch_analysis_started and batch_analysis_completed", async () => {
    await upload("yard");
    expect(await arrived("batch_analysis_started", "yard")).toMatchObject({ attempt: 1 });
    expect(await arrived("batch_analysis_completed", "yard")).toMatchObject({ risk_score: 42, risk_level: "medium" });
  });

  test("alert_fired, alert_acknowledged and alert_dismissed", async () => {
    const fired = await arrived("alert_fired");
    expect(fired).toMatchObject({ severity: "high", alert_metadata: { rule_name: "People" } });
    expect((await ask(`POST alerts/${fired["id"]}/acknowledge`)).status).toBe(200);
    expect(await arrived("alert_acknowledged")).toMatchObject({ id: fired["id"], status: "acknowledged" });
    await upload("garage");
    const second = await arrived("alert_fired", "garage");
    expect((await ask(`POST alerts/${second["id"]}/dismiss`)).status).toBe(200);
    expect(await arrived("alert_dismissed")).toMatchObject({ id: second["id"], status: "dismissed" });
  });

  test("batch_analysis_failed", async () => {
    await model.setMode("refuse");
    await upload("cellar");
    expect(await arrived("batch_analysis_failed", "cellar")).toMatchObject({ error: expect.any(String) });
    await model.setMode("ok");
  });

  test("anomaly_detected", async () => {
    await upload("back_door");
    await arrived("event_created", "back_door");
    // Ten weeks with almost no detections
    await database.db.query(
      (sql) => sql`
        insert into activity_baselines (camera_id, day_of_week, hour, avg_count, variance, sample_count, updated_at, last_hour)
        select 'back_door', d.day, h.hour, 0.01, 0.01, 10, now(), now() - interval '1 day'
        from generate_series(0, 6) as d (day), generate_series(0, 23) as h (hour)
      `,
    );
    let pictures = 0;
    const isTold = (): boolean =>
      told().some(({ event_type, data }) => event_type === "anomaly_detected" && data["camera_id"] === "back_door");
    // Repeated, in case an hour ends meanwhile
    for (const deadline = Date.now() + 50_000; !isTold() && Date.now() < deadline; ) {
      for (let n = 0; n < 10; n += 1, pictures += 1)
        await renameIn(join(daemon.cameraRoot, "back_door", `${pictures}.jpg`), await uniqueJpeg(pictures));
      await new Promise((resolve) => setTimeout(resolve, 3_000));
    }
    expect(await arrived("anomaly_detected", "back_door")).toMatchObject({
      kind: "baseline",
      score: expect.any(Number),
      reason: expect.stringContaining("are usual"),
    });
  });

  test("system_health_changed, both ways", async () => {
    await eventually(async () => (await ask("GET system/health")).status === 200);
    const before = told().length;
    const shown: unknown[] = [];
    const screen = new WebSocket(`${daemon.url.replace("http", "ws")}/ws/events`);
    screen.on("message", (text) => {
      const { type, data } = JSON.parse(String(text)) as { type: string; data: unknown };
      if (type === "system_status") shown.push(data);
    });
    onTestFinished(() => screen.terminate());
    await model.setMode("down");
    const since = (status: string) =>
      eventually(
        () =>
          told()
            .slice(before)
            .find(({ event_type, data }) => event_type === "system_health_changed" && data["status"] === status),
        {
          timeoutMs: 20_000,
          what: `health ${status}`,
        },
      );
    expect((await since("degraded")).data).toMatchObject({
      previous_status: "healthy",
      message: expect.stringContaining("language_model"),
    });
    await model.setMode("ok");
    expect((await since("healthy")).data).toMatchObject({ previous_status: "degraded", message: "Everything works" });
    await expect.poll(() => shown).toEqual([{ status: "degraded" }, { status: "healthy" }]);
  });
});

test("daily summary: every chat, the subscribers and a person that the setting names get it once", async () => {
  expect((await ask("POST recipients", { name: "Ada", channels: ["ada@example.org"] })).status).toBe(201);
  await daemon.stop();
  await database.db.query(
    (sql) => sql`
      insert into daily_summaries (day, due_at, created_at)
      values (current_date - 2, now() - interval '2 days', now() - interval '2 days')
    `,
  );
  const at = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" }).format(Date.now() - minuteMs);
  const chats = types.filter((type) => type !== "generic");
  daemon = await start({ DAILY_SUMMARY_AT: at, DAILY_SUMMARY_CHANNELS: [...chats, "ada"].join(",") });
  const summaries = (type: (typeof types)[number]) =>
    (hooks.get(type)?.received ?? []).filter(({ body }) => /no alerts|\d alerts?\b/.test(body));
  for (const type of chats) await eventually(() => summaries(type).length > 0, { what: `the summary at ${type}`, timeoutMs: 20_000 });
  expect(await arrived("daily_summary")).toMatchObject({ day: { cameras: expect.any(Array), alerts: { total: expect.any(Number) } } });
  const letters = () => mail.mails.filter(({ to }) => to[0] === "ada@example.org").map(({ mail: { headers } }) => headers["subject"]);
  await eventually(() => letters().length > 0, { what: "the mail to Ada" });
  expect(letters()).toEqual([expect.stringMatching(/^\w{3} \d+ \w{3}: (?:no|\d+) events?, (?:no|\d+) alerts?$/)]);
  expect(chats.map((type) => summaries(type).length)).toEqual([1, 1, 1, 1]);
  expect(JSON.stringify(summaries("chat_embeds"))).toContain("homesec summary --day");
});
