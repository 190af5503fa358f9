import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { channelAvailability } from "../../../src/alerting/channels/availability.ts";
import { cancelNotifications } from "../../../src/alerting/notifications/notifications-repository.ts";
import { channelResults, queueNotifications } from "../../../src/alerting/notifications/queue.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { addAlert, clearAlerts } from "./alerts.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(() => clearAlerts(database.db));

const now = new Date("2026-07-02T00:00:00Z");
const expiresAt = new Date("2026-07-03T00:00:00Z");
const none = {
  notificationEnabled: true,
  smtpHost: undefined,
  smtpFromAddress: undefined,
  defaultEmailRecipients: [],
  defaultWebhookUrl: undefined,
};
const all = {
  notificationEnabled: true,
  smtpHost: "mail.example.org",
  smtpFromAddress: "homesec@example.org",
  defaultEmailRecipients: ["me@example.org"],
  defaultWebhookUrl: "http://127.0.0.1/hook",
};
const unusable = (reason: string) => ({ usable: false, reason });

describe("channel availability", () => {
  it("each channel that is not configured names the missing settings", () => {
    expect(channelAvailability(all)).toEqual({
      email: { usable: true },
      webhook: { usable: true },
      push: { usable: true },
      address: { usable: true },
    });
    expect(channelAvailability(none)).toMatchObject({
      email: unusable("it needs SMTP_HOST and SMTP_FROM_ADDRESS and DEFAULT_EMAIL_RECIPIENTS"),
      webhook: unusable("it needs DEFAULT_WEBHOOK_URL"),
    });
    expect(channelAvailability({ ...all, defaultEmailRecipients: [] }).email).toEqual(unusable("it needs DEFAULT_EMAIL_RECIPIENTS"));
  });

  it("no channel is usable when notifications are off", () => {
    const reason = "notifications are switched off (NOTIFICATION_ENABLED=false)";
    expect(Object.values(channelAvailability({ ...all, notificationEnabled: false }))).toEqual([1, 2, 3, 4].map(() => unusable(reason)));
  });
});

describe("queued notification", () => {
  const jobs = () =>
    database.db.query(
      (sql) =>
        sql<
          { lane: string; status: string }[]
        >`select j.lane, j.status from jobs j where j.subject like 'notification:%' order by j.lane, j.status desc`,
    );
  const queue = (alertId: string, kind: "alert" | "digest" = "alert") =>
    database.db.transaction((sql) =>
      queueNotifications(sql, { alertId, kind, channels: ["email", "webhook", "push", "email"], expiresAt }, channelAvailability(all), now),
    );

  it("it waits with a job in its channel's lane; an unusable channel has a reason and no job", async () => {
    const { alertId } = await addAlert(database.db);
    const waiting = { status: "waiting", reason: null, attempts: 0, late: false };
    const results = [
      { ...waiting, channel: "email" },
      { ...waiting, channel: "webhook" },
      { ...waiting, channel: "push", status: "unusable", reason: "no channel to phones is enabled; add one with homesec channels add" },
    ];
    expect(await queue(alertId)).toEqual(results);
    expect(await jobs()).toEqual([
      { lane: "default-webhook", status: "pending" },
      { lane: "email", status: "pending" },
    ]);
    const stored = await database.db.query((sql) => channelResults(sql, [alertId]));
    expect(stored.get(alertId)).toEqual(expect.arrayContaining(results));
  });

  it("it is cancelled with its alert, except a running one and the digest", async () => {
    const { alertId } = await addAlert(database.db);
    const { alertId: other } = await addAlert(database.db);
    await queue(alertId);
    await queue(alertId, "digest");
    await queue(other);
    await database.db.query(
      (sql) => sql`
        update jobs j set status = 'running'
        from notifications n
        where j.subject = 'notification:' || n.notification_id and n.alert_id = ${alertId} and n.kind = 'alert' and n.channel = 'email'
      `,
    );
    await database.db.transaction((sql) => cancelNotifications(sql, alertId, now));
    expect(await jobs()).toEqual([
      { lane: "default-webhook", status: "pending" },
      { lane: "default-webhook", status: "pending" },
      { lane: "email", status: "running" },
      { lane: "email", status: "pending" },
      { lane: "email", status: "pending" },
    ]);
    const results = await database.db.query((sql) => channelResults(sql, [alertId, other]));
    expect(results.get(alertId)?.map(({ channel, status }) => `${channel} ${status}`)).toEqual([
      "email cancelled",
      "push unusable",
      "webhook cancelled",
    ]);
    expect(results.get(other)?.map(({ status }) => status)).toEqual(["waiting", "unusable", "waiting"]);
  });
});
