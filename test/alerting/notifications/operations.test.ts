import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { queueNotifications } from "../../../src/alerting/notifications/queue.ts";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { type MailServer, mailServer } from "../../support/mail-server.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../../support/upstream.ts";
import { addAlert } from "./alerts.ts";

let database: TestDatabase;
let services: readonly StandIn[];
let server: MailServer;
beforeAll(async () => {
  [database, services, server] = await Promise.all([
    testDatabase({ max: 1 }),
    Promise.all([detectorStandIn(), languageModelStandIn()]),
    mailServer({
      login: { user: "home", password: "s3cret-pass" },
      onRecipient: (who) => (who.startsWith("nobody") ? { code: 550, text: "no such user" } : undefined),
    }),
  ]);
});
let daemon: TestDaemon;
afterEach(() => daemon.stop());
afterAll(async () => {
  await Promise.all([database.close(), server.close(), ...services.map((service) => service.close())]);
});

const start = async (env: Readonly<Record<string, string>>) => {
  const [detector, model] = services;
  daemon = await testDaemon({
    env: { DATABASE_URL: database.url, DETECTOR_URL: detector?.url ?? "", LANGUAGE_MODEL_URL: model?.url ?? "", ...env },
  });
};
const mailEnv = () => ({
  SMTP_HOST: "127.0.0.1",
  SMTP_PORT: String(server.port),
  SMTP_USER: "home",
  SMTP_PASSWORD: "s3cret-pass",
  SMTP_FROM_ADDRESS: "Home <homesec@example.org>",
  DEFAULT_EMAIL_RECIPIENTS: "me@example.org",
});
const config = async () => await (await fetch(`${daemon.url}/api/notification/config`)).json();
const post = async (body: object) => {
  const response = await fetch(`${daemon.url}/api/notification/test`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { channel?: string; success?: boolean; error?: string | null; message?: string };
  return { status: response.status, body: answer };
};

describe("notifications without any channel", () => {
  it("the configuration shows none, and a test names the missing settings", async () => {
    await start({});
    expect(await config()).toEqual({
      notification_enabled: true,
      email_configured: false,
      webhook_configured: false,
      push_configured: false,
      available_channels: [],
      smtp_host: null,
      smtp_port: 587,
      smtp_from_address: null,
      default_webhook_url: null,
      default_email_recipients: [],
    });
    const answers = [await post({ channel: "email" }), await post({ channel: "WEBHOOK" }), await post({ channel: "push" })];
    expect(answers.map(({ status, body }) => [status, body.channel, body.success, body.error])).toEqual([
      [200, "email", false, "it needs SMTP_HOST and SMTP_FROM_ADDRESS and DEFAULT_EMAIL_RECIPIENTS"],
      [200, "webhook", false, "it needs DEFAULT_WEBHOOK_URL"],
      [200, "push", false, "no channel to phones is enabled; add one with homesec channels add"],
    ]);
    expect(answers[1]?.body.message).toContain("Test message not sent");
  });

  it("an unknown channel or address is refused", async () => {
    await start(mailEnv());
    const refused = [
      { channel: "pigeon" },
      {},
      { channel: "email", email_recipients: "me@example.org" },
      { channel: "email", email_recipients: ["me@example.org\r\nBcc: you@example.org"] },
      { channel: "email", email_recipients: ["a@example.org,b@example.org"] },
      { channel: "email", email_recipients: ["nobody"] },
      { channel: "email", other: 1 },
    ];
    for (const body of refused) expect([body, (await post(body)).status]).toEqual([body, 422]);
    expect(server.mails).toEqual([]);
  });
});

describe("notifications with a mail server", () => {
  it("a test sends a real mail to the given or the configured recipients", async () => {
    await start(mailEnv());
    expect(await config()).toMatchObject({ email_configured: true, available_channels: ["email"], smtp_host: "127.0.0.1" });
    expect(JSON.stringify(await config())).not.toContain("s3cret");
    expect(await post({ channel: "email" })).toEqual({
      status: 200,
      body: { channel: "email", success: true, error: null, message: "Test message accepted for me@example.org" },
    });
    await post({ channel: "email", email_recipients: ["you@example.org"] });
    expect(server.mails.map(({ to }) => to)).toEqual([["me@example.org"], ["you@example.org"]]);
    expect(server.mails[0]?.mail.headers["subject"]).toMatch(/^Test message from homesec/);
    expect(server.mails[0]?.mail.text).toContain("This is a test message.");
    expect(await post({ channel: "email", email_recipients: ["nobody@example.org"] })).toMatchObject({
      status: 200,
      body: { success: false, error: "refused for nobody@example.org: 550 no such user" },
    });
  });

  it("an accepted test sends the waiting notifications of its channel, and counts them", async () => {
    await start(mailEnv());
    const later = new Date(Date.now() + 1_800_000);
    const { alertId } = await addAlert(database.db, { summary: "This waited for the mail server.", startedAt: new Date() });
    await database.db.transaction(async (sql) => {
      const order = { alertId, kind: "alert" as const, channels: ["email"] as const, expiresAt: later };
      await queueNotifications(sql, order, { email: { usable: true }, webhook: { usable: true }, push: { usable: true } }, new Date());
      await sql`update jobs set available_at = ${later} where queue = 'deliver'`;
      await sql`update notifications set next_attempt_at = ${later}`;
    });
    expect((await post({ channel: "email" })).body.message).toBe(
      "Test message accepted for me@example.org; sending 1 waiting notification now",
    );
    await eventually(() => server.mails.some(({ mail }) => mail.text.includes("This waited for the mail server.")));
  });

  it("a wrong password returns the server's answer", async () => {
    await start({ ...mailEnv(), SMTP_PASSWORD: "wr0ng-pass" });
    const { body } = await post({ channel: "email" });
    expect(body).toMatchObject({ success: false, error: expect.stringContaining("535") });
    expect(JSON.stringify(body)).not.toContain("wr0ng");
  });

  it("without configured recipients the channel is available to a test that names its own", async () => {
    await start({ ...mailEnv(), DEFAULT_EMAIL_RECIPIENTS: "" });
    expect(await config()).toMatchObject({ available_channels: ["email"], default_email_recipients: [] });
    expect((await post({ channel: "email" })).body).toMatchObject({ success: false, error: "it needs DEFAULT_EMAIL_RECIPIENTS" });
    expect((await post({ channel: "email", email_recipients: ["you@example.org"] })).body).toMatchObject({ success: true });
  });

  it("a test sends nothing when notifications are off", async () => {
    await start({ ...mailEnv(), NOTIFICATION_ENABLED: "false" });
    const before = server.mails.length;
    expect(await config()).toMatchObject({ notification_enabled: false, email_configured: true, available_channels: [] });
    expect((await post({ channel: "email" })).body).toMatchObject({ success: false, error: expect.stringContaining("switched off") });
    expect(server.mails).toHaveLength(before);
  });
});

describe("notifications with a webhook", () => {
  it("a test posts an alert's payload, and the URL stays secret", async () => {
    const bodies: unknown[] = [];
    const receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      bodies.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(request.url === "/hook?token=s3cret" ? 204 : 404).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    await start({ DEFAULT_WEBHOOK_URL: `${origin}/hook?token=s3cret` });
    expect(await config()).toMatchObject({
      webhook_configured: true,
      available_channels: ["webhook"],
      default_webhook_url: `${origin}/***`,
    });
    const { body } = await post({ channel: "webhook" });
    expect(body).toMatchObject({ channel: "webhook", success: true, error: null });
    expect(bodies).toEqual([
      {
        type: "security_alert",
        alert: { id: expect.any(String), event_id: 0, severity: "low", dedup_key: "test" },
        metadata: { rule_name: "Test", matched_conditions: ["test"] },
        timestamp: expect.stringMatching(/Z$/),
      },
    ]);
    await new Promise((resolve) => receiver.close(resolve));
    const dead = await post({ channel: "webhook" });
    expect(dead).toMatchObject({ status: 200, body: { success: false } });
    expect(JSON.stringify(dead)).not.toContain("s3cret");
  });
});
