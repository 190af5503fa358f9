// Over 400 lines: one setup of mail server, receiver and engine serves mails, webhooks and digests.
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { channelAvailability } from "../../../src/alerting/channels/availability.ts";
import { createDeliveryEngine } from "../../../src/alerting/delivery/engine.ts";
import { createNotificationChannel } from "../../../src/alerting/notifications/channel.ts";
import { delayedNotifications } from "../../../src/alerting/notifications/delayed-repository.ts";
import type { NotificationKind } from "../../../src/alerting/notifications/notification.ts";
import { cancelNotifications } from "../../../src/alerting/notifications/notifications-repository.ts";
import { channelResults, queueNotifications, sendWaiting } from "../../../src/alerting/notifications/queue.ts";
import { reviveNotifications } from "../../../src/alerting/notifications/sending-repository.ts";
import { parseConfig } from "../../../src/platform/config/parse.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { DatabaseUnavailable, OutcomeUnknown } from "../../../src/platform/database/pg-errors.ts";
import { createOutbound } from "../../../src/platform/outbound/outbound.ts";
import { sealerOf } from "../../../src/platform/secrets/sealer.ts";
import { claimNextInLanes, LeaseLost } from "../../../src/work/jobs/jobs-repository.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { type MailServerOptions, mailServer } from "../../support/mail-server.ts";
import { picturePath } from "../../support/pictures.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { type AlertFacts, addAlert, addDetection, addHeldBack, clearAlerts } from "./alerts.ts";

const processId = "00000000-0000-4000-8000-000000000001";
let database: TestDatabase;
const folder = temporaryFolder("notifications");
beforeAll(async () => {
  database = await testDatabase();
  await writeFile(`${folder.path}/1.jpg`, await readFile(picturePath()));
});
afterAll(async () => {
  await database.close();
  await folder.remove();
});

let now: Date;
let settled: string[];
let logged: string[];
const servers: { close(): Promise<unknown> }[] = [];
beforeEach(async () => {
  await clearAlerts(database.db);
  now = new Date("2026-07-01T21:31:00Z");
  settled = [];
  logged = [];
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const minutes = (count: number) => new Date(now.getTime() + count * 60_000);

/** A delivery engine with its own configuration, and functions that raise alerts and run jobs. */
async function desk(env: Readonly<Record<string, string>>, db = database.db) {
  const { config } = parseConfig({
    env: { DATA_DIR: folder.path, CAMERA_ROOT: folder.path, ALERT_EXPIRY_HOURS: "24", ...env },
    isRoot: true,
    home: folder.path,
    cwd: folder.path,
  });
  const outbound = createOutbound({ allow: [] });
  servers.push(outbound);
  const note = (fields: object, sentence: string) => logged.push(`${sentence} ${JSON.stringify(fields)}`);
  const log = { debug: () => {}, info: note, warn: note, error: note, child: () => log };
  const clock = { now: () => now, monotonic: () => now.getTime() };
  const channel = createNotificationChannel({
    db,
    config,
    outbound,
    sealer: sealerOf(Buffer.alloc(32), "test"),
    clock,
    settle: async (_sql, alertId) => settled.push(alertId),
    onAttempt: () => {},
    random: () => 0,
    smtpTimeouts: { connect: 500, greeting: 500, idle: 500, total: 1_000, answer: 1_000 },
  });
  const sender = createDeliveryEngine(channel, { db, clock, log });
  const claim = (at = now) => db.query((sql) => claimNextInLanes(sql, { queue: "deliver", processId, now: at }, 10));
  return {
    raise: async (channels: readonly ("email" | "webhook")[], facts: AlertFacts = {}, kind: NotificationKind = "alert") => {
      const stored = await addAlert(db, facts);
      await db.transaction((sql) =>
        queueNotifications(sql, { alertId: stored.alertId, kind, channels, expiresAt: minutes(24 * 60) }, channelAvailability(config), now),
      );
      return stored;
    },
    claim,
    run: async (job: Awaited<ReturnType<typeof claim>>[number], signal = new AbortController().signal) =>
      await sender.run(job.subject.split(":")[1] ?? "", job, signal),
    sender,
    /** Runs the jobs that are due at this time. Returns their number. */
    work: async (at = now) => {
      now = at;
      const jobs = await claim();
      for (const job of jobs) await sender.run(job.subject.split(":")[1] ?? "", job, new AbortController().signal);
      return jobs.length;
    },
    result: async (alertId: string) => (await db.query((sql) => channelResults(sql, [alertId]))).get(alertId)?.[0],
    jobs: () =>
      db.query(
        (sql) =>
          sql<
            { status: string; at: Date; error: string | null }[]
          >`select j.status, j.available_at as at, j.last_error as error from jobs j`,
      ),
    attempts: () =>
      db.query(
        (sql) => sql<{ outcome: string; answer: string }[]>`select a.outcome, a.answer from notification_attempts a order by a.attempt`,
      ),
  };
}

const mailEnv = (port: number) => ({
  SMTP_HOST: "127.0.0.1",
  SMTP_PORT: String(port),
  SMTP_FROM_ADDRESS: "homesec@example.org",
  DEFAULT_EMAIL_RECIPIENTS: "me@example.org, you@example.org",
});
const mailDesk = async (options: MailServerOptions = {}) => {
  const server = await mailServer(options);
  servers.push(server);
  return { server, ...(await desk(mailEnv(server.port))) };
};

/** A receiver that answers with these statuses in turn, then with 200. */
async function receiver(...statuses: readonly number[]) {
  const bodies: { body: unknown; key: string }[] = [];
  const left = [...statuses];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push({
      body: JSON.parse(Buffer.concat(chunks).toString()),
      key: `${request.headers["webhook-id"]} ${request.headers["idempotency-key"]}`,
    });
    const status = left.shift() ?? 200;
    response.writeHead(status, status === 429 ? { "retry-after": "600" } : {}).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push({ close: () => new Promise((resolve) => server.close(resolve)) });
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=s3cret` };
}

describe("notification by mail", () => {
  it("it is sent with its picture and updates its alert", async () => {
    const { server, raise, work, result, jobs } = await mailDesk();
    const { alertId } = await raise(["email"], { picture: `${folder.path}/1.jpg`, summary: "A person came." });
    expect(await work()).toBe(1);
    const [received] = server.mails;
    expect(received?.to).toEqual(["me@example.org", "you@example.org"]);
    expect(received?.mail.headers["subject"]).toMatch(/^\[High\] Person at The Gate, /);
    expect(received?.mail.text).toContain("A person came.");
    expect(received?.mail.text).toContain("Why: The risk score is 60 or more");
    expect(received?.mail.pictures).toHaveLength(1);
    expect(await result(alertId)).toEqual({ channel: "email", status: "sent", reason: null, attempts: 1, late: false });
    expect(settled).toEqual([alertId]);
    expect(await jobs()).toEqual([]);
  });

  it("it says that the alert came hours after its event", async () => {
    const { server, raise, work } = await mailDesk();
    await raise(["email"], { lateSeconds: 17_240 });
    await work();
    expect(server.mails[0]?.mail.text).toContain("This alert is late: homesec raised it 4 h 47 min after the event ended.");
    expect(server.mails[0]?.mail.html).toContain("4 h 47 min after the event ended");
  });

  it("it is sent once when the database goes away right after the mail server accepted it", async () => {
    const server = await mailServer();
    servers.push(server);
    let stores = Number.NaN;
    const db: Database = {
      ...database.db,
      pool: database.db.pool,
      query: (work) => database.db.query(work),
      transaction: async (work) => {
        stores += 1;
        if (stores === 1) throw new DatabaseUnavailable("it is restarted");
        const done = await database.db.transaction(work);
        // The commit took effect, but its answer was lost
        if (stores === 2) throw new OutcomeUnknown();
        return done;
      },
    };
    const { raise, claim, run, result } = await desk(mailEnv(server.port), db);
    const { alertId } = await raise(["email"]);
    const [job] = await claim();
    if (!job) throw new Error("there is no job");
    stores = 0;
    await expect(run(job)).rejects.toThrow(LeaseLost);
    expect(await result(alertId)).toMatchObject({ status: "sent", attempts: 1 });
    expect(server.mails).toHaveLength(1);
    expect(await claim()).toEqual([]);
  });

  it("it is sent without a picture that was deleted", async () => {
    const { server, raise, work } = await mailDesk();
    await raise(["email"], { picture: `${folder.path}/gone.jpg` });
    await work();
    expect(server.mails[0]?.mail.text).toContain("it is gone from the disk");
  });

  it("it shows and links the newest picture of a camera that overwrites one file", async () => {
    const server = await mailServer();
    servers.push(server);
    const { raise, work } = await desk({ ...mailEnv(server.port), PUBLIC_URL: "https://home.example.org" });
    const file = `${folder.path}/snapshot.jpg`;
    await writeFile(file, "the picture on which most was seen");
    const { eventId } = await raise(["email"], { picture: file });
    await writeFile(file, await readFile(picturePath()));
    const newest = await addDetection(database.db, eventId, { picture: file, confidence: 0.8 });
    await work();
    const [received] = server.mails;
    expect(received?.mail.pictures).toHaveLength(1);
    expect(received?.mail.text).toContain(`https://home.example.org/api/detections/${newest}/image`);
    expect(received?.mail.text).not.toContain("No picture");
  });

  it("it shows that it waits for a dead mail server, arrives when the server is back, and explains the delay", async () => {
    const port = await freePort();
    const { raise, work, result, jobs, attempts } = await desk(mailEnv(port));
    const { alertId } = await raise(["email"]);
    await work();
    expect(await result(alertId)).toEqual({
      channel: "email",
      status: "waiting",
      reason: expect.stringContaining("ECONNREFUSED"),
      attempts: 1,
      late: true,
    });
    expect(settled).toEqual([alertId]);
    expect(await jobs()).toEqual([{ status: "pending", at: minutes(0.5), error: expect.stringContaining("ECONNREFUSED") }]);
    expect(await work(minutes(0.4))).toBe(0);
    await work(minutes(0.1));
    expect((await jobs())[0]?.at).toEqual(minutes(1));

    const server = await mailServer({ port });
    servers.push(server);
    await work(minutes(1));
    expect(server.mails[0]?.mail.text).toMatch(/This alert is late: it could not be sent for 2 minutes \(connect ECONNREFUSED/);
    expect(await result(alertId)).toEqual({ channel: "email", status: "sent", reason: null, attempts: 3, late: true });
    expect((await attempts()).map(({ outcome }) => outcome)).toEqual(["again", "again", "sent"]);
    // The log reports one fault once, and the recovery
    expect(logged.map((line) => line.split(" {")[0])).toEqual([
      "notification failed; retrying",
      "notifications work again",
      "notification sent",
    ]);
  });

  it("retries back off to at most 36 minutes, until it expires as a dead letter", async () => {
    const { raise, work, result, jobs } = await desk(mailEnv(await freePort()));
    const start = now;
    const { alertId } = await raise(["email"]);
    const waits: number[] = [];
    for (;;) {
      await work();
      const [job] = await jobs();
      if (!job || job.status === "dead") break;
      waits.push((job.at.getTime() - now.getTime()) / 60_000);
      now = job.at;
    }
    expect(waits.slice(0, 8)).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30]);
    expect(now.getTime() - start.getTime()).toBe(24 * 3_600_000);
    expect(await result(alertId)).toMatchObject({
      status: "expired",
      reason: expect.stringMatching(/^not sent within 24 hours; the last answer: connect ECONNREFUSED/),
      attempts: waits.length,
    });
    expect(await jobs()).toMatchObject([{ status: "dead", error: expect.stringContaining("not sent within 24 hours") }]);
  });

  it("a requeued dead letter is sent with a new expiry", async () => {
    const { server, raise, work, result, jobs } = await mailDesk({
      onRecipient: (_, time) => (time === 1 ? { code: 550, text: "no such user" } : undefined),
    });
    const { alertId } = await raise(["email"]);
    await work();
    expect(await result(alertId)).toMatchObject({ status: "failed", reason: expect.stringContaining("550 no such user") });
    expect(await jobs()).toMatchObject([{ status: "dead", error: expect.stringContaining("550 no such user") }]);
    expect(settled).toEqual([alertId]);
    now = minutes(60 * 30);
    await database.db.transaction(async (sql) => {
      const [row] = await sql<[{ id: string }]>`select n.notification_id as id from notifications n`;
      expect(await reviveNotifications(sql, [row.id], minutes(60), now)).toEqual([alertId]);
      await sql`update jobs set status = 'pending', attempts = 0, deferrals = 0, available_at = ${now}`;
    });
    await work();
    expect(server.mails).toHaveLength(1);
    expect(await result(alertId)).toMatchObject({ status: "sent", attempts: 2, late: true });
  });

  it("it reaches available recipients at once and greylisted ones later", async () => {
    const { server, raise, work, result, jobs } = await mailDesk({
      onRecipient: (who, time) => (who.startsWith("you") && time < 3 ? { code: 450, text: "greylisted" } : undefined),
    });
    const { alertId } = await raise(["email"]);
    await work();
    expect(await result(alertId)).toMatchObject({
      status: "sent",
      reason: "not yet accepted for you@example.org; retrying",
      late: false,
    });
    await work(minutes(0.5));
    expect(await result(alertId)).toMatchObject({ status: "sent", reason: expect.stringContaining("greylisted") });
    await work(minutes(1));
    expect(server.mails.map(({ to }) => to)).toEqual([["me@example.org"], ["you@example.org"]]);
    expect(await result(alertId)).toMatchObject({ status: "sent", reason: null, attempts: 3 });
    expect(await jobs()).toEqual([]);
  });

  it("it names the recipients that the server refuses for good", async () => {
    const { raise, work, result } = await mailDesk({
      onRecipient: (who) => (who.startsWith("you") ? { code: 550, text: "no such user" } : undefined),
    });
    const { alertId } = await raise(["email"]);
    await work();
    expect(await result(alertId)).toMatchObject({ status: "sent", reason: "refused for you@example.org: 550 no such user" });
  });

  it("with a wrong login, one mail in 10 minutes tries the server, and the log reports it once", async () => {
    const { raise, work, result, jobs, attempts } = await mailDesk({ login: { user: "home", password: "s3cret-pass" } });
    const first = await raise(["email"]);
    await raise(["email"]);
    const third = await raise(["email"]);
    for (let n = 0; n < 3; n += 1) await work();
    expect(await result(first.alertId)).toMatchObject({ status: "waiting", attempts: 1 });
    expect(await result(third.alertId)).toMatchObject({ status: "waiting", attempts: 0, reason: expect.stringContaining("530") });
    expect((await jobs()).map(({ at }) => at)).toEqual([minutes(10), minutes(10), minutes(10)]);
    expect(await attempts()).toHaveLength(1);
    for (let n = 0; n < 3; n += 1) await work(n === 0 ? minutes(10) : now);
    expect(await attempts()).toHaveLength(2);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain("with this configuration");
  });

  it("a daily limit of the provider holds all mails: one in 10 minutes tries the server, and all arrive when it is over", async () => {
    let isOver = false;
    const { server, raise, work, result, jobs, attempts } = await mailDesk({
      onMail: () => (isOver ? undefined : { code: 550, text: "5.4.5 Daily user sending limit exceeded" }),
    });
    const { alertId } = await raise(["email"]);
    const second = await raise(["email"]);
    for (let n = 0; n < 3; n += 1) await work();
    const reason = "the mail server limits or holds this account: 550 5.4.5 Daily user sending limit exceeded";
    expect(await result(alertId)).toMatchObject({ status: "waiting", reason, attempts: 1 });
    expect(await result(second.alertId)).toMatchObject({ status: "waiting", reason, attempts: 0 });
    expect((await jobs()).map(({ at }) => at)).toEqual([minutes(10), minutes(10)]);
    expect(await database.db.query((sql) => delayedNotifications(sql, now))).toEqual([
      { channel: "email", count: 2, since: now, nextAttemptAt: minutes(10), answer: reason },
    ]);
    isOver = true;
    while ((await work(minutes(10))) > 0);
    expect([server.mails.length, (await attempts()).length]).toEqual([2, 3]);
    expect(logged.map((line) => line.split(" {")[0])[0]).toBe("the mail server limits or holds this account; retrying slowly");
    expect(await database.db.query((sql) => delayedNotifications(sql, now))).toEqual([]);
  });

  it("a full mailbox is tried until the mail expires, and holds back neither other mails nor the other recipient", async () => {
    const full = { code: 552, text: "5.2.2 mailbox full" };
    const { server, raise, work, result, jobs } = await mailDesk({ onRecipient: (who) => (who.startsWith("you") ? full : undefined) });
    const first = await raise(["email"]);
    await work();
    expect((await jobs())[0]?.at).toEqual(minutes(10));
    await work(minutes(10));
    expect(await result(first.alertId)).toMatchObject({ status: "sent", reason: expect.stringContaining("mailbox full") });
    await raise(["email"]);
    await work();
    expect(server.mails.map(({ to }) => to)).toEqual([["me@example.org"], ["me@example.org"]]);
    const [delayed] = await database.db.query((sql) => delayedNotifications(sql, now));
    expect(delayed).toMatchObject({ channel: "email", count: 2, answer: expect.stringContaining("552 5.2.2 mailbox full") });
    now = minutes(24 * 60);
    await work();
    expect(await result(first.alertId)).toMatchObject({ status: "sent", reason: "not accepted for you@example.org in time" });
  });

  it("a policy that refuses one recipient holds back no mail to the other", async () => {
    const { server, raise, work } = await mailDesk({
      onRecipient: (who) => (who.startsWith("you") ? { code: 550, text: "5.7.1 not for you" } : undefined),
    });
    await raise(["email"]);
    await work();
    await work(minutes(10));
    await raise(["email"]);
    await work();
    expect(server.mails).toHaveLength(2);
  });

  it("a test that works releases all waiting mails; if the server still refuses, one mail tries it", async () => {
    let isMended = true;
    const { server, raise, work, attempts } = await mailDesk({
      onRecipient: () => (isMended ? undefined : { code: 550, text: "5.7.1 relaying denied" }),
    });
    const workAll = async () => {
      while ((await work()) > 0);
    };
    isMended = false;
    for (let n = 0; n < 3; n += 1) await raise(["email"]);
    await workAll();
    expect(await attempts()).toHaveLength(1);
    now = minutes(1);
    expect(await sendWaiting(database.db, { channel: "email", channelId: null }, now)).toBe(3);
    expect(await sendWaiting(database.db, { channel: "webhook", channelId: null }, now)).toBe(0);
    await workAll();
    expect([server.mails.length, (await attempts()).length]).toEqual([0, 2]);
    isMended = true;
    now = minutes(1);
    expect(await sendWaiting(database.db, { channel: "email", channelId: null }, now)).toBe(3);
    await workAll();
    expect(server.mails).toHaveLength(3);
  });

  it("it keeps naming refused recipients, and those that were not reached in time", async () => {
    const { raise, work, result } = await mailDesk({
      onRecipient: (who, time) =>
        who.startsWith("you") ? { code: 550, text: "no such user" } : time < 2 ? { code: 450, text: "greylisted" } : undefined,
    });
    const { alertId } = await raise(["email"]);
    await work();
    expect(await result(alertId)).toMatchObject({ status: "waiting", reason: expect.stringContaining("greylisted") });
    await work(minutes(1));
    expect(await result(alertId)).toMatchObject({ status: "sent", reason: "refused for you@example.org: 550 no such user" });

    const other = await mailDesk({
      onRecipient: (who) => (who.startsWith("you") ? { code: 450, text: "greylisted" } : undefined),
    });
    const second = await other.raise(["email"]);
    await other.work();
    await other.work(minutes(25 * 60));
    expect(await other.result(second.alertId)).toMatchObject({ status: "sent", reason: "not accepted for you@example.org in time" });
    expect(logged.at(-1)).toContain("reached some of its recipients");
  });

  it("a mail that waited while homesec was down explains the delay", async () => {
    const { server, raise, work, result } = await mailDesk();
    const { alertId } = await raise(["email"]);
    await work(minutes(185));
    expect(server.mails[0]?.mail.text).toContain("This alert is late: it waited for 3 hours before it could be sent.");
    expect(await result(alertId)).toMatchObject({ status: "sent", attempts: 1, late: true });
  });

  it("it is not sent after a person ended the alert, even when its job runs already", async () => {
    const { server, raise, claim, run, result, jobs } = await mailDesk();
    const { alertId } = await raise(["email"]);
    const [job] = await claim();
    await database.db.transaction(async (sql) => {
      await sql`update alerts set status = 'acknowledged' where alert_id = ${alertId}`;
      await cancelNotifications(sql, alertId, now);
    });
    if (job) await run(job);
    expect(server.mails).toEqual([]);
    expect(await result(alertId)).toMatchObject({ status: "cancelled", attempts: 0 });
    expect(await jobs()).toEqual([]);
  });

  it("its job is released when the daemon stops during an attempt", async () => {
    const { raise, claim, run, result } = await desk(mailEnv(await freePort()));
    const { alertId } = await raise(["email"]);
    const [job] = await claim();
    const stop = new AbortController();
    stop.abort(new Error("the daemon stops"));
    await expect(job && run(job, stop.signal)).rejects.toThrow("the daemon stops");
    expect(await result(alertId)).toMatchObject({ status: "waiting", attempts: 0 });
  });

  it("it fails with the reason when no attempt came to an outcome", async () => {
    const { sender, raise, claim, result, jobs } = await mailDesk();
    const { alertId } = await raise(["email"]);
    const [job] = await claim();
    if (job) await sender.stopRetrying(job.subject.split(":")[1] ?? "", job, "given up after 5 attempts");
    expect(await result(alertId)).toMatchObject({ status: "failed", reason: "given up after 5 attempts" });
    expect(await jobs()).toMatchObject([{ status: "dead" }]);
  });

  it("a deleted event leaves no job", async () => {
    const { server, raise, work, jobs } = await mailDesk();
    await raise(["email"]);
    await database.db.query((sql) => sql`delete from events`);
    await work();
    expect([server.mails, await jobs()]).toEqual([[], []]);
  });

  it("it does not delay other channels", async () => {
    const hook = await receiver();
    const { raise, claim } = await desk({ ...mailEnv(await freePort()), DEFAULT_WEBHOOK_URL: hook.url });
    await raise(["email", "webhook"]);
    await raise(["email", "webhook"]);
    expect(await claim()).toHaveLength(2);
  });
});

describe("mails of several rules about one event", () => {
  /** Stores alerts of the rules `Night` and `Grave` about one event, and queues their notifications. */
  const raiseBoth = async (
    { raise }: Pick<Awaited<ReturnType<typeof desk>>, "raise">,
    channels: readonly ("email" | "webhook")[] = ["email"],
  ) => {
    const first = await raise(channels, { ruleName: "Night", severity: "low" });
    const second = await raise(channels, { ruleName: "Grave", severity: "critical", eventId: first.eventId });
    return [first.alertId, second.alertId] as const;
  };

  it("they are one message that names both rules, and both alerts are delivered", async () => {
    const opened = await mailDesk();
    const alertIds = await raiseBoth(opened);
    expect(await opened.work()).toBe(1);
    expect(opened.server.mails).toHaveLength(1);
    const text = opened.server.mails[0]?.mail.text;
    expect(text).toContain(
      "Rule: Grave (severity critical): the risk score is 60 or more\nRule: Night (severity low): the risk score is 60 or more",
    );
    for (const alertId of alertIds) expect(await opened.result(alertId)).toMatchObject({ status: "sent", attempts: 1, late: false });
    expect(settled).toEqual([...alertIds].toSorted());
    expect(await opened.jobs()).toEqual([]);
  });

  it("the receiver of the channel webhook gets each alert", async () => {
    const hook = await receiver();
    const opened = await desk({ DEFAULT_WEBHOOK_URL: hook.url });
    const alertIds = await raiseBoth(opened, ["webhook"]);
    await opened.work();
    await opened.work();
    expect(hook.bodies.map(({ body }) => (body as { alert: { id: string } }).alert.id).toSorted()).toEqual([...alertIds].toSorted());
  });

  it("an alert that a person acknowledges is left out, and the other one is sent", async () => {
    for (const ended of [0, 1] as const) {
      await clearAlerts(database.db);
      const opened = await mailDesk();
      const alertIds = await raiseBoth(opened);
      const id = alertIds[ended];
      await database.db.transaction(async (sql) => {
        await sql`update alerts set status = 'acknowledged' where alert_id = ${id}`;
        await cancelNotifications(sql, id, now);
      });
      await opened.work();
      const [other, left] = ended === 0 ? ["Grave", "Night"] : ["Night", "Grave"];
      expect(opened.server.mails.map(({ mail }) => [mail.text.includes(other), mail.text.includes(left)])).toEqual([[true, false]]);
      expect(await opened.result(id)).toMatchObject({ status: "cancelled", attempts: 0 });
      expect(await opened.result(alertIds[1 - ended] as string)).toMatchObject({ status: "sent", attempts: 1 });
      expect(await opened.jobs()).toEqual([]);
    }
  });

  it("an alert that is raised while the mail is under way gets its own mail", async () => {
    const opened = await mailDesk({ answerAfterMs: 300 });
    const first = await opened.raise(["email"], { ruleName: "Night" });
    const [job] = await opened.claim();
    if (!job) throw new Error("there is no job");
    const sending = opened.run(job);
    await eventually(async () => opened.server.mails.length === 1, { what: "the mail at the server" });
    const second = await opened.raise(["email"], { ruleName: "Grave", eventId: first.eventId });
    await sending;
    expect(await opened.result(second.alertId)).toMatchObject({ status: "waiting", attempts: 0 });
    await opened.work();
    expect(opened.server.mails.map(({ mail }) => [mail.text.includes("Night"), mail.text.includes("Grave")])).toEqual([
      [true, false],
      [false, true],
    ]);
    for (const { alertId } of [first, second]) expect(await opened.result(alertId)).toMatchObject({ status: "sent", attempts: 1 });
  });

  it("a later alert joins a mail that waits for the mail server", async () => {
    const port = await freePort();
    const opened = await desk(mailEnv(port));
    const first = await opened.raise(["email"], { ruleName: "Night" });
    await opened.work();
    const second = await opened.raise(["email"], { ruleName: "Grave", eventId: first.eventId });
    expect(await opened.jobs()).toHaveLength(1);
    const server = await mailServer({ port });
    servers.push(server);
    await opened.work(minutes(0.5));
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]?.mail.text).toMatch(/Rule: Grave.*\nRule: Night/);
    expect(await opened.result(second.alertId)).toMatchObject({ status: "sent", attempts: 1 });
  });

  it("a mail that is refused for good is one dead letter for both, and a requeue sends it with both", async () => {
    const opened = await mailDesk({ onRecipient: (_, time) => (time === 1 ? { code: 550, text: "no such user" } : undefined) });
    const alertIds = await raiseBoth(opened);
    await opened.work();
    for (const alertId of alertIds) {
      expect(await opened.result(alertId)).toMatchObject({ status: "failed", reason: expect.stringContaining("no such user") });
    }
    const [dead, ...more] = await opened.jobs();
    expect([dead?.status, more]).toEqual(["dead", []]);
    await database.db.transaction(async (sql) => {
      const [row] = await sql<[{ id: string }]>`select n.notification_id as id from notifications n where n.joined_to is null`;
      expect(await reviveNotifications(sql, [row.id], minutes(60), now)).toEqual([...alertIds].toSorted());
      await sql`update jobs set status = 'pending', attempts = 0, deferrals = 0, available_at = ${now}`;
    });
    await opened.work();
    expect(opened.server.mails).toHaveLength(1);
    for (const alertId of alertIds) expect(await opened.result(alertId)).toMatchObject({ status: "sent", attempts: 2 });
  });

  it("a mail that expires takes no later alert with it", async () => {
    const opened = await desk(mailEnv(await freePort()));
    const start = now;
    const first = await opened.raise(["email"], { ruleName: "Night" });
    await opened.work();
    now = minutes(60);
    const second = await opened.raise(["email"], { ruleName: "Grave", eventId: first.eventId });
    await opened.work(new Date(start.getTime() + 24 * 3_600_000));
    expect(await opened.result(first.alertId)).toMatchObject({ status: "expired" });
    expect(await opened.result(second.alertId)).toMatchObject({ status: "waiting" });
    expect((await opened.jobs()).map(({ status }) => status).toSorted()).toEqual(["dead", "pending"]);
  });
});

describe("notification by webhook", () => {
  it("it posts exactly the documented payload", async () => {
    const hook = await receiver();
    const { raise, work, result } = await desk({ DEFAULT_WEBHOOK_URL: hook.url, PUBLIC_URL: "https://home.example.org/" });
    const { alertId, eventId } = await raise(["webhook"], { picture: `${folder.path}/1.jpg` });
    await work();
    const [body] = hook.bodies.map((each) => each.body as { event: { thumbnail_url: string | null } });
    expect(body).toEqual({
      type: "security_alert",
      alert: { id: alertId, event_id: eventId, severity: "high", dedup_key: "gate:rule" },
      metadata: { rule_name: "Somebody at night", matched_conditions: ["risk_score >= 60"] },
      timestamp: "2026-07-01T21:31:00.000Z",
      event: {
        ...{ event_id: eventId, kind: "event", camera_id: "gate", camera_name: "The Gate" },
        ...{ started_at: "2026-07-01T21:30:00.000Z", ended_at: "2026-07-01T21:30:45.000Z" },
        ...{ risk_score: 72, risk_level: "high", summary: "A person at the gate.", object_types: [], object_counts: { person: 1 } },
        ...{ thumbnail_url: null, event_url: `https://home.example.org/api/events/${eventId}` },
        page_url: `https://home.example.org/events/${eventId}`,
      },
    });
    expect(await result(alertId)).toEqual({ channel: "webhook", status: "sent", reason: null, attempts: 1, late: false });
  });

  it("retries are identical and honour Retry-After", async () => {
    const hook = await receiver(503, 429);
    const { raise, work, result, jobs } = await desk({ DEFAULT_WEBHOOK_URL: hook.url });
    const { alertId } = await raise(["webhook"]);
    await work();
    expect((await jobs())[0]).toEqual({ status: "pending", at: minutes(0.5), error: "The target answered 503" });
    await work(minutes(0.5));
    expect((await jobs())[0]?.at).toEqual(minutes(10));
    await work(minutes(10));
    expect(hook.bodies).toHaveLength(3);
    expect(new Set(hook.bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(hook.bodies[0]?.key).toMatch(/^([0-9a-f-]{36}) \1$/);
    expect(await result(alertId)).toMatchObject({ status: "sent", attempts: 3, late: true });
    expect(logged.join()).not.toContain("s3cret");
  });

  it("410 fails for good", async () => {
    const hook = await receiver(410);
    const { raise, work, result } = await desk({ DEFAULT_WEBHOOK_URL: hook.url });
    const { alertId } = await raise(["webhook"]);
    await work();
    expect(await result(alertId)).toMatchObject({
      status: "failed",
      reason: "The target answered 410 (Gone): it accepts no more messages",
    });
  });

  it("it is not sent to a refused address", async () => {
    const { raise, work, result } = await desk({ DEFAULT_WEBHOOK_URL: "http://169.254.169.254/latest/meta-data" });
    const { alertId } = await raise(["webhook"]);
    await work();
    expect(await result(alertId)).toMatchObject({ status: "waiting", reason: expect.stringContaining("169.254.169.254") });
  });
});

describe("digest notification", () => {
  it("each channel reports what the cooldown held back, even when the alert was acknowledged", async () => {
    const hook = await receiver();
    const { db } = database;
    const server = await mailServer();
    servers.push(server);
    const { raise, work } = await desk({ ...mailEnv(server.port), DEFAULT_WEBHOOK_URL: hook.url });
    const { alertId } = await raise(["email", "webhook"], {}, "digest");
    const held = [];
    for (let index = 0; index < 22; index += 1)
      held.push(await addHeldBack(db, alertId, { riskScore: 40 + index, summary: `Walker ${index}` }));
    await addHeldBack(db, alertId, { riskScore: 99, summary: "Deleted", deleted: true });
    await db.query((sql) => sql`update alerts set status = 'acknowledged' where alert_id = ${alertId}`);
    await work();
    const [received] = server.mails;
    expect(received?.mail.headers["subject"]).toMatch(/^\[High\] 22 more events since the alert at The Gate/);
    expect(received?.mail.text).toContain("Walker 2\n");
    expect(received?.mail.text).not.toContain("Walker 1\n");
    expect(received?.mail.text).not.toContain("Deleted");
    expect(received?.mail.text).toContain("2 more events are not listed.");
    const body = hook.bodies[0]?.body as { type: string; held_back: { count: number; events: { event_id: number }[] } };
    expect(body.type).toBe("security_alert_digest");
    expect(body.held_back.count).toBe(22);
    expect(body.held_back.events.map((event) => event.event_id)).toEqual(held.slice(2));
    expect(body.held_back.events[0]).toMatchObject({ camera_name: "The Gate", object_counts: {}, event_url: `/api/events/${held[2]}` });
    // Only the alert's own notifications settle it
    expect(settled).toEqual([]);
  });

  it("it is cancelled when all its events were deleted", async () => {
    const hook = await receiver();
    const { raise, work } = await desk({ DEFAULT_WEBHOOK_URL: hook.url });
    const { alertId } = await raise(["webhook"], {}, "digest");
    await addHeldBack(database.db, alertId, { riskScore: 99, summary: "Deleted", deleted: true });
    await work();
    expect(hook.bodies).toEqual([]);
    const [stored] = await database.db.query((sql) => sql`select status, reason from notifications where alert_id = ${alertId}`);
    expect(stored).toEqual({ status: "cancelled", reason: "all events of this digest were deleted" });
  });
});
