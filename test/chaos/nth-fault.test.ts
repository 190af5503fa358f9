import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../src/base/clock/clock.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { type MailServer, mailServer } from "../support/mail-server.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { type Receiver, receiver } from "../support/receiver.ts";
import { detectorStandIn, languageModelStandIn, onePerson, type StandIn, verdictText } from "../support/upstream.ts";
import { judge, unfinished } from "./invariants/invariants.ts";
import { type FileFaults, fileFaults } from "./support/file-faults.ts";
import { notificationIdOf } from "./support/mails.ts";
import { report } from "./support/report.ts";
import { lookAt } from "./support/rows.ts";
import { patienceMs, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";
import { create } from "./support/send.ts";
import { cuttingWire, type Wire } from "./support/wire.ts";

/*
 * One picture after the other goes all the way: file, row, detector, event, language model, alert, webhooks. In run n the
 * n-th step to the outside fails, for n = 1, 2, 3 ... until a picture gets through without any. The short form takes every
 * 40th n, others for each seed.
 */
const stride = scale("CHAOS_STRIDE", { short: 40, long: 1 });
const first = 1 + chanceOf("nth fault").below(stride);
/** Far above the number of steps, so that a count without end fails. */
const most = 400;
let aheadMs = 0;
/** Skips retry delays of half a minute; the camera's clock moves too, or it would be reported as wrong. */
const clock: Clock = { now: () => new Date(Date.now() + aheadMs), monotonic: systemClock.monotonic };

let database: TestDatabase;
let detector: StandIn;
let model: StandIn;
let hook: Receiver;
let post: MailServer;
let wire: Wire;
let files: FileFaults | undefined;
let daemon: TestDaemon;
let failCall = Number.POSITIVE_INFINITY;
let failedCall: string | undefined;
const messages: string[] = [];
let pictures = 0;
const rows = () => ({ url: database.url });

/** Counts an outward call; true for the one that must fail. */
function callFails(what: string): boolean {
  failCall -= 1;
  if (failCall !== 0) return false;
  failedCall = what;
  return true;
}

beforeAll(async () => {
  database = await testDatabase();
  wire = await cuttingWire(database.url);
  detector = await detectorStandIn({
    answer: () => {
      if (callFails("detector")) throw new Error("cut off");
      return onePerson();
    },
  });
  model = await languageModelStandIn({
    answer: () => {
      if (callFails("language model")) throw new Error("cut off");
      return { content: verdictText(70), model: "stand-in" };
    },
  });
  hook = await receiver(({ headers, path }) => {
    messages.push(String(headers["webhook-id"]));
    return callFails(`webhook ${path}`) ? "reset" : { status: 200 };
  });
  post = await mailServer({ onMail: () => (callFails("mail server") ? { code: 451, text: "4.3.0 later" } : undefined) });
  daemon = await testDaemon({
    clock,
    env: {
      ...{ DATABASE_URL: wire.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, DEFAULT_WEBHOOK_URL: hook.url },
      ...{ SMTP_HOST: "127.0.0.1", SMTP_PORT: String(post.port), SMTP_FROM_ADDRESS: "homesec@example.org" },
      ...{ DEFAULT_EMAIL_RECIPIENTS: "me@example.org", BATCH_MAX_DETECTIONS: "1" },
    },
  });
  await create(`${daemon.url}/api/cameras`, { name: "yard" });
  const rule = { name: "Each", severity: "high", risk_threshold: 50, channels: ["webhook", "email"], cooldown_seconds: 0 };
  await create(`${daemon.url}/api/alerts/rules`, rule);
  const told = { event_types: ["event_created", "alert_fired"], max_retries: 10, retry_delay_seconds: 1 };
  await create(`${daemon.url}/api/outbound-webhooks`, { name: "All", url: hook.url, ...told });
  await throughOnce();
}, 120_000);

afterEach(() => {
  files?.undo();
  files = undefined;
});
afterAll(async () => {
  await daemon.stop();
  await Promise.all([detector.close(), model.close(), hook.close(), post.close(), wire.close()]);
  await database.close();
});

/** Sends a picture all the way, whatever happens. Ends when its event, its alert and its four messages are done. */
async function throughOnce(): Promise<void> {
  pictures += 1;
  await renameIn(join(daemon.cameraRoot, "yard", `${pictures}.jpg`), await uniqueJpeg(pictures), clock.now());
  const giveUpAt = performance.now() + patienceMs;
  for (let looks = 0; ; looks += 1) {
    const [row, open] = await lookAt(rows(), async (sql) => {
      const [counted] = await sql<[Record<string, number>]>`
        select (select count(*) from images i) as images, (select count(*) from events e where e.kind = 'event') as events,
          (select count(*) from alerts a) as alerts, (select count(*) from notifications n where n.status = 'sent') as sent,
          (select count(*) from webhook_deliveries d where d.status = 'success') as delivered`;
      return [counted, await unfinished(sql)] as const;
    });
    if (row["sent"] === 2 * pictures && row["delivered"] === 2 * pictures && open === 0) return;
    if (performance.now() > giveUpAt) {
      const jobs = await lookAt(
        rows(),
        (sql) => sql`select j.queue, j.status, j.attempts, j.available_at, j.claimed_by, j.last_error from jobs j`,
      );
      const faults = [wire.failed(), failedCall, files?.failed()].filter((fault) => fault !== undefined);
      throw new Error(
        `picture ${pictures} did not get through: ${JSON.stringify({ row, open, faults, jobs: [...jobs], now: clock.now(), pool: daemon.context.db.pool })}`,
      );
    }
    if (looks > 40) {
      // All retry delays have passed.
      aheadMs += 40_000;
      looks = 0;
    }
    await sleep(25);
  }
}

/** Increases n until nothing fails any more, and reports the failures. */
async function failEach(what: string, arm: (n: number) => void, failed: () => string | undefined): Promise<void> {
  const met = new Set<string>();
  let runs = 0;
  for (let n = first; n < most; n += stride) {
    arm(n);
    await throughOnce();
    const fault = failed();
    if (fault === undefined) {
      if (runs > 0 || n === 1) break;
      // There are fewer steps of this kind than the seed's first one.
      n = 1 - stride;
      continue;
    }
    met.add(fault);
    runs += 1;
  }
  arm(Number.POSITIVE_INFINITY);
  expect(runs).toBeGreaterThan(0);
  const arrived = [...messages, ...post.mails.map(notificationIdOf)];
  const { violations, figures } = await judge(rows(), { cameraRoot: daemon.cameraRoot, arrived });
  expect(violations).toEqual([]);
  // One picture, one event, one alert, four messages, each under one id.
  expect(figures).toMatchObject({ pictures, events: pictures, alerts: pictures, messages: 4 * pictures });
  expect(new Set(arrived).size).toBe(4 * pictures);
  report(what, { faults: runs, "different ones": met.size, ...figures });
}

describe("chaos: a picture becomes one event, one alert, one mail and three posts if", { timeout: 3_600_000 }, () => {
  test.each(["lost", "unanswered"] as const)("chaos: the n-th statement is %s", async (fate) => {
    await failEach(`n-th statement ${fate}`, (n) => wire.failNext(n, fate), wire.failed);
  });

  test("chaos: the n-th file system call fails", async () => {
    const faults = fileFaults(daemon.cameraRoot);
    files = faults;
    await failEach("n-th call of the file system", faults.failNext, faults.failed);
  });

  test("chaos: the n-th call to a service, webhook or mail server fails", async () => {
    const arm = (n: number): void => {
      failCall = n;
      failedCall = undefined;
    };
    await failEach("n-th call to the outside", arm, () => failedCall);
  });
});
