import { randomBytes } from "node:crypto";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Webhook as Verifier } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { samples } from "../../../src/alerting/webhooks/samples.ts";
import type { OutboundEvent } from "../../../src/contract/outbound-events.ts";
import { sealerOf } from "../../../src/platform/secrets/sealer.ts";
import { emit } from "../../../src/work/outbox/outbox.ts";
import { noServices, type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";
import { temporaryFolder } from "../../support/temporary.ts";

interface DeliveryRecord {
  readonly id: string;
  readonly status: string;
  readonly status_code: number | null;
  readonly error_message: string | null;
  readonly attempt_count: number;
  readonly next_retry_at: string | null;
  readonly delivered_at: string | null;
  readonly message_id: string;
  readonly retry_of: string | null;
  readonly attempts: readonly { readonly attempt: number; readonly status_code: number | null; readonly response: string | null }[];
}
interface WebhookRecord {
  readonly id: string;
  readonly signing_secret: string;
  readonly enabled: boolean;
}

let database: TestDatabase;
let daemon: TestDaemon;
let target: Receiver;

beforeEach(async () => {
  [database, target] = await Promise.all([testDatabase(), receiver()]);
  daemon = await testDaemon({ env: { ...noServices, DATABASE_URL: database.url, WEBHOOK_TIMEOUT_SECONDS: "20" } });
});
afterEach(async () => {
  await daemon.stop();
  await Promise.all([target.close(), database.close()]);
});

async function ask<T>(call: string, body?: unknown): Promise<{ readonly status: number; readonly body: T }> {
  const [method = "GET", path = ""] = call.split(" ");
  const response = await fetch(`${daemon.url}/api/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  return { status: response.status, body: (await response.json()) as T };
}
const add = async (body: object = {}): Promise<WebhookRecord> => {
  const given = { name: "Hook", url: target.url, event_types: ["event_enriched"], retry_delay_seconds: 1, ...body };
  const created = await ask<WebhookRecord>("POST outbound-webhooks", given);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  return created.body;
};
/** Emits `event_enriched` for these event numbers. */
const happen = async (...numbers: readonly number[]): Promise<void> => {
  const events = numbers.map(
    (n): OutboundEvent => ({ type: "event_enriched", eventId: String(n), data: { ...samples.event_enriched.data, event_id: n } }),
  );
  await daemon.context.db.transaction((sql) => emit(sql, events, new Date()));
};
const deliveries = async (webhook: { readonly id: string }): Promise<readonly DeliveryRecord[]> =>
  (await ask<{ deliveries: DeliveryRecord[] }>(`GET outbound-webhooks/${webhook.id}/deliveries`)).body.deliveries;
const details = async (id: string): Promise<DeliveryRecord> => (await ask<DeliveryRecord>(`GET outbound-webhooks/deliveries/${id}`)).body;
/** The only delivery of a webhook, once it has this status. */
const only = (webhook: WebhookRecord, status: string): Promise<DeliveryRecord> =>
  eventually(async () => (await deliveries(webhook)).find((delivery) => delivery.status === status), {
    what: `a delivery that is ${status}`,
  });
const numbersOf = (hook: Receiver): readonly number[] =>
  hook.received.map(({ body }) => (JSON.parse(body) as { data: { event_id: number } }).data.event_id);

test("delivery: a webhook that was sealed with another key file retries and fails with the reason; with new secrets it can be retried", async () => {
  const webhook = await add({ max_retries: 1 });
  const sealed = sealerOf(randomBytes(32), "/lost/secret.key").seal("whsec_x");
  await database.db.query((sql) => sql`update webhooks set sealed_secret = ${sealed} where webhook_id = ${webhook.id}`);
  await happen(7);
  const failed = await only(webhook, "failed");
  expect(failed).toMatchObject({
    attempt_count: 2,
    status_code: null,
    error_message: expect.stringContaining("or enter the secret again"),
  });
  expect(target.received).toEqual([]);
  expect((await ask(`POST outbound-webhooks/${webhook.id}/rotate-secret`)).status).toBe(200);
  expect((await ask(`POST outbound-webhooks/deliveries/${failed.id}/retry`)).status).toBeLessThan(300);
  await only(webhook, "success");
});

describe("successful delivery", () => {
  test("it arrives once, signed over its bytes, and is counted", async () => {
    const webhook = await add();
    await happen(7);
    const delivery = await details((await only(webhook, "success")).id);
    expect(delivery).toMatchObject({ status_code: 200, attempt_count: 1, error_message: null, next_retry_at: null, retry_of: null });
    expect(delivery.delivered_at).toMatch(/Z$/);
    expect(delivery.attempts).toMatchObject([{ attempt: 1, status_code: 200 }]);
    expect(target.received.length).toBe(1);
    const got = target.received[0];
    const payload = new Verifier(webhook.signing_secret).verify(got?.body ?? "", got?.headers as Record<string, string>);
    expect(payload).toMatchObject({
      event_type: "event_enriched",
      webhook_id: webhook.id,
      delivery_id: delivery.id,
      data: { event_id: 7 },
    });
    expect(got?.headers["webhook-id"]).toBe(delivery.message_id);
    expect((await ask(`GET outbound-webhooks/${webhook.id}`)).body).toMatchObject({
      total_deliveries: 1,
      successful_deliveries: 1,
      last_delivery_status: "success",
      last_delivery_at: delivery.delivered_at,
    });
  });

  test("first attempts arrive in order, at subscribed webhooks only", async () => {
    const webhook = await add();
    const other = await add({ event_types: ["alert_fired"] });
    await add({ enabled: false });
    const numbers = Array.from({ length: 30 }, (_, n) => n);
    await happen(...numbers.slice(0, 15));
    for (const n of numbers.slice(15)) await happen(n);
    await eventually(() => target.received.length === 30);
    expect(numbersOf(target)).toEqual(numbers);
    expect(await deliveries(other)).toEqual([]);
    const page = await ask<{ total: number; has_more: boolean; deliveries: unknown[] }>(
      `GET outbound-webhooks/${webhook.id}/deliveries?limit=10&offset=15`,
    );
    expect([page.body.total, page.body.has_more, page.body.deliveries.length]).toEqual([30, true, 10]);
    expect(Object.keys(page.body)).not.toContain("deprecation_warning");
  });
});

test("delivery: a response that was cut off while the daemon stopped is not posted again", async () => {
  target.answerWith(() => ({ status: 200, body: "so far", held: true }));
  const webhook = await add();
  await happen(1);
  await eventually(() => target.received.length === 1);
  // The status has arrived by then; the rest of the body never does
  await setTimeout(300);
  const folder = temporaryFolder("key");
  const key = join(folder.path, "key");
  await copyFile(join(daemon.dataDir, "secret.key"), key);
  await daemon.stop();
  daemon = await testDaemon({ env: { ...noServices, DATABASE_URL: database.url, SECRET_KEY_PATH: key } });
  await folder.remove();
  const delivery = await details((await only(webhook, "success")).id);
  expect(delivery.attempts).toMatchObject([{ attempt: 1, status_code: 200, response: "so far" }]);
  expect(target.received.length).toBe(1);
});

describe("failed delivery", () => {
  test("a message that was begun 25 times by killed daemons still arrives", async () => {
    const webhook = await add();
    await daemon.context.db.transaction(async (sql) => {
      await emit(sql, [{ type: "event_enriched", eventId: "9", data: { ...samples.event_enriched.data, event_id: 9 } }], new Date());
      // Each was begun 25 times and never finished
      await sql`update jobs set attempts = 25 where queue = 'deliver'`;
    });
    expect(await only(webhook, "success")).toMatchObject({ attempt_count: 1 });
    expect(numbersOf(target)).toEqual([9]);
  });

  test("it is retried with backoff under the same webhook-id until it succeeds", async () => {
    target.answerWith((_, index) => (index < 2 ? { status: 500, body: "no" } : { status: 200 }));
    const webhook = await add();
    await happen(1);
    const waiting = await only(webhook, "retrying");
    expect(waiting).toMatchObject({ attempt_count: 1, status_code: 500, error_message: "The target answered 500" });
    expect(Date.parse(waiting.next_retry_at ?? "")).toBeGreaterThan(Date.now() - 5_000);
    const done = await details((await only(webhook, "success")).id);
    expect(done.attempts.map(({ status_code, response }) => [status_code, response])).toEqual([
      [500, "no"],
      [500, "no"],
      [200, ""],
    ]);
    expect(new Set(target.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect((await ask(`GET outbound-webhooks/${webhook.id}`)).body).toMatchObject({ total_deliveries: 1, successful_deliveries: 1 });
  });

  test("without retries it becomes a dead letter at once, and a manual retry is a new delivery", async () => {
    target.answerWith(() => ({ status: 404 }));
    const webhook = await add({ max_retries: 0 });
    await happen(1);
    const failed = await only(webhook, "failed");
    expect(failed).toMatchObject({ attempt_count: 1, status_code: 404, next_retry_at: null, delivered_at: null });
    type Letters = { items: { job_id: number; error: string; delivery: unknown }[] };
    const letters = (await ask<Letters>("GET dlq/deliver")).body.items;
    expect(letters).toMatchObject([
      { error: "The target answered 404", delivery: { delivery_id: failed.id, webhook_name: "Hook", event_type: "event_enriched" } },
    ]);
    target.answerWith(() => ({ status: 200 }));
    const retried = await ask<DeliveryRecord>(`POST outbound-webhooks/deliveries/${failed.id}/retry`);
    expect(retried).toMatchObject({
      status: 200,
      body: { status: "pending", attempt_count: 0, retry_of: failed.id, message_id: failed.message_id },
    });
    await eventually(async () => (await details(retried.body.id)).status === "success");
    expect(await details(failed.id)).toMatchObject({ status: "failed", status_code: 404 });
    expect(new Set(target.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect((await ask<Letters>("GET dlq/deliver")).body.items).toEqual([]);
    expect((await ask(`POST outbound-webhooks/deliveries/${retried.body.id}/retry`)).status).toBe(409);
  });

  test("a requeued dead letter is a retry; a purged one leaves the delivery failed", async () => {
    target.answerWith((_, index) => ({ status: index < 2 ? 500 : 200 }));
    const webhook = await add({ max_retries: 0 });
    await happen(1, 2);
    await eventually(async () => (await deliveries(webhook)).filter(({ status }) => status === "failed").length === 2);
    const { items } = (await ask<{ items: { job_id: number; delivery: { event_id: string } }[] }>("GET dlq/deliver")).body;
    const [second, first] = items;
    expect((await ask(`POST dlq/deliver/requeue?job_id=${first?.job_id}`)).body).toEqual({ queue: "deliver", requeued: 1 });
    await only(webhook, "success");
    expect(numbersOf(target)).toEqual([1, 2, 1]);
    expect((await ask(`DELETE dlq/deliver?job_id=${second?.job_id}`)).body).toEqual({ queue: "deliver", purged: 1 });
    const all = await deliveries(webhook);
    expect(all.map(({ status }) => status).toSorted()).toEqual(["failed", "failed", "success"]);
  });

  test("dead letters of a disabled webhook stay until it is enabled; requeueing one of them returns the reason", async () => {
    target.answerWith((_, index) => ({ status: index < 2 ? 500 : 200 }));
    const webhook = await add({ max_retries: 0 });
    await happen(1, 2);
    await eventually(async () => (await deliveries(webhook)).filter(({ status }) => status === "failed").length === 2);
    await ask(`POST outbound-webhooks/${webhook.id}/disable`);
    expect((await ask("POST dlq/deliver/requeue")).body).toEqual({ queue: "deliver", requeued: 0 });
    const { items } = (await ask<{ items: { job_id: number }[] }>("GET dlq/deliver")).body;
    expect(items.length).toBe(2);
    expect(await ask(`POST dlq/deliver/requeue?job_id=${items[0]?.job_id}`)).toMatchObject({ status: 409 });
    await ask(`POST outbound-webhooks/${webhook.id}/enable`);
    expect((await ask("POST dlq/deliver/requeue")).body).toEqual({ queue: "deliver", requeued: 2 });
    await eventually(async () => (await deliveries(webhook)).filter(({ status }) => status === "success").length === 2);
  });

  test("Retry-After is honoured, a redirect is not followed, a cut connection is a failure", async () => {
    target.answerWith(() => ({ status: 429, headers: { "retry-after": "1800" } }));
    const slow = await add();
    const moved = await receiver(() => ({ status: 307, headers: { location: target.url } }));
    const cut = await receiver(() => "reset");
    const [movedHook, cutHook] = [await add({ url: moved.url, max_retries: 0 }), await add({ url: cut.url, max_retries: 0 })];
    await happen(1);
    const waiting = await only(slow, "retrying");
    expect(Date.parse(waiting.next_retry_at ?? "") - Date.now()).toBeGreaterThan(1_700_000);
    expect(await only(movedHook, "failed")).toMatchObject({ status_code: 307, error_message: expect.stringContaining("redirects") });
    expect(await only(cutHook, "failed")).toMatchObject({ status_code: null, error_message: expect.stringContaining("closed") });
    expect(target.received.length).toBe(1);
    await Promise.all([moved.close(), cut.close()]);
  });

  test("410 disables the webhook, and later deliveries fail with that reason", async () => {
    target.answerWith(() => ({ status: 410 }));
    const webhook = await add();
    await happen(1, 2);
    await eventually(async () => (await deliveries(webhook)).every(({ status }) => status === "failed"));
    expect((await ask(`GET outbound-webhooks/${webhook.id}`)).body).toMatchObject({
      enabled: false,
      disabled_reason: expect.stringContaining("410"),
    });
    expect(target.received.length).toBe(1);
    const never = (await deliveries(webhook)).find(({ attempt_count }) => attempt_count === 0);
    expect(never?.error_message).toMatch(/was disabled.*410/);
    expect((await ask(`POST outbound-webhooks/deliveries/${never?.id}/retry`)).status).toBe(409);
    target.answerWith(() => ({ status: 200 }));
    expect((await ask(`POST outbound-webhooks/${webhook.id}/enable`)).body).toMatchObject({ enabled: true, disabled_reason: null });
    expect((await ask(`POST outbound-webhooks/deliveries/${never?.id}/retry`)).status).toBe(200);
    await only(webhook, "success");
  });

  test("410 from a URL that was changed meanwhile does not disable the new one", async () => {
    const webhook = await add({ url: `${target.url}/old`, retry_delay_seconds: 1 });
    target.answerWith(({ path }) =>
      path.endsWith("/old")
        ? { status: 410, after: ask(`PATCH outbound-webhooks/${webhook.id}`, { url: `${target.url}/new` }) }
        : { status: 200 },
    );
    await happen(1);
    expect(await only(webhook, "success")).toMatchObject({ attempt_count: 2 });
    expect((await ask(`GET outbound-webhooks/${webhook.id}`)).body).toMatchObject({ enabled: true, disabled_reason: null });
    expect(target.received.map(({ path }) => path.split("/").at(-1))).toEqual(["old", "new"]);
  });

  test("a template that fails on a real event fails the delivery with line and name", async () => {
    const webhook = await add({ payload_template: "ok {{ data.event_id }}" });
    await database.db.query((sql) => sql`update webhooks set payload_template = ${"\n{{ data.none.deeper }}"}`);
    await happen(1);
    expect(await only(webhook, "failed")).toMatchObject({ attempt_count: 0, error_message: expect.stringMatching(/template.*line 2/) });
  });
});

test("delivery: a hanging target does not delay another one, and retries do not delay first attempts", async () => {
  const dead = await receiver(() => "hang");
  const hanging = await add({ url: dead.url });
  await happen(1);
  await eventually(() => dead.received.length === 1);
  const webhook = await add();
  target.answerWith(({ body }) => ({ status: body.includes('"event_id":2,') ? 500 : 200 }));
  await happen(2, 3, 4);
  // all of this while the first target still hangs
  await eventually(() => [2, 3, 4].every((n) => numbersOf(target).includes(n)));
  expect(numbersOf(target).slice(0, 3)).toEqual([2, 3, 4]);
  expect(await deliveries(hanging)).toMatchObject([
    { status: "pending", attempt_count: 0 },
    { status: "pending" },
    { status: "pending" },
    { status: "pending" },
  ]);
  await eventually(async () => (await deliveries(webhook)).filter(({ status }) => status === "success").length === 2);
  await dead.close();
});

test("webhook health: it counts the last 24 hours; a webhook without deliveries is neither healthy nor unhealthy", async () => {
  const good = await add();
  const dead = await receiver(() => ({ status: 500 }));
  const bad = await add({ url: dead.url, max_retries: 0 });
  // A delivery that is still retried does not count
  const trying = await add({ url: dead.url, max_retries: 4, retry_delay_seconds: 600 });
  await add({ event_types: ["alert_fired"] });
  await add({ enabled: false });
  await happen(1, 2);
  await eventually(async () => (await deliveries(trying)).every(({ status }) => status === "retrying"));
  await eventually(async () => (await deliveries(good)).every(({ status }) => status === "success"));
  await eventually(async () => (await deliveries(bad)).every(({ status }) => status === "failed"));
  const health = async () => (await ask<Record<string, number>>("GET outbound-webhooks/health")).body;
  expect(await health()).toMatchObject({
    total_webhooks: 5,
    enabled_webhooks: 4,
    healthy_webhooks: 1,
    unhealthy_webhooks: 1,
    total_deliveries_24h: 4,
    successful_deliveries_24h: 2,
    failed_deliveries_24h: 2,
    average_response_time_ms: expect.any(Number),
  });
  await database.db.query((sql) => sql`update webhook_deliveries set created_at = created_at - interval '25 hours'`);
  expect(await health()).toMatchObject({
    healthy_webhooks: 0,
    unhealthy_webhooks: 0,
    total_deliveries_24h: 0,
    average_response_time_ms: null,
  });
  await dead.close();
});

test("webhooks: deleting one deletes its deliveries and their jobs", async () => {
  target.answerWith(() => ({ status: 503 }));
  const webhook = await add({ retry_delay_seconds: 3600 });
  await happen(1);
  const waiting = await only(webhook, "retrying");
  expect((await fetch(`${daemon.url}/api/outbound-webhooks/${webhook.id}`, { method: "DELETE" })).status).toBe(204);
  expect((await ask(`GET outbound-webhooks/deliveries/${waiting.id}`)).status).toBe(404);
  const left = await database.db.query((sql) => sql<{ n: number }[]>`select count(*) as n from jobs j where j.queue = 'deliver'`);
  expect(left[0]?.n).toBe(0);
});

test("cleanup: old finished deliveries are deleted; waiting ones stay", async () => {
  target.answerWith((_, index) => ({ status: index === 0 ? 200 : 503 }));
  const webhook = await add({ retry_delay_seconds: 3600 });
  await happen(1, 2);
  await Promise.all([only(webhook, "success"), only(webhook, "retrying")]);
  await database.db.query((sql) => sql`update webhook_deliveries set created_at = created_at - interval '40 days'`);
  expect((await ask("POST system/cleanup")).status).toBe(200);
  expect(await deliveries(webhook)).toMatchObject([{ status: "retrying" }]);
});
