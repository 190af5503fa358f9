import { randomBytes } from "node:crypto";
import { Webhook as Verifier } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { outboundEventTypes } from "../../../src/contract/constants.ts";
import { Problem } from "../../../src/contract/problem.ts";
import { sealerOf } from "../../../src/platform/secrets/sealer.ts";
import { type Desk, openDesk, type Wire } from "../../support/operations.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";

let desk: Desk;
let target: Receiver;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(async () => {
  target = await receiver();
  desk.at("2026-03-01T12:00:00Z");
});
afterEach(() => target.close());

const create = (body: object = {}): Promise<Wire<"createWebhook">> =>
  desk.ask("createWebhook", { body: { name: "Kitchen", url: target.url, event_types: ["event_created"], ...body } });

/** The faults of a body that is refused: where, and which. */
async function faults(body: object): Promise<readonly string[]> {
  try {
    await create(body);
  } catch (error) {
    if (error instanceof Problem && error.kind === "invalid") return error.items.map(({ loc, type }) => `${loc.join(".")} ${type}`);
    throw error;
  }
  return [];
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error("it was not refused"),
    (reason: unknown) => reason as Error,
  );
  return error instanceof Problem ? `${error.kind}: ${error.message}` : String(error);
}

const nobody = "11111111-2222-4333-8444-555555555555";

describe("webhook sealed with a lost key file", () => {
  const lost = sealerOf(randomBytes(32), "/lost/secret.key");
  const lose = (id: string, columns: readonly ("sealed_auth" | "sealed_headers" | "sealed_secret")[]) =>
    desk.db.query(async (sql) => {
      for (const column of columns) await sql`update webhooks set ${sql(column)} = ${lost.seal("{}")} where webhook_id = ${id}`;
    });
  const get = (id: string) => desk.ask("getWebhook", { params: { id } });

  test("it can be listed, switched and changed; only sending fails, with the reason", async () => {
    const given = { auth: { type: "bearer", token: "t" }, custom_headers: { "X-House": "12" } };
    const [other, { id }] = [await create(), await create(given)];
    await lose(id, ["sealed_auth", "sealed_headers", "sealed_secret"]);
    expect((await desk.ask("listWebhooks")).webhooks.map((webhook) => webhook.id)).toEqual(expect.arrayContaining([other.id, id]));
    expect(await get(id)).toMatchObject({ name: "Kitchen", custom_headers: {} });
    expect(await desk.ask("disableWebhook", { params: { id } })).toMatchObject({ enabled: false });
    expect(await desk.ask("enableWebhook", { params: { id } })).toMatchObject({ enabled: true });
    expect(await desk.ask("updateWebhook", { params: { id }, body: { name: "Hall" } })).toMatchObject({ name: "Hall" });
    expect(await refusal(desk.ask("testWebhook", { params: { id }, body: { event_type: "event_created" } }))).toMatch(
      /^unavailable: A stored secret cannot be opened with the key file .* enter the secret again/,
    );
    expect(target.received).toEqual([]);
  });

  test("it works again with new auth, headers and signing secret; the lost secret no longer signs", async () => {
    const { id } = await create({ auth: { type: "bearer", token: "t" }, custom_headers: { "X-House": "12" } });
    await lose(id, ["sealed_auth", "sealed_headers", "sealed_secret"]);
    const body = { auth: { type: "bearer", token: "new" }, custom_headers: { "X-House": "13" } };
    expect(await desk.ask("updateWebhook", { params: { id }, body })).toMatchObject({ custom_headers: { "X-House": "13" } });
    const rotated = await desk.ask("rotateWebhookSecret", { params: { id } });
    expect(rotated.previous_secret_valid_until).toBe("2026-03-01T12:00:00.000Z");
    desk.at(new Date().toISOString());
    expect(await desk.ask("testWebhook", { params: { id }, body: { event_type: "event_created" } })).toMatchObject({ success: true });
    const [got] = target.received;
    expect(got?.headers).toMatchObject({ authorization: "Bearer new", "x-house": "13" });
    expect(String(got?.headers["webhook-signature"]).split(" ").length).toBe(1);
    new Verifier(rotated.signing_secret).verify(got?.body ?? "", got?.headers as Record<string, string>);
  });

  test("secrets that are not set again stay sealed, since the key file may return", async () => {
    const { id } = await create({ custom_headers: { "X-House": "12" } });
    await lose(id, ["sealed_auth"]);
    const sealed = () => desk.db.query((sql) => sql`select sealed_auth, sealed_headers from webhooks where webhook_id = ${id}`);
    const before = await sealed();
    await desk.ask("updateWebhook", { params: { id }, body: { max_retries: 2 } });
    expect(await sealed()).toEqual(before);
    await desk.ask("updateWebhook", { params: { id }, body: { auth: null } });
    expect(await sealed()).toMatchObject([{ sealed_auth: null, sealed_headers: (before[0] as Record<string, unknown>)["sealed_headers"] }]);
  });
});

describe("webhook record", () => {
  test("a new one has the defaults and shows its signing secret once, its auth never", async () => {
    const { signing_secret, ...created } = await create({
      auth: { type: "bearer", token: "very-secret" },
      custom_headers: { "X-House": "12" },
    });
    expect(signing_secret).toMatch(/^whsec_/);
    expect(created).toMatchObject({
      name: "Kitchen",
      integration_type: "generic",
      enabled: true,
      custom_headers: { "X-House": "12" },
      payload_template: null,
      max_retries: 4,
      retry_delay_seconds: 10,
      total_deliveries: 0,
      successful_deliveries: 0,
      last_delivery_at: null,
      last_delivery_status: null,
      created_at: "2026-03-01T12:00:00.000Z",
    });
    const read = await desk.ask("getWebhook", { params: { id: created.id } });
    expect(read).toEqual(created);
    expect(JSON.stringify(read)).not.toMatch(/secret|token|"auth"/);
  });

  test("no secret is readable in the database", async () => {
    const { id, signing_secret } = await create({
      auth: { type: "basic", username: "somebody", credential: "hush-hush" },
      custom_headers: { "X-Key": "open-sesame" },
    });
    const [row] = await desk.db.query((sql) => sql<[{ text: string }]>`select w::text as text from webhooks w where w.webhook_id = ${id}`);
    const bytes = Buffer.from((row.text.match(/\\\\x[0-9a-f]+/g) ?? []).join("").replace(/[^0-9a-f]/g, ""), "hex").toString("latin1");
    for (const secret of ["hush-hush", "open-sesame", signing_secret, "somebody"]) {
      expect(row.text).not.toContain(secret);
      expect(bytes).not.toContain(secret);
    }
  });

  test("a change keeps fields that it does not name; null clears them", async () => {
    const { signing_secret: _, ...created } = await create({
      auth: { type: "bearer", token: "t0k" },
      custom_headers: { a: "b" },
      payload_template: "x",
    });
    desk.at("2026-03-01T12:05:00Z");
    const changed = await desk.ask("updateWebhook", { params: { id: created.id }, body: { name: "Hall", max_retries: 0 } });
    expect(changed).toEqual({ ...created, name: "Hall", max_retries: 0, updated_at: "2026-03-01T12:05:00.000Z" });
    await desk.ask("testWebhook", { params: { id: created.id }, body: { event_type: "event_created" } });
    expect(target.received[0]?.headers).toMatchObject({ authorization: "Bearer t0k", a: "b" });
    const emptied = await desk.ask("updateWebhook", {
      params: { id: created.id },
      body: { auth: null, custom_headers: null, payload_template: null },
    });
    expect(emptied).toMatchObject({ custom_headers: {}, payload_template: null });
    // A record can be sent back as it was read
    expect(await desk.ask("updateWebhook", { params: { id: created.id }, body: emptied })).toMatchObject({ name: "Hall" });
  });

  test.each([
    ["slack", "chat_blocks"],
    ["Discord", "chat_embeds"],
    ["telegram", "bot_markdown"],
    ["TEAMS", "team_cards"],
  ])("the name %s means %s", async (name, integration_type) => {
    expect(await create({ integration_type: name })).toMatchObject({ integration_type });
  });

  test("enable, disable, list with enabled_only and pages, delete", async () => {
    const before = await desk.ask("listWebhooks");
    const [first, second] = [await create(), await create({ enabled: false })];
    expect(await desk.ask("disableWebhook", { params: { id: first.id } })).toMatchObject({ id: first.id, enabled: false });
    expect((await desk.ask("listWebhooks", { query: "enabled_only=true&limit=1000" })).webhooks.map(({ id }) => id)).not.toContain(
      first.id,
    );
    expect(await desk.ask("enableWebhook", { params: { id: first.id } })).toMatchObject({ enabled: true });
    const all = await desk.ask("listWebhooks", { query: "limit=1&offset=1" });
    expect([all.total, all.webhooks.length, all.deprecation_warning]).toEqual([before.total + 2, 1, expect.any(String)]);
    // The response to its creation can be sent back
    expect(await desk.ask("updateWebhook", { params: { id: first.id }, body: { ...first, name: "Cellar" } })).toMatchObject({
      name: "Cellar",
    });
    expect(await desk.ask("deleteWebhook", { params: { id: second.id } })).toBeUndefined();
    expect(await refusal(desk.ask("getWebhook", { params: { id: second.id } }))).toContain(`not_found: Webhook ${second.id}`);
  });

  test("an unknown id of any form is 404", async () => {
    for (const id of [nobody, "health-check", "7", "%"]) {
      expect(await refusal(desk.ask("getWebhook", { params: { id } }))).toContain("not_found");
      expect(await refusal(desk.ask("updateWebhook", { params: { id }, body: {} }))).toContain("not_found");
      expect(await refusal(desk.ask("deleteWebhook", { params: { id } }))).toContain("not_found");
      expect(await refusal(desk.ask("enableWebhook", { params: { id } }))).toContain("not_found");
      expect(await refusal(desk.ask("rotateWebhookSecret", { params: { id } }))).toContain("not_found");
      expect(await refusal(desk.ask("listWebhookDeliveries", { params: { id } }))).toContain("not_found");
      expect(await refusal(desk.ask("testWebhook", { params: { id }, body: { event_type: "alert_fired" } }))).toContain("not_found");
      expect(await refusal(desk.ask("getWebhookDelivery", { params: { delivery_id: id } }))).toContain("not_found");
      expect(await refusal(desk.ask("retryWebhookDelivery", { params: { delivery_id: id } }))).toContain("not_found");
    }
  });
});

describe("webhooks refuse", () => {
  test.each<[string, object, string]>([
    ["an empty name", { name: "" }, "body.name string_too_short"],
    ["a long name", { name: "x".repeat(101) }, "body.name string_too_long"],
    ["no event type", { event_types: [] }, "body.event_types value_error"],
    ["an unknown event type", { event_types: ["rain"] }, "body.event_types.0 enum"],
    ["an event type twice", { event_types: ["alert_fired", "ALERT_FIRED"] }, "body.event_types.1 value_error"],
    ["an unknown platform", { integration_type: "pager" }, "body.integration_type enum"],
    ["too many retries", { max_retries: 11 }, "body.max_retries less_than_equal"],
    ["negative retries", { max_retries: -1 }, "body.max_retries greater_than_equal"],
    ["no delay", { retry_delay_seconds: 0 }, "body.retry_delay_seconds greater_than_equal"],
    ["a delay over an hour", { retry_delay_seconds: 3601 }, "body.retry_delay_seconds less_than_equal"],
    ["another scheme", { url: "ftp://example.com/" }, "body.url url_parsing"],
    ["no URL", { url: "somewhere" }, "body.url url_parsing"],
    ["a password in the URL", { url: "http://a:b@127.0.0.1/" }, "body.url value_error"],
    ["the metadata address", { url: "http://169.254.169.254/latest" }, "body.url value_error"],
    ["an unknown field", { colour: "red" }, "body.colour extra_forbidden"],
    ["an unknown auth type", { auth: { type: "digest" } }, "body.auth.type enum"],
    ["bearer without token", { auth: { type: "bearer" } }, "body.auth.token missing"],
    ["basic with a token", { auth: { type: "basic", username: "a", credential: "b", token: "c" } }, "body.auth.token extra_forbidden"],
    ["a line break in a token", { auth: { type: "bearer", token: "a\r\nX: y" } }, "body.auth.token value_error"],
    ["a colon in a user name", { auth: { type: "basic", username: "a:b", credential: "" } }, "body.auth.username value_error"],
    [
      "auth in a forbidden header",
      { auth: { type: "header", header_name: "Host", header_value: "x" } },
      "body.auth.header_name value_error",
    ],
    ["Host", { custom_headers: { Host: "example.com" } }, "body.custom_headers.Host value_error"],
    ["Content-Length", { custom_headers: { "content-length": "1" } }, "body.custom_headers.content-length value_error"],
    ["hop by hop", { custom_headers: { "Transfer-Encoding": "chunked" } }, "body.custom_headers.Transfer-Encoding value_error"],
    ["a signature of one's own", { custom_headers: { "Webhook-Signature": "x" } }, "body.custom_headers.Webhook-Signature value_error"],
    ["a header twice", { custom_headers: { "X-A": "1", "x-a": "2" } }, "body.custom_headers.x-a value_error"],
    ["a name with a space", { custom_headers: { "X A": "1" } }, "body.custom_headers.X A value_error"],
    ["a line break in a value", { custom_headers: { "X-A": "1\nX-B: 2" } }, "body.custom_headers.X-A value_error"],
  ])("%s", async (_, body, expected) => {
    expect(await faults(body)).toEqual([expected]);
  });

  test("a template that fails on a sample of any subscribed type, with line and name", async () => {
    const message = await refusal(
      create({ event_types: ["event_created", "system_health_changed"], payload_template: "a\n{{ nothing.deeper }}" }),
    );
    expect(message).toMatch(/invalid: payload_template: .*line 2.*deeper|nothing/);
  });

  test("a body that is not one, and an unknown type to test", async () => {
    const { id } = await create();
    expect(await refusal(desk.ask("testWebhook", { params: { id }, body: { event_type: "rain" } }))).toContain("invalid");
    expect(await refusal(desk.ask("updateWebhook", { params: { id }, body: { url: "http://169.254.169.254/" } }))).toContain(
      "invalid: url",
    );
    expect(await refusal(desk.ask("updateWebhook", { params: { id }, body: { name: null } }))).toContain("invalid");
    // A URL that is no longer allowed fails each delivery, but does not prevent other changes
    await desk.db.query((sql) => sql`update webhooks set url = 'http://169.254.169.254/' where webhook_id = ${id}`);
    expect(await desk.ask("updateWebhook", { params: { id }, body: { enabled: false } })).toMatchObject({ enabled: false });
  });
});

describe("webhook test", () => {
  test.each([
    ["none", { type: "none" }, undefined],
    ["bearer", { type: "bearer", token: "abc" }, "Bearer abc"],
    ["basic", { type: "basic", username: "jo", credential: "pä" }, `Basic ${Buffer.from("jo:pä").toString("base64")}`],
    ["header", { type: "header", header_name: "Authorization", header_value: "Key 1" }, "Key 1"],
  ])("sends auth %s, custom headers and a valid signature", async (_, auth, authorization) => {
    target.answerWith(() => ({ status: 202, body: "thanks" }));
    const { id, signing_secret } = await create({ auth, custom_headers: { "X-House": "12" } });
    desk.at(new Date());
    const result = await desk.ask("testWebhook", { params: { id }, body: { event_type: "alert_fired" } });
    expect(result).toMatchObject({ success: true, status_code: 202, response_body: "thanks", error_message: null });
    const [got] = target.received;
    if (!got) throw new Error("nothing came");
    expect(got.headers).toMatchObject({ "x-house": "12", "content-type": "application/json" });
    expect(got.headers.authorization).toBe(authorization);
    const payload = new Verifier(signing_secret).verify(got.body, got.headers as Record<string, string>) as Record<string, unknown>;
    expect(Object.keys(payload)).toEqual(["event_type", "timestamp", "webhook_id", "delivery_id", "data"]);
    expect(payload).toMatchObject({ event_type: "alert_fired", webhook_id: id, data: { severity: "high" } });
    expect((await desk.ask("listWebhookDeliveries", { params: { id } })).total).toBe(0);
    expect(await desk.ask("getWebhook", { params: { id } })).toMatchObject({ total_deliveries: 0, last_delivery_at: null });
  });

  test("it sends a sample of each type and kind", async () => {
    const { id } = await create();
    for (const event_type of outboundEventTypes) {
      expect(await desk.ask("testWebhook", { params: { id }, body: { event_type } })).toMatchObject({ success: true });
    }
    await desk.ask("testWebhook", { params: { id }, body: { event_type: "event_created", kind: "camera_health" } });
    await desk.ask("testWebhook", { params: { id }, body: { event_type: "anomaly_detected", kind: "scene_change" } });
    const got = target.received.map(({ body }) => JSON.parse(body) as { event_type: string; data: Record<string, unknown> });
    expect(got.map(({ event_type }) => event_type)).toEqual([...outboundEventTypes, "event_created", "anomaly_detected"]);
    expect(got.slice(-2).map(({ data }) => data)).toMatchObject([
      { kind: "camera_health", detection_ids: [], thumbnail_url: null },
      { kind: "scene_change", reason: expect.stringContaining("acknowledge") },
    ]);
    const wrong = desk.ask("testWebhook", { params: { id }, body: { event_type: "alert_fired", kind: "scene_change" } });
    expect(await refusal(wrong)).toContain("anomaly_detected has");
  });

  test("saving tries a template with both kinds", async () => {
    const payload_template = "{{ 1 // data.detection_count }}";
    expect(await refusal(create({ event_types: ["event_created"], payload_template }))).toContain("tried with event_created");
    await create({ event_types: ["event_created"], payload_template: "{{ data.camera_id }}: {{ data.summary }}" });
  });

  test("a dead target is 200 with success false and status 0", async () => {
    const { id } = await create({ url: "http://127.0.0.1:9/" });
    expect(await desk.ask("testWebhook", { params: { id }, body: { event_type: "event_created" } })).toMatchObject({
      success: false,
      status_code: 0,
      response_body: "",
      error_message: expect.stringContaining("127.0.0.1:9"),
    });
  });

  test("it returns a target's refusal, and follows no redirect", async () => {
    target.answerWith(() => ({ status: 302, headers: { location: "/elsewhere" }, body: "moved" }));
    const { id } = await create();
    const result = await desk.ask("testWebhook", { params: { id }, body: { event_type: "event_created" } });
    expect(result).toMatchObject({ success: false, status_code: 302, response_body: "moved" });
    expect(target.received.length).toBe(1);
  });

  test("a template sends its text with the matching content type", async () => {
    const template = "{{ event_type }} {{ data.camera_id }} {{ camera_id }} {{ webhook_id }}";
    const { id } = await create({ payload_template: template });
    await desk.ask("testWebhook", { params: { id }, body: { event_type: "event_created" } });
    expect(target.received[0]).toMatchObject({ body: `event_created front-door front-door ${id}` });
    expect(target.received[0]?.headers["content-type"]).toBe("text/plain; charset=utf-8");
  });
});

describe("secret rotation", () => {
  test("both secrets sign for 24 hours, then only the new one", async () => {
    const { id, signing_secret: old } = await create();
    const rotated = await desk.ask("rotateWebhookSecret", { params: { id } });
    expect(rotated).toMatchObject({ id, previous_secret_valid_until: "2026-03-02T12:00:00.000Z" });
    const signatures = async () => {
      await desk.ask("testWebhook", { params: { id }, body: { event_type: "event_created" } });
      return String(target.received.at(-1)?.headers["webhook-signature"]).split(" ").length;
    };
    desk.at("2026-03-02T11:59:00Z");
    expect(await signatures()).toBe(2);
    desk.at("2026-03-02T12:00:00Z");
    expect(await signatures()).toBe(1);
    expect(rotated.signing_secret).not.toBe(old);
    desk.at(new Date());
    await signatures();
    const got = target.received.at(-1);
    expect(() => new Verifier(old).verify(got?.body ?? "", got?.headers as Record<string, string>)).toThrow();
    new Verifier(rotated.signing_secret).verify(got?.body ?? "", got?.headers as Record<string, string>);
  });
});

test("webhooks: deleting one while its dead letters are requeued succeeds, without a deadlock", async () => {
  for (let round = 0; round < 8; round += 1) {
    const { id } = await create({ name: `Garage ${round}` });
    await desk.db.query(
      (sql) => sql`
        with failed as (
          insert into webhook_deliveries (webhook_id, event_type, event_id, data, emitted_at, status, created_at, message_id)
          select ${id}::uuid, 'event_created', n::text, '{}', now(), 'failed', now(), gen_random_uuid()
          from generate_series(1, 400) n
          returning delivery_id, webhook_id
        )
        insert into jobs (queue, lane, subject, status, position, available_at)
        select 'deliver', 'webhook:' || f.webhook_id, 'delivery:' || f.delivery_id, 'dead', now(), now()
        from failed f
      `,
    );
    const requeued = desk.ask("requeueDeadLetters", { params: { queue: "deliver" } });
    await new Promise((resolve) => setTimeout(resolve, round * 5));
    await Promise.all([requeued, desk.ask("deleteWebhook", { params: { id } })]);
    expect((await desk.ask("listDeadLetters", { params: { queue: "deliver" } })).items).toEqual([]);
  }
});
