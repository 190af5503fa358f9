import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { receiver } from "../support/receiver.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";
import { wrongSequences } from "./invariants/followed.ts";
import { allDone, judge } from "./invariants/invariants.ts";
import { keepPosting } from "./support/events.ts";
import { flappingMailServer, flappingReceiver } from "./support/flapping.ts";
import { follow } from "./support/follower.ts";
import { notificationIdOf } from "./support/mails.ts";
import { report } from "./support/report.ts";
import { chanceOf } from "./support/seed.ts";
import { create, post } from "./support/send.ts";
import { uploadRange } from "./support/uploads.ts";

const chance = chanceOf("all at once");
const folder = temporaryFolder("all-at-once");
const cameraRoot = join(folder.path, "cameras");
afterAll(() => folder.remove());

async function postedEvents(url: string): Promise<number> {
  const answer = await fetch(`${url}/api/events?camera_id=posted&limit=1`);
  return ((await answer.json()) as { pagination: { total: number } }).pagination.total;
}

/** Pictures in each phase: few, because a slow machine has to send all of their messages too. */
const perPhase = 30;

/*
 * The short form of kill, deliveries, notifications, uploads and backlog, in one home: each of these has its own home, its own faults and a
 * hundred kills with `npm run chaos`.
 */
test("chaos: a backlog, uploads in every way, posted events, and mail server and receivers flapping, through a stop and a kill -9: nothing is lost or doubled", {
  timeout: 600_000,
}, async () => {
  const [smtp, hook, flapping] = [await flappingMailServer(), await flappingReceiver(503), await flappingReceiver()];
  const gone = await receiver(() => ({ status: 404 }));
  const [detector, model] = await Promise.all([detectorStandIn({ delayMs: 20 }), languageModelStandIn({ delayMs: 20 })]);
  const env = {
    ...{ DATA_DIR: folder.path, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, PORT: String(await freePort()) },
    ...{ BATCH_WINDOW_SECONDS: "3", BATCH_IDLE_TIMEOUT_SECONDS: "1", WEBHOOK_TIMEOUT_SECONDS: "5", DEFAULT_WEBHOOK_URL: hook.url },
    ...{ SMTP_HOST: "127.0.0.1", SMTP_PORT: String(smtp.port), SMTP_FROM_ADDRESS: "homesec@example.org" },
    DEFAULT_EMAIL_RECIPIENTS: "me@example.org",
  };
  let uploaded = 0;
  const upload = async (): Promise<void> => {
    uploaded += perPhase;
    await uploadRange(cameraRoot, uploaded - perPhase, uploaded, chance);
  };
  await upload(); // a backlog from before the first start
  const duringStart = upload();
  let daemon = await serveHomesec(env);
  await duringStart;
  const client = follow(daemon.url);
  const rule = { severity: "high", channels: ["webhook"], cooldown_seconds: 0 };
  await create(`${daemon.url}/api/alerts/rules`, { ...rule, name: "At once", immediate: true });
  // Of the other cameras, the messages after the judgement are updates
  await create(`${daemon.url}/api/alerts/rules`, { ...rule, name: "Scored", risk_threshold: 10, camera_ids: ["front", "back"] });
  await create(`${daemon.url}/api/cameras`, { name: "posted" });
  // Its mails and those of "At once" would be one message per event
  await create(`${daemon.url}/api/alerts/rules`, { ...rule, name: "Posted", camera_ids: ["posted"], channels: ["email", "webhook"] });
  const told = { event_types: ["event_created"], retry_delay_seconds: 1 };
  for (const [url, max_retries] of [
    [flapping.url, 10],
    [gone.url, 1],
  ] as const)
    await create(`${daemon.url}/api/outbound-webhooks`, { ...told, name: "All", url, max_retries });

  const acknowledged = new Set<number>();
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    // The mail server is away before the stop, and refuses some mails before the kill
    if (signal === "SIGKILL") await smtp.up("flapping");
    const before = await postedEvents(daemon.url);
    const posts = await keepPosting(() => daemon.url);
    const running = upload();
    await eventually(async () => (await postedEvents(daemon.url)) > before, { what: "the first posted event" });
    await sleep(chance.between(500, 1_000));
    const away = upload();
    daemon.kill(signal);
    const { code } = await daemon.exit;
    if (signal === "SIGTERM") expect(code, daemon.output()).toBe(0);
    for (const id of await posts.stop()) acknowledged.add(id);
    daemon = await serveHomesec(env);
    await Promise.all([running, away]);
  }

  // Everything recovers; a test of the channel resumes the longest waits, as after a long outage.
  for (const target of [hook, flapping]) target.answerWith(() => ({ status: 200 }));
  await smtp.up("well");
  const { body: tested } = await post(`${daemon.url}/api/notification/test`, { channel: "email" });
  expect(tested).toMatchObject({ success: true });
  const rows = { dataDir: folder.path };
  // a minute alone, where messages wait for their next try; another test's processes make it longer
  await allDone(rows, { cameraRoot, timeoutMs: 300_000 });
  const mails = smtp.mails().map(notificationIdOf);
  const posted = [...hook.received, ...flapping.received, ...gone.received].map(({ headers }) => String(headers["webhook-id"]));
  const { violations, figures } = await judge(rows, { cameraRoot, acknowledged, arrived: [...mails, ...posted] });
  expect([...violations, ...(await wrongSequences(rows, client))]).toEqual([]);
  expect(Math.min(acknowledged.size, mails.length, flapping.received.length)).toBeGreaterThan(0);
  await client.stop();
  expect(daemon.output()).not.toMatch(/uncaught|unhandled/i);
  report("all at once", { uploads: uploaded, acknowledged: acknowledged.size, ...figures, followed: client.sequences.length });
  daemon.kill("SIGTERM");
  expect((await daemon.exit).code).toBe(0);
  await Promise.all([detector.close(), model.close(), hook.close(), flapping.close(), gone.close(), smtp.down()]);
});
