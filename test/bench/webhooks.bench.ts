import { afterAll, beforeAll, test } from "vitest";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type Receiver, receiver } from "../support/receiver.ts";
import { type BenchDaemon, benchDaemon } from "./daemon.ts";
import { processorMs } from "./process-cost.ts";
import { report } from "./report.ts";
import { type InstantUpstreams, instantUpstreams } from "./upstreams.ts";

const rounds = 3;
const eventsPerRound = 1_000;

let database: TestDatabase;
let upstreams: InstantUpstreams;
let daemon: BenchDaemon;
let hook: Receiver;

beforeAll(async () => {
  hook = await receiver();
  [database, upstreams] = await Promise.all([testDatabase(), instantUpstreams()]);
  daemon = await benchDaemon({
    databaseUrl: database.url,
    upstreamUrl: upstreams.url,
    env: { WEBHOOK_TIMEOUT_SECONDS: "300", VISION_EXTRACTION_ENABLED: "false", REID_ENABLED: "false" },
  });
  const post = async (path: string, body: object): Promise<void> => {
    const reply = await fetch(`${daemon.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
  };
  await post("/api/outbound-webhooks", { name: "Bench", url: hook.url, event_types: ["alert_fired"] });
  await post("/api/cameras", { name: "gate" });
  await post("/api/alerts/rules", { name: "Every event", risk_threshold: 1, cooldown_seconds: 0, channels: [] });
}, 120_000);

afterAll(async () => {
  await daemon?.stop();
  await Promise.all([upstreams?.stop(), hook?.close()]);
  await database?.close();
});

interface Measured {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/**
 * Stores judged events and queues one job for the rules for each. The receiver answers after all alerts are raised:
 * the messages per second are those of the deliveries alone, the processor time is that of alerts and deliveries.
 */
async function round(): Promise<Measured> {
  const before = hook.received.length;
  const cpuBefore = await processorMs(daemon.pid);
  let open = (): void => {};
  const after = new Promise<void>((resolve) => {
    open = resolve;
  });
  hook.answerWith(() => ({ status: 200, after }));
  await database.db.query(
    (sql) => sql`
      with stored as (
        insert into events (camera_id, started_at, ended_at, summary, reasoning, risk_score, analysis_status)
        select 'gate', now() - n * interval '1 second', now() - n * interval '1 second', 'A cat walks by.', 'It is a cat.', 60, 'completed'
        from generate_series(1, ${eventsPerRound}::int) as n
        returning event_id
      )
      insert into jobs (queue, subject, priority, position, available_at)
      select 'alert', s.event_id || ':scored:0', 0, now(), now()
      from stored s
    `,
  );
  const left = async (queue: string) => (await database.db.query((sql) => sql`select from jobs where queue = ${queue}`)).length;
  await eventually(async () => (await left("alert")) === 0, { timeoutMs: 240_000, what: "all alerts" });
  const startedAt = performance.now();
  open();
  await eventually(() => hook.received.length >= before + eventsPerRound, { timeoutMs: 120_000, what: "all messages" });
  const seconds = (performance.now() - startedAt) / 1_000;
  const ids = new Set(hook.received.slice(before).map(({ body }) => (JSON.parse(body) as { delivery_id: string }).delivery_id));
  if (ids.size !== eventsPerRound) throw new Error(`${ids.size} of ${eventsPerRound} messages arrived`);
  // the outcome of the last one is stored
  await eventually(async () => (await left("deliver")) === 0);
  return { perSecond: eventsPerRound / seconds, cpuMs: ((await processorMs(daemon.pid)) - cpuBefore) / eventsPerRound };
}

test(`${eventsPerRound} alerts to one webhook`, async ({ task }) => {
  await round();
  const measured: Measured[] = [];
  for (let at = 0; at < rounds; at += 1) measured.push(await round());
  report(task, {
    ...{ what: "alerts delivered to one webhook, one message each", unit: "messages/s", compare: "absolute" },
    homesec: measured.map(({ perSecond }) => perSecond),
    limit: { atLeast: 300 },
  });
  report(task, {
    ...{ what: "processor time of the daemon per event, from its score to the accepted message", unit: "ms", compare: "absolute" },
    homesec: measured.map(({ cpuMs }) => cpuMs),
    limit: { atMost: 5 },
  });
}, 1_200_000);
