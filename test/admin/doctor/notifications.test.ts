import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer as createTlsServer } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { selfSignedCertificate } from "../../../daemon/tls/certificate.ts";
import { nameFault, resolveWithGetent } from "../../../src/admin/doctor/names.ts";
import { storeFault } from "../../../src/alerting/answers/sources-repository.ts";
import { sealSettings } from "../../../src/alerting/channels/channel.ts";
import { insertChannel } from "../../../src/alerting/channels/channels-repository.ts";
import { phoneKinds } from "../../../src/alerting/channels/kinds.ts";
import type { ChannelKindName } from "../../../src/contract/constants.ts";
import { reachTarget } from "../../../src/platform/outbound/reach.ts";
import { openSealer } from "../../../src/platform/secrets/sealer.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { freePort } from "../../support/free-port.ts";
import { type MailServer, type MailServerOptions, mailServer } from "../../support/mail-server.ts";
import { ntfyServer } from "../../support/phones/ntfy.ts";
import { appriseServer, gotifyServer, homeAssistantServer, pushoverServer } from "../../support/phones/services.ts";
import { telegramServer } from "../../support/phones/telegram.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";
import { filesIn, finds, make, script, skips, well } from "./support.ts";

const now = new Date("2026-03-01T12:00:00Z");
let database: TestDatabase;
let target: Receiver;
const open: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  [database, target] = await Promise.all([testDatabase(), receiver()]);
});
afterAll(async () => {
  for (const server of [database, target, ...open]) await server.close();
});
const given = (env: Readonly<Record<string, string>> = {}) => ({ db: database.db, now, env });
const serve = async (options: MailServerOptions): Promise<MailServer> => {
  const server = await mailServer(options);
  open.push(server);
  return server;
};

describe("doctor: mail server", () => {
  const login = { user: "home", password: "s3cret-pass" };
  const smtp = (port: number, password = login.password) => ({
    env: {
      SMTP_HOST: "127.0.0.1",
      SMTP_PORT: String(port),
      SMTP_FROM_ADDRESS: "a@example.org",
      SMTP_USER: login.user,
      SMTP_PASSWORD: password,
    },
  });

  it("logs in without sending a mail", async () => {
    const server = await serve({ tls: "offered", login });
    expect(await well("smtp", smtp(server.port))).toBe(`127.0.0.1:${server.port}, logged in, TLS`);
    expect(server.users).toEqual(["home"]);
    expect(server.mails).toEqual([]);
    const open = await serve({});
    expect(await well("smtp", { env: { SMTP_HOST: "127.0.0.1", SMTP_PORT: String(open.port) } })).toBe(`127.0.0.1:${open.port}`);
    expect(await skips("smtp")).toBe("SMTP_HOST is not set");
  });

  it("reports a server that rejects the login or is down, without the password", async () => {
    const server = await serve({ tls: "offered", login });
    const report = await make("smtp", smtp(server.port, "wr0ng-pass"));
    expect(report).toMatchObject({
      status: "finding",
      severity: "error",
      finding: expect.stringContaining("refuses the login: 535"),
      remedy: expect.stringContaining("SMTP_PASSWORD"),
    });
    expect(JSON.stringify(report)).not.toContain("wr0ng");
    expect(await finds("smtp", smtp(await freePort()))).toMatch(/ECONNREFUSED.*Correct SMTP_HOST and SMTP_PORT/);
    expect(await finds("smtp", { env: { SMTP_HOST: "169.254.169.254" } })).toContain("may not be called");
  });

  it("configuration: warns about missing recipients", async () => {
    const mail = { SMTP_HOST: "127.0.0.1", SMTP_FROM_ADDRESS: "a@example.org" };
    expect(await finds("configuration", given(mail), "warning")).toContain("it needs DEFAULT_EMAIL_RECIPIENTS");
    await well("configuration", given({ ...mail, DEFAULT_EMAIL_RECIPIENTS: "b@example.org" }));
  });
});

describe("doctor: name resolution", () => {
  it("reports names that cannot be resolved, without waiting for the name server", async () => {
    const hosts = {
      SMTP_HOST: "mail.example.org",
      DEFAULT_WEBHOOK_URL: "https://hooks.example.org/x",
      DETECTOR_URL: "http://detector.example.org",
      REDIS_URL: "redis://redis.example.org",
      MQTT_URL: "mqtt://broker.example.org",
    };
    const unknown = { env: hosts, machine: { getent: script("exit 2") } };
    for (const id of ["smtp", "webhook-targets", "detector", "redis", "mqtt"])
      expect(await finds(id, unknown, "error"), id).toContain("example.org: the name does not exist");
    const silent = { env: hosts, machine: { getent: script("exec sleep 30") } };
    const texts = await Promise.all(["smtp", "webhook-targets", "detector", "redis", "mqtt"].map((id) => finds(id, silent)));
    for (const text of texts) expect(text).toContain("the name server does not answer");
    // without getent, it uses the resolver of Node.js
    expect((await resolveWithGetent({ getent: "/nonexistent" })("localhost")).length).toBeGreaterThan(0);
    expect(await nameFault({ getent: "getent" }, "nowhere.invalid")).toBeDefined();
  });
});

describe("doctor: webhooks", () => {
  beforeEach(async () => {
    await database.db.query((sql) => sql`delete from webhooks`);
  });
  const add = async (name: string, url: string, { enabled = true, reason = null as string | null } = {}): Promise<string> => {
    const [row] = await database.db.query(
      (sql) => sql<[{ id: string }]>`
        insert into webhooks (webhook_id, name, url, event_types, integration_type, enabled, disabled_reason, sealed_secret, max_retries, retry_delay_seconds, created_at, updated_at)
        values (gen_random_uuid(), ${name}, ${url}, '{alert_fired}', 'generic', ${enabled}, ${reason}, '\\x00', 4, 10, now(), now())
        returning webhook_id as id
      `,
    );
    return row.id;
  };

  it("connects to the targets without sending anything", async () => {
    expect(await skips("webhook-targets", given())).toContain("no webhook is enabled");
    await add("chat", target.url);
    await add("off", "http://127.0.0.1:1/x", { enabled: false });
    expect(await well("webhook-targets", given())).toBe("1 target");
    await add("dead", `http://127.0.0.1:${await freePort()}/secret-path`);
    await add("meta", "http://169.254.169.254/latest");
    const text = await finds("webhook-targets", given(), "error");
    expect(text).toMatch(
      /"dead": 127.0.0.1:\d+: nothing listens there.*"meta": homesec sends nothing there: 169.254.169.254 is a link-local/,
    );
    expect(text).toContain("homesec webhooks update meta --url ADDRESS, or OUTBOUND_ALLOW");
    expect(text).not.toContain("secret-path");
    expect(target.received).toEqual([]);
  });

  it("checks DEFAULT_WEBHOOK_URL the same way", async () => {
    expect(await well("webhook-targets", given({ DEFAULT_WEBHOOK_URL: target.url }))).toMatch(/^127.0.0.1:/);
    expect(await finds("webhook-targets", given({ DEFAULT_WEBHOOK_URL: "http://127.0.0.1:1/token-abc" }), "error")).toMatch(
      /nothing listens there.*homesec notifications test webhook/,
    );
    expect(await finds("webhook-targets", given({ DEFAULT_WEBHOOK_URL: target.url, OUTBOUND_ALLOW: "10.0.0.0/8" }))).toContain(
      "OUTBOUND_ALLOW",
    );
    expect(JSON.stringify(await make("webhook-targets", given({ DEFAULT_WEBHOOK_URL: "http://127.0.0.1:1/token-abc" })))).not.toContain(
      "token-abc",
    );
    await skips("webhook-targets");
  });

  it("verifies the certificate of a target", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const to = new Date(Date.now() + 2 * 86_400_000);
    const cert = selfSignedCertificate({
      title: "hook",
      names: ["127.0.0.1"],
      from: new Date(Date.now() - 86_400_000),
      to,
      publicKey,
      privateKey,
    });
    const server = createTlsServer({ cert, key: privateKey.export({ type: "pkcs8", format: "pem" }) });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `https://127.0.0.1:${(server.address() as { port: number }).port}/hook`;
    expect(await finds("webhook-targets", given({ DEFAULT_WEBHOOK_URL: url }))).toContain("self-signed");
    const reached = await reachTarget(url, { allow: [], timeoutMs: 5_000, ca: cert });
    expect(reached).toMatchObject({ kind: "reached", validTo: new Date(Math.floor(to.getTime() / 1000) * 1000) });
    await new Promise((resolve) => server.close(resolve));
    expect(await reachTarget(target.url.replace("http:", "https:"), { allow: [], timeoutMs: 5_000 })).toMatchObject({
      kind: "unreachable",
      error: expect.stringContaining("is it http://?"),
    });
  });

  it("reports failed deliveries and disabled webhooks", async () => {
    expect(await skips("webhook-deliveries", given())).toBe("there is no webhook");
    const id = await add("chat", target.url);
    const deliver = (status: string, count: number) =>
      database.db.query(
        (sql) => sql`
          insert into webhook_deliveries (webhook_id, event_type, event_id, data, emitted_at, status, error_message, created_at, message_id)
          select ${id}, 'alert_fired', '1', '{}', now(), ${status}, ${status === "failed" ? "status 500" : null}, ${new Date(now.getTime() - 3_600_000)}, gen_random_uuid()
          from generate_series(1, ${count}::integer)
        `,
      );
    await deliver("success", 2);
    await deliver("failed", 1);
    expect(await well("webhook-deliveries", given())).toBe("1 webhook");
    await deliver("failed", 2);
    expect(await finds("webhook-deliveries", given(), "error")).toMatch(
      /"chat": 3 of 5 deliveries failed, last with: status 500.*homesec webhooks deliveries chat/,
    );
    await add("gone", target.url, { enabled: false, reason: "it answered 410 Gone" });
    expect(await finds("webhook-deliveries", given())).toMatch(
      /homesec disabled "gone": it answered 410 Gone.*homesec webhooks enable gone/,
    );
  });
});

describe("doctor: notifications", () => {
  it("reports notifications that failed or still wait", async () => {
    await well("lost-notifications", given());
    await database.db.query(async (sql) => {
      await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/nowhere')`;
      await sql`
        with event as (
          insert into events (camera_id, started_at, ended_at) values ('yard', now(), now()) returning event_id
        ), alert as (
          insert into alerts (alert_id, event_id, rule_name, camera_id, severity, dedup_key, created_at, updated_at)
          select gen_random_uuid(), e.event_id, 'r', 'yard', 'high', 'k', now(), now() from event e
          returning alert_id
        )
        insert into notifications (notification_id, alert_id, kind, channel, status, reason, attempt_count, expires_at, created_at)
        select gen_random_uuid(), a.alert_id, k.kind, 'email', k.status, k.reason, 3, now(), ${new Date(now.getTime() - 60_000)}
        from alert a
        cross join (values ('alert', 'failed', '550 no such user'), ('digest', 'expired', '550 no such user'), ('end', 'waiting', 'connect ECONNREFUSED'))
          as k (kind, status, reason)
      `;
    });
    expect(await finds("lost-notifications", given(), "error")).toMatch(
      /2 notifications by email failed: 550 no such user; 1 notification by email waits for the next attempt: connect ECONNREFUSED.*homesec notifications test email/,
    );
  });
});

describe("doctor: buttons on phones", () => {
  it("phone-answers: names the service that cannot be read, and the cause", async () => {
    const { db } = database;
    expect(await well("phone-answers", given())).toBe("no fault");
    const fault = (since: string) => db.query((sql) => storeFault(sql, "ntfy ntfy.sh/x-answers", "ntfy answered 401", new Date(since)));
    await fault("2026-03-01T11:00:00Z");
    expect(await finds("phone-answers", given(), "warning")).toContain(
      "Answers by ntfy ntfy.sh/x-answers cannot be read: ntfy answered 401",
    );
    await db.query((sql) => sql`delete from answer_sources`);
  });
});

const mail = { SMTP_HOST: "127.0.0.1", SMTP_FROM_ADDRESS: "a@example.org", DEFAULT_EMAIL_RECIPIENTS: "b@example.org" };
const keyPath = join(filesIn({}), "secret.key");
const addChannel = async (name: string, kind: ChannelKindName, settings: Readonly<Record<string, string>>) =>
  await database.db.query((sql) =>
    insertChannel(
      sql,
      { id: randomUUID(), name, kind, enabled: true, ...sealSettings(phoneKinds[kind], settings, openSealer(keyPath)) },
      now,
    ),
  );

describe("doctor: daily summary", () => {
  it("daily-summary: warns when the summary reaches no one", async () => {
    const { db } = database;
    await db.query((sql) => sql`delete from channels`);
    expect(await skips("daily-summary", given())).toBe("DAILY_SUMMARY_AT is not set");
    const at = { DAILY_SUMMARY_AT: "07:30" };
    expect(await finds("daily-summary", given(at), "warning")).toMatch(
      /The summary of 07:30 reaches no one: email: it needs SMTP_HOST.*push: no channel to phones is enabled.*homesec channels add/,
    );
    expect(await well("daily-summary", given({ ...at, ...mail }))).toBe("email");
    await addChannel("Anna", "ntfy", { topic: "home" });
    expect(await well("daily-summary", given(at))).toBe("Anna");
    const names = (channels: string) => given({ ...at, DAILY_SUMMARY_CHANNELS: channels });
    expect(await finds("daily-summary", names("Ana,push"), "warning")).toMatch(
      /does not reach everyone: Ana: no channel has the name Ana.*homesec channels list/,
    );
    const hours = JSON.stringify([{ days: [], start_time: "21:00", end_time: "22:00", timezone: "UTC" }]);
    await db.query(
      (sql) => sql`
        insert into recipients (recipient_id, name, channels, hours, severity, critical_anytime, repeat_minutes, repeat_times, escalate_minutes, enabled, created_at, updated_at)
        values (gen_random_uuid(), 'Ben', array['Anna'], null, 'low', true, 5, 6, 10, true, ${now}, ${now}), (gen_random_uuid(), 'Carl', array['Anna'], ${hours}::text::jsonb, 'low', true, 5, 6, 10, true, ${now}, ${now})
      `,
    );
    expect(await well("daily-summary", names("ben"))).toBe("Anna");
    expect(await finds("daily-summary", names("Carl"), "warning")).toMatch(
      /reaches no one: Carl: the hours begin more than 12 hours later/,
    );
    await db.query((sql) => sql`delete from recipients`);
  });
});

describe("doctor: phone-channels", () => {
  const thirty = (letter: string): string => letter.repeat(30);
  const botToken = `123456:${"A".repeat(35)}`;
  const services = async () => {
    const [telegram, pushover, gotify, homeAssistant, apprise, ntfy] = await Promise.all([
      telegramServer(botToken),
      pushoverServer({ token: thirty("a"), user: thirty("b") }),
      gotifyServer("gotify-token"),
      homeAssistantServer("ha-token"),
      appriseServer("home"),
      ntfyServer({ token: "tk_good" }),
    ]);
    open.push(telegram, pushover, gotify, homeAssistant, apprise, ntfy);
    telegram.chats.push({ id: 42, first_name: "Anna", type: "private" });
    return { telegram, pushover, gotify, homeAssistant, apprise, ntfy };
  };
  const phones = async () => await make("phone-channels", given({ SECRET_KEY_PATH: keyPath }));

  it("asks each service without sending a message, and names what is wrong", async () => {
    await database.db.query((sql) => sql`delete from channels`);
    expect(await skips("phone-channels", given())).toBe("no channel to phones is enabled");
    const { telegram, pushover, gotify, homeAssistant, apprise, ntfy } = await services();
    const add = async (end: string, wrong: boolean) => {
      await addChannel(`A-bot${end}`, "telegram", { server: telegram.url, token: botToken, chat_id: wrong ? "43" : "42" });
      await addChannel(`P${end}`, "pushover", { server: pushover.url, token: thirty("a"), user: thirty(wrong ? "x" : "b") });
      await addChannel(`G${end}`, "gotify", { server: wrong ? "http://127.0.0.1:9" : gotify.url, token: "gotify-token" });
      await addChannel(`H${end}`, "home_assistant", {
        ...{ server: homeAssistant.url, token: wrong ? "old-secret" : "ha-token", service: "mobile_app_annas_phone" },
      });
      await addChannel(`A${end}`, "apprise", { server: apprise.url, key: wrong ? "other-secret" : "home" });
      await addChannel(`N${end}`, "ntfy", { server: ntfy.url, topic: "home", token: wrong ? "tk_old_secret" : "tk_good" });
    };
    await add("", false);
    expect(await phones()).toMatchObject({ status: "ok", detail: "A; A-bot; G; H; N; and 1 more" });
    await add("-bad", true);
    const report = await phones();
    expect(report).toMatchObject({ status: "finding", severity: "error" });
    for (const expected of [
      /"A-bot-bad": Telegram: Bad Request: chat not found/,
      /"G-bad": .*nothing listens there/,
      /"H-bad": Home Assistant: it refuses the token/,
      /"A-bad": Apprise: there is no such configuration/,
      /"N-bad": ntfy: it refuses the login/,
    ])
      expect(report.finding).toMatch(expected);
    expect(report.remedy).toMatch(/Set a new long-lived access token, then homesec channels test H-bad/);
    expect(JSON.stringify(report)).not.toMatch(/secret|tk_|123456:/);
    await database.db.query((sql) => sql`delete from channels c where c.name <> 'P-bad'`);
    expect((await phones()).finding).toBe('Channel "P-bad": Pushover: user key is invalid');
    const sent = [telegram.messages, pushover.messages, gotify.messages, homeAssistant.messages, apprise.messages, ntfy.messages];
    expect(sent.map(({ length }) => length)).toEqual([0, 0, 0, 0, 0, 0]);
    await database.db.query((sql) => sql`delete from channels`);
  });
});
