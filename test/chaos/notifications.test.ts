import postgres from "postgres";
import { afterAll, expect, test } from "vitest";
import { attachEmbeddedPostgres } from "../../src/platform/database/embedded-postgres.ts";
import { noServices } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { allDone, judge } from "./invariants/invariants.ts";
import { flappingMailServer, flappingReceiver } from "./support/flapping.ts";
import { notificationIdOf } from "./support/mails.ts";
import { report } from "./support/report.ts";
import { isLong, patienceMs, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";
import { post } from "./support/send.ts";

const kills = scale("CHAOS_NOTIFICATION_KILLS", { short: 1, long: 100 });
const chance = chanceOf("notifications");
const folder = temporaryFolder("notifications");
afterAll(() => folder.remove());

test.skipIf(!isLong)(
  `chaos: ${kills} kill -9 under load, mail server and receiver flapping: every alert is delivered, or failed with a reason, and repeats carry the same id`,
  async () => {
    const smtp = await flappingMailServer();
    const hook = await flappingReceiver(503);
    const env = {
      ...{ ...noServices, DATA_DIR: folder.path, WEBHOOK_TIMEOUT_SECONDS: "5", DEFAULT_WEBHOOK_URL: hook.url },
      ...{ SMTP_HOST: "127.0.0.1", SMTP_PORT: String(smtp.port), SMTP_FROM_ADDRESS: "homesec@example.org" },
      DEFAULT_EMAIL_RECIPIENTS: "me@example.org",
    };
    let daemon = await serveHomesec(env);
    await post(`${daemon.url}/api/cameras`, { name: "yard" });
    // Both match every event: their mails are one message, and the receiver gets both alerts
    for (const name of ["Each", "Every"]) {
      const rule = { name, severity: "high", channels: ["email", "webhook"], cooldown_seconds: 0, immediate: name === "Every" };
      expect((await post(`${daemon.url}/api/alerts/rules`, rule)).status).toBe(201);
    }

    const stored = new Set<number>();
    let n = 0;
    const load = async (): Promise<void> => {
      const events = Array.from({ length: 5 }, () => ({
        camera_id: "yard",
        started_at: new Date(1_767_225_600_000 + 1000 * n++).toISOString(),
        risk_score: 70,
      }));
      const answer = await post(`${daemon.url}/api/events/bulk`, { events }).catch(() => undefined);
      for (const { id } of (answer?.body as { results?: { id: number | null }[] } | undefined)?.results ?? [])
        if (id !== null) stored.add(id);
    };
    const restart = async (): Promise<void> => {
      daemon.kill("SIGKILL");
      await daemon.exit;
      daemon = await serveHomesec(env);
    };
    for (let round = 0; round < kills; round += 1) {
      if (round % 3 === 0) await smtp.down();
      else await smtp.up("flapping");
      const until = performance.now() + chance.between(200, 1_000);
      for (let batch = 0; batch < 4 && performance.now() < until; batch += 1) await load();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, until - performance.now())));
      await restart();
    }

    const address = await attachEmbeddedPostgres(folder.path);
    if (!address) throw new Error("the embedded server does not run");
    const sql = postgres({
      host: address.socketDir,
      port: address.port,
      database: address.database,
      username: address.user,
      max: 1,
      onnotice: () => {},
    });
    try {
      // Before anything recovers, each alert has both messages: sent, waiting with a job that will send it, or failed with a reason.
      await eventually(
        async () => {
          const [left] = await sql<{ n: number }[]>`select count(*)::int as n from jobs j where j.queue = 'alert'`;
          return left?.n === 0;
        },
        { timeoutMs: patienceMs, what: "the last alert" },
      );
      const nowhere = await sql`
      select n.channel, n.status, n.reason
      from notifications n
      where n.status <> 'sent'
        and not exists (
          select from jobs j
          where j.subject = 'notification:' || coalesce(n.joined_to, n.notification_id)
            and (j.status = 'dead') = (n.status = 'failed')
        )
    `;
      expect([...nowhere], "notifications that nothing will send").toEqual([]);

      // Everything recovers; a test of the channel resumes the longest waits, as after a long outage.
      hook.answerWith(() => ({ status: 200 }));
      await smtp.up("well");
      await restart();
      const tested = await post(`${daemon.url}/api/notification/test`, { channel: "email" });
      expect(tested.body).toMatchObject({ success: true });
      await eventually(
        async () => {
          const [left] = await sql<{ n: number }[]>`select count(*)::int as n from notifications n where n.status = 'waiting'`;
          return left?.n === 0;
        },
        { timeoutMs: patienceMs, what: "the last notification" },
      );
      const alerts = await sql<
        { id: string; event_id: string; status: string; delivered: number; channels: { channel: string; status: string }[] }[]
      >`
      select a.alert_id as id, a.event_id::text, a.status, a.alert_metadata -> 'channels' as channels,
        (select count(*)::int from journal j where j.type = 'alert_delivered' and j.data ->> 'id' = a.alert_id::text) as delivered
      from alerts a
    `;
      for (const id of stored) expect(alerts.filter(({ event_id }) => event_id === String(id)).length, `event ${id}`).toBe(2);
      const rows = await sql<
        {
          id: string;
          alert_id: string;
          message: string;
          event_id: string;
          channel: string;
          status: string;
          reason: string | null;
          dead: boolean;
        }[]
      >`
      select n.notification_id as id, n.alert_id, coalesce(n.joined_to, n.notification_id) as message, a.event_id::text, n.channel, n.status, n.reason,
        exists (
          select 1 from jobs j where j.subject = 'notification:' || coalesce(n.joined_to, n.notification_id) and j.status = 'dead'
        ) as dead
      from notifications n
      join alerts a using (alert_id)
    `;
      expect(rows.length).toBe(2 * alerts.length);
      for (const alert of alerts) {
        const own = rows.filter(({ alert_id }) => alert_id === alert.id);
        expect(alert.channels.map(({ channel, status }) => `${channel} ${status}`)).toEqual(
          own.map(({ channel, status }) => `${channel} ${status}`).toSorted(),
        );
        const isDelivered = own.some(({ status }) => status === "sent");
        expect([alert.status, alert.delivered]).toEqual(isDelivered ? ["delivered", 1] : ["pending", 0]);
      }
      // A sent message arrived under its id; a failed one has a reason and is a dead letter.
      const arrived = new Set([
        ...smtp.mails().map(notificationIdOf),
        ...hook.received.map(({ headers }) => String(headers["webhook-id"])),
      ]);
      for (const row of rows) {
        if (row.status === "failed") expect([row.dead, (row.reason ?? "").length > 0]).toEqual([true, true]);
        else expect([row.status, row.dead, arrived.has(row.message)]).toEqual(["sent", false, true]);
      }
      expect(rows.filter(({ status }) => status === "sent").length).toBeGreaterThan(rows.length / 2);
      const known = new Map(rows.map((row) => [row.id, row]));
      for (const mail of smtp.mails()) expect(known.get(notificationIdOf(mail))?.channel).toBe("email");
      for (const { headers, body } of hook.received) {
        const { alert } = JSON.parse(body) as { alert: { event_id: number } };
        expect(known.get(String(headers["webhook-id"]))).toMatchObject({ channel: "webhook", event_id: String(alert.event_id) });
      }
    } finally {
      await sql.end({ timeout: 1 });
    }
    const embedded = { dataDir: folder.path };
    await allDone(embedded);
    const arrived = [...smtp.mails().map(notificationIdOf), ...hook.received.map(({ headers }) => String(headers["webhook-id"]))];
    const { violations, figures } = await judge(embedded, { acknowledged: stored, arrived });
    expect(violations).toEqual([]);
    report("kill -9, mail server and receiver flapping", { kills, acknowledged: stored.size, ...figures });
    daemon.kill("SIGTERM");
    expect((await daemon.exit).code).toBe(0);
    await Promise.all([hook.close(), smtp.down()]);
  },
  3_600_000,
);
