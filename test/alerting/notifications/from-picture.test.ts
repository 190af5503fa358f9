import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, expect, it } from "vitest";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { mailServer } from "../../support/mail-server.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { detectorStandIn, languageModelStandIn, verdictText } from "../../support/upstream.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface StoredAlert {
  readonly id: string;
  readonly event_id: number;
  readonly status: string;
  readonly alert_metadata: { readonly channels: readonly object[] };
}

/** A whole homesec with a rule that sends through one channel. */
async function homesec(channel: "email" | "webhook", env: Readonly<Record<string, string>>) {
  const [database, detector, model] = await Promise.all([
    testDatabase({ max: 1 }),
    detectorStandIn(),
    languageModelStandIn({ answer: () => ({ content: verdictText(91) }) }),
  ]);
  ends.push(
    () => database.close(),
    () => detector.close(),
    () => model.close(),
  );
  const daemon: TestDaemon = await testDaemon({
    env: {
      DATABASE_URL: database.url,
      DETECTOR_URL: detector.url,
      LANGUAGE_MODEL_URL: model.url,
      BATCH_WINDOW_SECONDS: "2",
      BATCH_IDLE_TIMEOUT_SECONDS: "1",
      ...env,
    },
  });
  ends.push(() => daemon.stop());
  const created = await fetch(`${daemon.url}/api/alerts/rules`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Anybody", severity: "critical", risk_threshold: 60, object_types: ["person"], channels: [channel] }),
  });
  expect(created.status).toBe(201);
  return {
    upload: async () => await renameIn(join(daemon.cameraRoot, "gate", "1.jpg"), await uniqueJpeg()),
    alert: async () => {
      const { items } = (await (await fetch(`${daemon.url}/api/alerts`)).json()) as { items: readonly StoredAlert[] };
      return items[0];
    },
    ask: async (call: string) => {
      const [method = "GET", path = ""] = call.split(" ");
      return await (await fetch(`${daemon.url}${path}`, { method })).json();
    },
    daemon,
  };
}

it("notifications: a picture leads to a mail that contains it", async () => {
  const server = await mailServer();
  ends.push(() => server.close());
  const { upload, alert } = await homesec("email", {
    SMTP_HOST: "127.0.0.1",
    SMTP_PORT: String(server.port),
    SMTP_FROM_ADDRESS: "homesec@example.org",
    DEFAULT_EMAIL_RECIPIENTS: "me@example.org",
    PUBLIC_URL: "http://home.example.org",
  });
  await upload();
  await eventually(async () => expect((await alert())?.status).toBe("delivered"));
  const stored = await alert();
  const [received] = server.mails;
  expect(server.mails).toHaveLength(1);
  expect(received?.to).toEqual(["me@example.org"]);
  expect(received?.mail.headers["subject"]).toMatch(/^\[Critical\] Person at gate/i);
  expect(received?.mail.headers["x-priority"]).toMatch(/^1/);
  expect(received?.mail.text).toContain("Somebody walked by.");
  expect(received?.mail.text).toContain(`http://home.example.org/events/${stored?.event_id}`);
  const picture = await sharp(received?.mail.pictures[0]?.bytes).metadata();
  expect([picture.format, picture.width]).toEqual(["jpeg", 768]);
  expect(stored?.alert_metadata.channels).toEqual([{ channel: "email", status: "sent", reason: null, attempts: 1, late: false }]);
});

it("notifications: a mail that is too large for the server goes without its picture, and says so", async () => {
  const server = await mailServer({ size: 30_000 });
  ends.push(() => server.close());
  const { upload, alert } = await homesec("email", {
    SMTP_HOST: "127.0.0.1",
    SMTP_PORT: String(server.port),
    SMTP_FROM_ADDRESS: "homesec@example.org",
    DEFAULT_EMAIL_RECIPIENTS: "me@example.org",
  });
  await upload();
  await eventually(async () => expect((await alert())?.status).toBe("delivered"));
  expect(server.mails).toHaveLength(1);
  expect(server.mails[0]?.mail.text).toContain("No picture: the mail server does not accept a mail of that size.");
  expect(server.mails[0]?.mail.pictures).toEqual([]);
});

it("notifications: a picture leads to a request to DEFAULT_WEBHOOK_URL", async () => {
  const bodies: unknown[] = [];
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  ends.push(() => new Promise((resolve) => receiver.close(resolve)));
  const { upload, alert } = await homesec("webhook", {
    DEFAULT_WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
  });
  await upload();
  await eventually(async () => expect((await alert())?.status).toBe("delivered"));
  const stored = await alert();
  expect(bodies).toEqual([
    {
      type: "security_alert",
      alert: { id: stored?.id, event_id: stored?.event_id, severity: "critical", dedup_key: expect.stringMatching(/^gate:/) },
      metadata: { rule_name: "Anybody", matched_conditions: ["risk_score >= 60", "object_type in [person]"] },
      timestamp: expect.stringMatching(/Z$/),
      event: expect.objectContaining({
        ...{ event_id: stored?.event_id, camera_id: "gate", risk_score: 91, summary: "Somebody walked by." },
        ...{ object_counts: { person: 1 }, thumbnail_url: expect.stringMatching(/^\/api\/detections\/\d+\/thumbnail$/) },
      }),
    },
  ]);
});

it("notifications: the alert shows a mail that waits for a dead mail server, and a requeued dead letter is sent", async () => {
  const port = await freePort();
  const { upload, alert, ask, daemon } = await homesec("email", {
    SMTP_HOST: "127.0.0.1",
    SMTP_PORT: String(port),
    SMTP_FROM_ADDRESS: "homesec@example.org",
    DEFAULT_EMAIL_RECIPIENTS: "me@example.org",
  });
  await upload();
  const waiting = { channel: "email", status: "waiting", attempts: 1, late: true };
  await eventually(async () => expect((await alert())?.alert_metadata.channels).toMatchObject([waiting]));
  expect(await alert()).toMatchObject({
    status: "pending",
    alert_metadata: { channels: [{ reason: expect.stringContaining("ECONNREFUSED") }] },
  });

  // It expires
  await daemon.context.db.query(async (sql) => {
    await sql`update notifications set expires_at = now()`;
    await sql`update jobs set available_at = now() where subject like 'notification:%'`;
  });
  await eventually(async () => expect((await alert())?.alert_metadata.channels).toMatchObject([{ ...waiting, status: "expired" }]));
  const { items } = (await ask("GET /api/dlq/deliver")) as { items: readonly unknown[] };
  expect(items).toMatchObject([
    { notification: { alert_id: (await alert())?.id, channel: "email", rule_name: "Anybody", camera_id: "gate" } },
  ]);

  const server = await mailServer({ port });
  ends.push(() => server.close());
  expect(await ask("POST /api/dlq/deliver/requeue")).toEqual({ queue: "deliver", requeued: 1 });
  await eventually(async () => expect((await alert())?.status).toBe("delivered"));
  expect(server.mails).toHaveLength(1);
  expect(server.mails[0]?.mail.text).toContain("This alert is late");
});
