import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { type MailServer, mailServer } from "../../support/mail-server.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";
import { detectorStandIn, languageModelStandIn, verdictText } from "../../support/upstream.ts";

/* A whole homesec with an immediate rule. Visits end only when a test ends them, so that no test depends on speed. */

const ends: (() => Promise<unknown>)[] = [];
let daemon: TestDaemon;
let mails: MailServer;
let hook: Receiver;

beforeAll(async () => {
  const [database, detector, model] = await Promise.all([
    testDatabase({ max: 1 }),
    detectorStandIn(),
    languageModelStandIn({ answer: () => ({ content: verdictText(91) }) }),
  ]);
  [mails, hook] = await Promise.all([mailServer(), receiver()]);
  daemon = await testDaemon({
    env: {
      ...{ DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
      ...{ BATCH_WINDOW_SECONDS: "3600", BATCH_IDLE_TIMEOUT_SECONDS: "3600", DEFAULT_WEBHOOK_URL: hook.url },
      ...{ SMTP_HOST: "127.0.0.1", SMTP_PORT: String(mails.port), SMTP_FROM_ADDRESS: "homesec@example.org" },
      DEFAULT_EMAIL_RECIPIENTS: "me@example.org",
    },
  });
  ends.push(...[database, detector, model, mails, hook].map((part) => () => part.close()), () => daemon.stop());
  const rule = { name: "Person", severity: "high", object_types: ["person"], channels: ["email", "webhook"], immediate: true };
  expect(await ask("POST /api/alerts/rules", { ...rule, cooldown_seconds: 0 })).toMatchObject({ immediate: true });
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

interface Page {
  readonly items: readonly { readonly id: number | string; readonly [field: string]: unknown }[];
}

async function ask(call: string, body?: object): Promise<object> {
  const [method = "GET", path = ""] = call.split(" ");
  const given = body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(`${daemon.url}${path}`, { method, ...given });
  expect(response.status, await response.clone().text()).toBeLessThan(300);
  return (await response.json()) as object;
}

const list = async (what: string) => ((await ask(`GET /api/${what}`)) as Page).items;
const upload = async (camera: string, name: string) => await renameIn(join(daemon.cameraRoot, camera, name), await uniqueJpeg());
const posts = (camera: string) =>
  hook.received
    .filter(({ path }) => path === "/hook")
    .map(({ body }) => JSON.parse(body) as { type: string; alert: { dedup_key: string }; event: { camera_id: string } })
    .filter(({ event }) => event.camera_id === camera);
const mailsAbout = (camera: string) => mails.mails.filter(({ mail }) => String(mail.headers["subject"]).includes(` at ${camera},`));
const endVisits = async () => {
  await daemon.context.db.query(async (sql) => await sql`update batches set due_at = now() where status = 'open'`);
};

it("immediate: an alert arrives during the visit, and one update follows when the visit is over and judged", async () => {
  await upload("gate", "1.jpg");
  await eventually(async () => expect([posts("gate").length, mailsAbout("gate").length]).toEqual([1, 1]));
  expect(posts("gate")).toMatchObject([{ type: "security_alert", event: { risk_score: null, object_counts: { person: 1 } } }]);
  const [event] = await list("events?camera_id=gate");
  expect(event).toMatchObject({ ongoing: true, detection_count: 1, risk_score: null });
  await eventually(async () => expect(await list("alerts?camera_id=gate")).toMatchObject([{ status: "delivered", event_id: event?.id }]));

  await upload("gate", "2.jpg");
  await eventually(async () => expect(await list("events?camera_id=gate")).toMatchObject([{ ongoing: true, detection_count: 2 }]));
  await endVisits();
  await eventually(async () => expect([posts("gate").length, mailsAbout("gate").length]).toEqual([2, 2]));
  expect(await list("events?camera_id=gate")).toMatchObject([{ id: event?.id, ongoing: false, detection_count: 2, risk_score: 91 }]);
  const [first, update] = posts("gate");
  expect(update).toMatchObject({ type: "security_alert_update", alert: first?.alert, event: { risk_score: 91 } });
  const [mail, followUp] = mailsAbout("gate").map((received) => received.mail);
  expect(mail?.headers["subject"]).toMatch(/^\[High\] Person/);
  expect(mail?.text).toContain("the visit is not over");
  expect(followUp?.headers["subject"]).toMatch(/^Update: \[Critical\] Person/);
  expect(followUp?.headers["in-reply-to"]).toBe(mail?.headers["message-id"]);
  expect(followUp?.headers["references"]).toContain(mail?.headers["message-id"]);
  expect(followUp?.text).toContain("Somebody walked by.");
  expect(await list("alerts?camera_id=gate")).toHaveLength(1);
});

it("immediate: an alert that a person acknowledges during the visit has no update", async () => {
  await upload("yard", "1.jpg");
  await eventually(async () => expect([posts("yard").length, mailsAbout("yard").length]).toEqual([1, 1]));
  await eventually(async () => expect(await list("alerts?camera_id=yard")).toMatchObject([{ status: "delivered" }]));
  const [alert] = await list("alerts?camera_id=yard");
  await ask(`POST /api/alerts/${alert?.id}/acknowledge`);
  await endVisits();
  await eventually(async () => expect(await list("events?camera_id=yard")).toMatchObject([{ ongoing: false, risk_score: 91 }]));
  const jobsLeft = async () => await daemon.context.db.query(async (sql) => (await sql`select from jobs`).count);
  await eventually(async () => expect(await jobsLeft()).toBe(0));
  expect([posts("yard").length, mailsAbout("yard").length]).toEqual([1, 1]);
});

it("immediate: a webhook that the rule names gets the alert and one update, within no limits; explain says why others get nothing", async () => {
  const webhook = async (name: string, more: object) =>
    (await ask("POST /api/outbound-webhooks", { name, url: `${hook.url}/${name.replace(" ", "-")}`, ...more })) as { id: string };
  const kitchen = await webhook("Kitchen light", { event_types: ["system_health_changed"], severities: ["critical"] });
  await webhook("grave", { event_types: ["alert_fired"], severities: ["critical"] });
  const rule = { name: "Attic", severity: "low", camera_ids: ["attic"], channels: ["kitchen LIGHT"], immediate: true, cooldown_seconds: 0 };
  const { id } = (await ask("POST /api/alerts/rules", rule)) as { id: string };
  expect(await ask(`GET /api/alerts/rules/${id}`)).toMatchObject({ channels: ["Kitchen light"] });
  await webhook("mine", { event_types: ["alert_fired", "alert_updated"], rule_ids: [id] });
  const sentTo = (path: string) =>
    hook.received
      .filter((request) => request.path === `/hook/${path}`)
      .map(({ body }) => JSON.parse(body) as { event_type: string; data: { id: string; rule_id: string; risk_score: number | null } });

  await upload("attic", "1.jpg");
  await eventually(async () => expect([sentTo("Kitchen-light").length, sentTo("mine").length]).toEqual([1, 1]));
  expect(sentTo("Kitchen-light")).toMatchObject([{ event_type: "alert_fired", data: { rule_id: id, risk_score: null } }]);
  const own = async () => (await list("alerts?camera_id=attic")).find(({ rule_id }) => rule_id === id);
  await eventually(async () =>
    expect(await own()).toMatchObject({
      status: "delivered",
      alert_metadata: { channels: [{ channel: "Kitchen light", status: "sent", attempts: 1 }], reason: null },
    }),
  );
  await endVisits();
  await eventually(async () => expect([sentTo("Kitchen-light").length, sentTo("mine").length]).toEqual([2, 2]));
  for (const [, update] of [sentTo("Kitchen-light"), sentTo("mine")])
    expect(update).toMatchObject({ event_type: "alert_updated", data: { rule_id: id, risk_score: 91 } });
  expect(sentTo("grave")).toEqual([]);

  const explained = (await ask(`GET /api/alerts/${(await own())?.id}/explain`)) as { steps: { text: string }[] };
  const said = explained.steps.map(({ text }) => text).join("\n");
  expect(said).toMatch(/alert_fired to webhook "Kitchen light" was delivered .* The rule names this webhook\./);
  expect(said).toContain('Webhook "grave" got no message: it is limited to the severities critical.');

  const refused = async (method: string, body?: object) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${daemon.url}/api/outbound-webhooks/${kitchen.id}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  for (const answer of [await refused("DELETE"), await refused("PATCH", { name: "Hall light" })])
    expect(answer).toMatchObject({ status: 409, text: expect.stringContaining("These rules name the webhook Kitchen light: Attic") });
  const unknown = await fetch(`${daemon.url}/api/alerts/rules/${id}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Attic", channels: ["Cellar siren"] }),
  });
  expect(await unknown.text()).toContain("There is no channel Cellar siren; the channels are email, webhook, push");
});
