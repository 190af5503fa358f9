import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { processEndedSilences } from "../../../src/alerting/alerts/ended-silences.ts";
import { settleAlert } from "../../../src/alerting/alerts/settle.ts";
import { createDeliveryEngine } from "../../../src/alerting/delivery/engine.ts";
import { createNotificationChannel } from "../../../src/alerting/notifications/channel.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { mayBeNoFault } from "../../../src/monitoring/cameras/silence-limit.ts";
import type { Cause } from "../../../src/monitoring/incidents/incident.ts";
import { endIncidents, followStatus, openIncident } from "../../../src/monitoring/incidents/incidents.ts";
import { claimNextInLanes } from "../../../src/work/jobs/jobs-repository.ts";
import { type AlertDesk, openAlertDesk, withMail } from "../../alerting/alerts/alert-desk.ts";
import { freePort } from "../../support/free-port.ts";
import { type MailServer, mailServer } from "../../support/mail-server.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";

let desk: AlertDesk;
let mail: MailServer | undefined;
let hook: Receiver;
let port: number;
beforeAll(async () => {
  [port, hook] = await Promise.all([freePort(), receiver()]);
  desk = await openAlertDesk({ ...withMail, SMTP_PORT: String(port), DEFAULT_WEBHOOK_URL: hook.url });
});
afterAll(async () => {
  await Promise.all([desk.close(), mail?.close(), hook.close()]);
});

let heard: number;
let refused: boolean;
beforeEach(async () => {
  await desk.empty();
  heard = hook.received.length;
  refused = false;
  hook.answerWith(() => ({ status: refused ? 503 : 200 }));
  await mail?.close();
  mail = await mailServer({ port });
});

const minute = 60_000;
const noon = Date.UTC(2026, 2, 1, 12);
const at = (minutes: number) => new Date(noon + minutes * minute);
const now = () => desk.context.clock.now();
/** Subjects of received mails without the time, which depends on the machine's time zone. */
const subjects = () => mail?.mails.map((each) => each.mail.headers["subject"]?.replace(/,.*/, "")) ?? [];
const posted = () => hook.received.slice(heard).map(({ body }) => JSON.parse(body) as Record<string, unknown>);

/** Starts an incident of the yard camera and evaluates the rules. */
async function begin(minutes: number, cause: Cause = "silent", reason = "No picture for 60 s"): Promise<void> {
  desk.at(at(minutes));
  await desk.db.transaction((sql) => openIncident(sql, { cameraId: "yard", cause, reason, beganAt: now() }, now()));
  await desk.look();
}
async function end(minutes: number, cause: Cause = "silent"): Promise<void> {
  desk.at(at(minutes));
  await desk.db.transaction((sql) => endIncidents(sql, "yard", [cause], now()));
  await desk.look();
}
/** Sends due messages with a new process. */
async function send(minutes: number): Promise<number> {
  desk.at(at(minutes));
  const { db, context } = desk;
  const processId = randomUUID();
  const channel = createNotificationChannel({
    ...{ db, config: context.config, outbound: context.outbound, sealer: context.sealer, clock: context.clock, settle: settleAlert },
    ...{ onAttempt: () => {}, random: () => 0 },
  });
  const engine = createDeliveryEngine(channel, { db, clock: context.clock, log: silentLog });
  let sent = 0;
  for (;;) {
    const jobs = await db.query((sql) => claimNextInLanes(sql, { queue: "deliver", processId, now: now() }, 10));
    for (const job of jobs) await engine.run(job.subject.split(":")[1] ?? "", job, new AbortController().signal);
    sent += jobs.length;
    if (jobs.length === 0) return sent;
  }
}
const dead = (channels: ("email" | "webhook")[] = ["email", "webhook"]) =>
  desk.rule({ name: "A camera is dead", kind: "camera_health", channels });

describe("the end of an incident", () => {
  it("is sent once through the channels of the beginning, and the mail replies to the first one", async () => {
    await dead();
    await begin(0);
    expect(await send(1)).toBe(2);
    await end(125);
    expect(await send(126)).toBe(2);
    await end(130);
    expect(await send(140)).toBe(0);

    expect(subjects()).toEqual(["[High] Problem with camera Yard", "Resolved: problem with camera Yard"]);
    const [first, second] = mail?.mails ?? [];
    expect(second?.mail.text).toContain("Camera Yard was silent for 2 h 5 min: no picture for 60 s.");
    expect(second?.mail.headers["in-reply-to"]).toBe(first?.mail.headers["message-id"]);
    expect(second?.mail.headers["references"]).toBe(`${first?.mail.headers["references"]} ${first?.mail.headers["message-id"]}`);

    const [alert] = await desk.alerts();
    const about = { id: alert?.id, event_id: alert?.event_id, severity: "high", dedup_key: alert?.dedup_key };
    expect(posted()).toMatchObject([
      { type: "security_alert", alert: about },
      {
        type: "security_alert_ended",
        alert: about,
        incident: {
          ...{ camera_id: "yard", started_at: at(0).toISOString(), ended_at: at(125).toISOString() },
          summary: "Camera Yard was silent for 2 h 5 min: no picture for 60 s.",
        },
      },
    ]);
    // the alert describes the beginning and does not change
    expect(alert).toMatchObject({ status: "delivered", alert_metadata: { channels: [{ channel: "email" }, { channel: "webhook" }] } });
  });

  it("is one mail for two rules, as the beginning was, and the webhook gets both", async () => {
    await dead();
    await desk.rule({ name: "Any trouble", kind: "camera_health", channels: ["email", "webhook"] });
    await begin(0);
    expect(await send(1)).toBe(3);
    await end(20);
    expect(await send(21)).toBe(3);
    expect(subjects()).toEqual(["[High] Problem with camera Yard", "Resolved: problem with camera Yard"]);
    const [first, second] = mail?.mails ?? [];
    for (const each of [first, second]) expect(each?.mail.text).toMatch(/Rule: A camera is dead .*\nRule: Any trouble /);
    expect(second?.mail.headers["in-reply-to"]).toBe(first?.mail.headers["message-id"]);
    expect(posted().map(({ type }) => type)).toEqual([...Array(2).fill("security_alert"), ...Array(2).fill("security_alert_ended")]);
  });

  it("is sent after a silence with its cause, without a judgement", async () => {
    await dead(["email"]);
    await desk.ask("createSilence", { body: { camera_id: "yard", duration_seconds: 600, reason: "Painters" } });
    await begin(1);
    desk.at(at(11));
    await processEndedSilences(desk.db, desk.delivery, now(), 10);
    await send(11);
    const text = mail?.mails[0]?.mail.text;
    expect(text).toMatch(/It muted 1 alert:\n\n\w+ 1 Mar 2026 \d\d:01 {2}Yard: Camera Yard is silent: no picture for 60 s\./);
  });

  it("is sent if the alert was acknowledged, and not if it was dismissed", async () => {
    await dead(["email"]);
    await begin(0);
    await send(1);
    await desk.ask("acknowledgeAlert", { params: { id: (await desk.alerts())[0]?.id ?? "" } });
    await end(10);
    expect(await send(11)).toBe(1);

    await begin(60);
    await send(61);
    await desk.ask("dismissAlert", { params: { id: (await desk.alerts())[1]?.id ?? "" } });
    await end(70);
    expect(await send(71)).toBe(0);
    expect(subjects()).toHaveLength(3);
  });

  it("is in the explanation of the event", async () => {
    await dead(["email"]);
    await begin(0);
    await send(1);
    await end(10);
    await send(11);
    const [alert] = await desk.alerts();
    const { outcome, steps } = await desk.ask("explainEvent", { params: { event_id: String(alert?.event_id) } });
    expect(outcome).toMatch(/was raised by rule "A camera is dead" and is delivered: sent by email\.$/);
    expect(steps.filter(({ step }) => step === "notification").map(({ text }) => text.replace(/was sent.*/, "was sent"))).toEqual([
      "The notification by email was sent",
      "The end message by email was sent",
    ]);
  });
});

describe("the end of an incident is not sent", () => {
  it("if a camera without a rhythm was quiet for a day: one message, which says that it may be no fault", async () => {
    await dead();
    await begin(0, "silent", `No picture for 1 d; ${mayBeNoFault}`);
    expect(await send(1)).toBe(2);
    await end(125);
    expect(await send(126)).toBe(0);
    expect(subjects()).toEqual(["[High] Problem with camera Yard"]);
    expect(mail?.mails[0]?.mail.text).toContain("Camera Yard is silent: no picture for 1 d; it uploads at irregular times");
    expect(posted().map(({ type }) => type)).toEqual(["security_alert"]);
  });

  it("if the beginning was never sent: the later message reports both", async () => {
    await dead();
    await mail?.close();
    refused = true;
    await begin(0);
    await send(1);
    await end(20);
    refused = false;
    mail = await mailServer({ port });
    await send(60);
    await send(70);
    expect(subjects()).toEqual(["[High] Resolved problem with camera Yard"]);
    expect(mail.mails[0]?.mail.text).toContain("Camera Yard was silent for 20 min");
    // the webhook's payload of an alert does not describe the current state
    expect(posted().map(({ type }) => type)).toEqual(["security_alert", "security_alert", "security_alert_ended"]);
  });

  it("if the alert was suppressed, failed, could not be sent or had no channel", async () => {
    await dead(["email"]);
    await desk.rule({ name: "For live clients", kind: "camera_health" });
    await begin(0);
    await send(1);
    await end(2);
    expect(await send(2)).toBe(1);
    await begin(3); // within the cooldown
    expect(await send(3)).toBe(0);
    await end(4);
    expect(await send(4)).toBe(0);
    expect((await desk.verdicts()).map(({ outcome }) => outcome)).toEqual(["raised", "raised", "suppressed", "suppressed"]);

    await mail?.close();
    mail = undefined;
    await begin(60);
    await send(61);
    await send(60 + 25 * 60); // The notification has expired.
    await end(60 + 26 * 60);
    expect(await send(60 + 27 * 60)).toBe(0);
  });

  it("if the camera was deleted", async () => {
    await dead(["email"]);
    await begin(0);
    await send(1);
    await desk.ask("deleteCamera", { params: { camera_id: "yard" } });
    desk.at(at(10));
    expect(await followStatus(desk.db, now())).toBe(1);
    await desk.look();
    expect(await send(11)).toBe(0);
  });
});

it("an end that comes while the beginning is on its way follows it, whichever of the two is stored first", async () => {
  await dead(["webhook"]);
  await begin(0);
  let ending: Promise<void> | undefined;
  hook.answerWith(() => {
    ending ??= end(1);
    return { status: 200 };
  });
  await send(1);
  await ending;
  await send(2);
  expect(posted().map(({ type }) => type)).toEqual(["security_alert", "security_alert_ended"]);
});
