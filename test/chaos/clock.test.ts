import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { type Clock, systemClock } from "../../src/base/clock/clock.ts";
import { testDaemon } from "../support/daemon.ts";
import { testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { receiver } from "../support/receiver.ts";
import { detectorStandIn, languageModelStandIn, onePerson, verdictText } from "../support/upstream.ts";
import { allDone, judge } from "./invariants/invariants.ts";
import { report } from "./support/report.ts";
import { lookAt } from "./support/rows.ts";
import { isLong, patienceMs, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";
import { create } from "./support/send.ts";

const steps = scale("CHAOS_CLOCK_STEPS", { short: 1, long: 40 });
const chance = chanceOf("clock");
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
/** Steps as large as a forgotten daylight saving time, an empty battery or a mistyped year. */
const far = [3 * 1_000, 2 * minuteMs, hourMs, 26 * hourMs, 40 * dayMs, 300 * dayMs] as const;

let offsetMs = 0;
const clock: Clock = { now: () => new Date(Date.now() + offsetMs), monotonic: systemClock.monotonic };
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

test(`chaos: ${steps} clock steps, forwards and backwards, while everything waits: all of it continues`, {
  timeout: 3_600_000,
}, async () => {
  const database = await testDatabase();
  const rows = { url: database.url };
  let detectorAnswers = true;
  let modelAnswers = true;
  let hookAnswers = true;
  const detector = await detectorStandIn({
    answer: () => {
      if (!detectorAnswers) throw new Error("cut off");
      return onePerson();
    },
  });
  const model = await languageModelStandIn({
    answer: () => {
      if (!modelAnswers) throw new Error("cut off");
      return { content: verdictText(70), model: "stand-in" };
    },
  });
  const hook = await receiver(() => ({ status: hookAnswers ? 200 : 503 }));
  const daemon = await testDaemon({
    clock,
    env: {
      ...{ DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, DEFAULT_WEBHOOK_URL: hook.url },
      // After a step of months all messages would be too late to send.
      ...{ BATCH_WINDOW_SECONDS: "3", BATCH_IDLE_TIMEOUT_SECONDS: "1", ALERT_EXPIRY_HOURS: "8760" },
    },
  });
  closing.push(
    () => database.close(),
    () => Promise.all([detector.close(), model.close(), hook.close()]),
    () => daemon.stop(),
  );
  const post = (path: string, body: object): Promise<void> => create(`${daemon.url}${path}`, body);
  for (const name of ["yard", "gate"]) await post("/api/cameras", { name });
  const each = { name: "Each", severity: "high", risk_threshold: 50, cooldown_seconds: 0, camera_ids: ["yard"], channels: ["webhook"] };
  await post("/api/alerts/rules", each);
  await post("/api/alerts/rules", { ...each, name: "Digest", cooldown_seconds: 4, digest: true });
  await post("/api/alerts/rules", { ...each, name: "Silenced", camera_ids: ["gate"] });
  await post("/api/outbound-webhooks", {
    name: "All",
    url: hook.url,
    event_types: ["event_created"],
    retry_delay_seconds: 5,
    max_retries: 10,
  });
  let pictures = 0;
  const upload = async (camera: string): Promise<void> => {
    pictures += 1;
    await renameIn(join(daemon.cameraRoot, camera, `${pictures}.jpg`), await uniqueJpeg(pictures));
  };
  const count = (work: Parameters<typeof lookAt<readonly { readonly n: number }[]>>[1]): Promise<number> =>
    lookAt(rows, work).then(([row]) => row?.n ?? 0);
  const raised = (rule: string): Promise<number> =>
    count((sql) => sql<{ n: number }[]>`select count(*) as n from alerts a where a.rule_name = ${rule}`);

  for (let round = 0; round < steps; round += 1) {
    // An event with a running cooldown and digest, one that waits for its analysis, a picture for the detector, a message for its target.
    const before = await raised("Each");
    await upload("yard");
    await eventually(async () => (await raised("Each")) > before, { timeoutMs: patienceMs, what: "an alert" });
    await upload("yard");
    await sleep(chance.between(0, 2_000));
    [detectorAnswers, modelAnswers, hookAnswers] = [chance.below(2) === 0, chance.below(2) === 0, false];
    for (const camera of ["yard", "gate"]) await upload(camera);
    await post("/api/silences", { camera_id: "gate", duration_seconds: 4, reason: "a visitor" });
    await sleep(chance.between(0, 1_500));

    const size = isLong ? chance.pick(far) : 300 * dayMs;
    const isForwards = round % 2 === 1;
    // Forwards makes every retry due at once. The short form saves the minute until the next one if the services still fail by then.
    if (isForwards && !isLong) [detectorAnswers, modelAnswers, hookAnswers] = [true, true, true];
    offsetMs += (isForwards ? 1 : -1) * size;
    await sleep(chance.between(0, 1_500));
    [detectorAnswers, modelAnswers, hookAnswers] = [true, true, true];
    for (const name of ["detector", "language_model"]) {
      await fetch(`${daemon.url}/api/system/circuit-breakers/${name}/reset`, { method: "POST" });
    }
    // Every retry of a service or target comes within half a minute; the short form moves the clock past it.
    if (!isLong) offsetMs += 40_000;
    await allDone(rows, { cameraRoot: daemon.cameraRoot });
    const waiting = (): Promise<number> =>
      count(
        (sql) => sql<{ n: number }[]>`
          select (select count(*) from digests d where d.closed_at is null) + (select count(*) from silences s where s.told_at is null) as n`,
      );
    await eventually(async () => (await waiting()) === 0, { timeoutMs: patienceMs, what: `digests and silences to end after ${size} ms` });

    // The present is reported like the past.
    const [yard, digest, gate] = await Promise.all([raised("Each"), raised("Digest"), raised("Silenced")]);
    const told = async (): Promise<boolean> => {
      for (const camera of ["yard", "gate"]) await upload(camera);
      await sleep(2_500);
      return (await raised("Each")) > yard && (await raised("Digest")) > digest && (await raised("Silenced")) > gate;
    };
    await eventually(told, { timeoutMs: patienceMs, what: `alerts after a step of ${size} ms` });
    await allDone(rows, { cameraRoot: daemon.cameraRoot });
    const { cameras } = (await (await fetch(`${daemon.url}/api/cameras`)).json()) as {
      cameras: { status: string; last_seen_at: string }[];
    };
    for (const camera of cameras) {
      expect(camera.status).toBe("online");
      expect(new Date(camera.last_seen_at).getTime()).toBeLessThanOrEqual(clock.now().getTime());
    }
  }
  const arrived = hook.received.map(({ headers }) => String(headers["webhook-id"]));
  const { violations, figures } = await judge(rows, { cameraRoot: daemon.cameraRoot, arrived });
  expect(violations).toEqual([]);
  report("steps of the clock", { steps, uploads: pictures, ...figures });
});
