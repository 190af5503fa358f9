import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { verify } from "../../commands/webhooks/signature.ts";
import { deliveryView, webhookView } from "../../commands/webhooks/view.ts";
import { newSigningSecret, signatureHeaders } from "../../src/alerting/webhooks/signing.ts";
import { outboundEventTypes } from "../../src/contract/constants.ts";
import { Delivery, Webhook } from "../../src/contract/routes/webhooks.ts";
import { type CliOptions, type CliResult, cli } from "../support/cli.ts";
import { emptyTables } from "../support/empty-tables.ts";
import { eventually } from "../support/eventually.ts";
import { type ServedDesk, serveDesk, ways } from "../support/served-desk.ts";

let served: ServedDesk;
beforeAll(async () => {
  served = await serveDesk();
});
afterAll(() => served.close());
beforeEach(async () => {
  await served.desk.db.query((sql) => emptyTables(sql, "webhooks"));
});

/** A running `webhooks listen`: its address, and how it ends. */
async function listener(args: readonly string[] = [], options: CliOptions = {}) {
  let err = "";
  const stopping = new AbortController();
  const ended: Promise<CliResult> = cli(["webhooks", "listen", "--port", "0", ...args], {
    cwd: served.desk.dataDir,
    signal: stopping.signal,
    onErr: (text) => {
      err += text;
    },
    ...options,
  });
  const url = await eventually(() => /http:\/\/127\.0\.0\.1:\d+/.exec(err)?.[0]);
  return { url, ended, stop: () => stopping.abort("SIGINT") };
}

describe.each(ways)("webhooks, %s", (way) => {
  const homesec = (args: readonly string[], options: CliOptions = {}) => served.homesec(way, ["webhooks", ...args], options);
  const add = async (url: string, ...more: string[]) => {
    const added = await homesec(["add", "chat", url, "--event-types", "alert_fired", ...more, "-o", "json"]);
    expect(added.code, added.err).toBe(0);
    return JSON.parse(added.out) as { id: string; signing_secret: string };
  };

  it("webhooks: add and update note a bot without a chat to write to", async () => {
    const address = "https://example.org/bot/sendMessage";
    const told = "chat names no chat; add ?chat_id=... to the address, or the custom header x-chat-id\n";
    const added = await homesec(["add", "chat", address, "--event-types", "alert_fired", "--integration-type", "bot_markdown"]);
    expect(added).toMatchObject({ code: 0, err: expect.stringContaining(told) });
    expect((await homesec(["update", "chat", "--target", `${address}?chat_id=-1001`])).err).toBe("");
    expect((await homesec(["update", "chat", "--target", address])).err).toBe(told);
    expect((await homesec(["update", "chat", "--integration-type", "chat_blocks"])).err).toBe("");
  });

  it("webhooks: a chat's own name stands for its message format", async () => {
    await add("https://example.org/slack", "--integration-type", "slack");
    expect(JSON.parse((await homesec(["show", "chat", "-o", "json"])).out)).toMatchObject({ integration_type: "chat_blocks" });
    expect((await homesec(["update", "chat", "--integration-type", "discord"])).code).toBe(0);
    expect(JSON.parse((await homesec(["show", "chat", "-o", "json"])).out)).toMatchObject({ integration_type: "chat_embeds" });
    expect((await homesec(["update", "chat", "--integration-type", "slak"])).err).toContain("slack");
  });

  it("webhooks: add has a flag for each field, and reads secrets from elsewhere", async () => {
    await writeFile(join(served.desk.dataDir, "token.txt"), "s3cret\n");
    await writeFile(join(served.desk.dataDir, "headers.txt"), "X-Room: hall\nX-Door: a: b\n");
    const flags = ["--auth", "bearer", "--secret-file", "token.txt", "--headers-file", "headers.txt", "--max-retries", "2"];
    const added = await homesec([
      "add",
      "chat",
      "https://example.org/in",
      "--event-types",
      "alert_fired,event_created",
      ...flags,
      "-o",
      "json",
    ]);
    expect(added.code, added.err).toBe(0);
    expect(added.err).toContain("shown only once");
    expect(JSON.parse(added.out)).toMatchObject({
      name: "chat",
      url: "https://example.org/in",
      event_types: ["alert_fired", "event_created"],
      max_retries: 2,
      signing_secret: expect.stringMatching(/^whsec_/),
    });
    expect(added.out).not.toContain("s3cret");
    const shown = await homesec(["show", "chat"]);
    expect(shown.out).toMatch(/name +chat\nstate +on\naddress +https:\/\/example.org\/in\nevents +alert_fired, event_created\n/);
    expect(shown.out).toMatch(/headers +X-Room, X-Door\nretries +2, the first after 10 s\n/);
    const piped = await homesec(["add", "piped", "-", "--event-types", "alert_fired", "--fields", "url", "-o", "csv"], {
      input: "https://example.org/secret\n",
    });
    expect(piped.out).toBe("url\r\nhttps://example.org/secret\r\n");
    expect((await homesec(["list"])).out).toMatch(/^ID +NAME +STATE +LAST +WHEN +EVENTS +ADDRESS\n(.*\n){2}$/);
    expect(JSON.parse((await homesec(["list", "-o", "json"])).out)).toMatchObject({ total: 2 });
  });

  it.each([
    [["chat", "https://example.org"], "--event-types"],
    [["chat", "https://example.org", "--event-types", "alert"], "one of alert_fired"],
    [["chat", "ftp://example.org", "--event-types", "alert_fired"], "url"],
    [["chat", "https://example.org", "--event-types", "alert_fired", "--auth", "bearer"], "HOMESEC_WEBHOOK_SECRET"],
    [["chat", "https://example.org", "--event-types", "alert_fired", "--username", "me"], "needs --auth"],
    [["chat", "https://example.org", "--event-types", "alert_fired", "--headers-file", "none.txt"], "it does not exist"],
  ])("webhooks: add rejects %j", async (args, reason) => {
    const { code, out, err } = await homesec(["add", ...args]);
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(reason)]);
  });

  it("webhooks: update, disable, enable and remove change the webhook", async () => {
    await add("https://example.org/in");
    expect(await homesec(["update", "chat"])).toMatchObject({ code: 2, err: expect.stringContaining("nothing to change") });
    const changed = await homesec(["update", "chat", "--name", "talk", "--retry-delay-seconds", "30", "-o", "json"]);
    expect(JSON.parse(changed.out)).toMatchObject({ name: "talk", retry_delay_seconds: 30, url: "https://example.org/in" });
    expect((await homesec(["disable", "talk"])).out).toMatch(/state +off\n/);
    expect((await homesec(["list", "--enabled-only"])).err).toBe("no webhooks\n");
    expect((await homesec(["enable", "talk"])).out).toMatch(/state +on\n/);
    expect((await homesec(["show", "chat"])).code).toBe(3);
    expect((await homesec(["remove", "talk"])).code).toBe(2);
    expect(await homesec(["remove", "talk", "--yes"])).toEqual({ code: 0, out: "", err: "webhook talk removed\n" });
  });

  it("webhooks: test sends a sample that listen verifies, also after a rotation of the secret", async () => {
    const first = await listener(["-o", "ndjson"]);
    const { signing_secret } = await add(first.url);
    const sent = await homesec(["test", "chat"]);
    expect(sent.out).toMatch(/^sample +alert_fired\nresult +delivered\nanswer +204 after \d+ ms\n/);
    first.stop();
    const unverified = await first.ended;
    expect(unverified).toMatchObject({ code: 130, err: expect.stringContaining("signatures are not verified") });
    expect(JSON.parse(unverified.out)).toMatchObject({ method: "POST", signature: "not checked", body: { event_type: "alert_fired" } });

    const rotated = JSON.parse((await homesec(["rotate-secret", "chat", "-o", "json"])).out) as { signing_secret: string };
    expect(rotated.signing_secret).not.toBe(signing_secret);
    await writeFile(join(served.desk.dataDir, "secret.txt"), `${rotated.signing_secret}\n`);
    const clock = served.desk.context.clock;
    const second = await listener(["--signing-secret-file", "secret.txt", "--count", "1"], { clock });
    await homesec(["update", "chat", "--target", second.url]);
    await homesec(["test", "chat", "--event-type", "event_created"]);
    const { code, out } = await second.ended;
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^\d\d:\d\d:\d\d {2}POST \/ {2}signature valid {2}\S+\n {4}\{\n {6}"event_type": "event_created",\n/),
    ]);

    const dead = await homesec(["test", "chat", "-o", "json"]);
    expect(dead.code).toBe(1);
    expect(JSON.parse(dead.out)).toMatchObject({ success: false, status_code: 0, error_message: expect.any(String) });
  });

  it("webhooks: deliveries, retry and health print their records", async () => {
    const { id } = await add("https://example.org/in");
    const [failed, fine] = ["7d3a1f5e-8f0e-4f58-9a35-1f2b6d0c9e21", "7d3a1f5e-8f0e-4f58-9a35-1f2b6d0c9e22"];
    await served.desk.db.query(async (sql) => {
      for (const [delivery, status, code, error] of [
        [failed, "failed", 500, "answered 500"],
        [fine, "success", 200, null],
      ] as const) {
        await sql`
          insert into webhook_deliveries (delivery_id, webhook_id, event_type, event_id, status, status_code, error_message, attempt_count, created_at, message_id, data, emitted_at)
          values (${delivery}, ${id}, 'alert_fired', '1', ${status}, ${code}, ${error}, 1, '2026-03-01T11:00:00Z', ${delivery}, '{}', '2026-03-01T11:00:00Z')
        `;
      }
    });
    const listed = await homesec(["deliveries", "chat"]);
    expect(listed.out).toMatch(new RegExp(`${failed} +1 h ago +alert_fired +failed +500 +1 +answered 500\\n`));
    expect(JSON.parse((await homesec(["deliveries", id, "-o", "json"])).out)).toMatchObject({ total: 2, limit: 2, has_more: false });
    expect((await homesec(["deliveries", "chat", "--limit", "1", "-o", "id"])).out).toMatch(/^7d3a1f5e-\S+\n$/);
    expect((await homesec(["deliveries", "chat", "--delivery", failed])).out).toMatch(/answer +500 after \? ms\nerror +answered 500\n/);
    expect((await homesec(["deliveries", "chat", "--delivery", "x"])).code).toBe(3);
    const retried = await homesec(["retry", failed, "-o", "json"]);
    expect(JSON.parse(retried.out)).toMatchObject({ webhook_id: id, status: "pending", retry_of: failed });
    expect((await homesec(["retry", fine])).code).toBe(5);
    expect((await homesec(["retry", "x"])).code).toBe(3);
    const health = await homesec(["health"]);
    expect(health.out).toMatch(/^webhooks +1, 1 enabled\n/);
    expect(JSON.parse((await homesec(["health", "-o", "json"])).out)).toMatchObject({ total_webhooks: 1 });
  });
});

describe("webhooks listen", () => {
  it("webhooks listen: answers with the chosen status, and shows requests that are no deliveries", async () => {
    const { url, ended } = await listener(["--status", "503", "--count", "2"]);
    expect((await fetch(`${url}/a`, { method: "POST", body: "plain\u001b[2J" })).status).toBe(503);
    expect((await fetch(`${url}/b`, { method: "POST", body: "{}", headers: { "webhook-id": "1" } })).status).toBe(503);
    const { code, out } = await ended;
    expect([code, out.replaceAll(/^\d\d:\d\d:\d\d/gm, "<time>")]).toEqual([
      0,
      "<time>  POST /a  signature missing\n    plain\ufffd[2J\n<time>  POST /b  signature malformed  1\n    {}\n",
    ]);
  });

  it("webhooks listen: rejects a used port, a wrong secret and an unsupported format", async () => {
    const { url, stop, ended } = await listener();
    expect(await cli(["webhooks", "listen", "--port", new URL(url).port])).toMatchObject({
      code: 5,
      err: expect.stringContaining("is in use"),
    });
    stop();
    await ended;
    const wrong = await cli(["webhooks", "listen", "--port", "0"], { env: { HOMESEC_SIGNING_SECRET: "secret" } });
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("whsec_") });
    expect((await cli(["webhooks", "listen", "-o", "csv"])).code).toBe(2);
  });
});

describe("webhook signature", () => {
  const now = new Date("2026-03-01T12:00:00Z");
  const secret = newSigningSecret();
  const headers = (time = now, secrets = [secret]) => signatureHeaders(secrets, { id: "m", time, body: "body" });

  it.each([
    ["valid", headers(), "body", secret],
    ["valid", headers(now, [newSigningSecret(), secret]), "body", secret],
    ["wrong", headers(), "other", secret],
    ["wrong", headers(), "body", newSigningSecret()],
    ["too old", headers(new Date("2026-03-01T11:54:00Z")), "body", secret],
    ["malformed", { ...headers(), "webhook-timestamp": "yesterday" }, "body", secret],
    ["malformed", { "webhook-id": "m" }, "body", secret],
    ["missing", {}, "body", secret],
    ["not checked", headers(), "body", undefined],
  ])("webhook signature: is %s", (verdict, given, body, known) => {
    expect(verify(given, body, known, now)).toBe(verdict);
  });
});

it("webhooks: views have every field, and the flags every type of the contract", async () => {
  expect(await webhookView.fields()).toEqual(Object.keys(Webhook.shape));
  expect(await deliveryView.fields()).toEqual(Object.keys(Delivery.shape));
  const { eventTypeOption } = await import("../../commands/webhooks/options.ts");
  expect([...(eventTypeOption.choices ?? [])].toSorted()).toEqual([...outboundEventTypes].toSorted());
});
