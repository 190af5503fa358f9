import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FilledHome, filledHome } from "./daemon.ts";
import { detectionsPerEvent } from "./many-events.ts";
import { report } from "./report.ts";
import { percentile } from "./statistics.ts";

const events = Number(process.env["BENCH_EVENTS"] ?? 1_000_000);
const rounds = 5;
const requests = 100;
const questions = [
  "detection-trends",
  "risk-history",
  "camera-uptime",
  "object-distribution",
  "risk-score-distribution",
  "risk-score-trends",
];

let home: FilledHome;

beforeAll(async () => {
  home = await filledHome(events);
});

afterAll(async () => {
  await home?.stop();
});

const dayText = (at: number) => new Date(at).toISOString().slice(0, 10);
const year = `start_date=${dayText(Date.now() - 364 * 86_400_000)}&end_date=${dayText(Date.now())}`;

/** Invalidates every cached answer of the home.daemon. */
async function changeSomething(): Promise<void> {
  await home.database.db.transaction(async (sql) => {
    await sql`
      insert into detections (camera_id, file_path, detected_at, object_type, confidence)
      values ('camera-0', '/cameras/camera-0/new.jpg', now(), 'person', 0.9)
    `;
    await sql`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level)
      values ('camera-0', now(), now(), 50, 'medium')
    `;
  });
}

/** Milliseconds of each request for a question. */
async function ask(question: string, before: () => Promise<void>): Promise<readonly number[]> {
  const took: number[] = [];
  for (let n = 0; n < requests; n += 1) {
    await before();
    const begun = performance.now();
    const answer = await fetch(`${home.daemon.url}/api/analytics/${question}?${year}`);
    await answer.arrayBuffer();
    took.push(performance.now() - begun);
    expect(answer.status).toBe(200);
  }
  return took;
}

async function roundTrips(): Promise<readonly number[]> {
  const took: number[] = [];
  for (let n = 0; n < requests; n += 1) {
    const begun = performance.now();
    await home.database.db.query((sql) => sql`select 1`);
    took.push(performance.now() - begun);
  }
  return took;
}

test("analytics: a year is fast with many rows", async ({ task }) => {
  const worst = { changed: [] as number[], unchanged: [] as number[] };
  const baseline: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const changed: number[] = [];
    const unchanged: number[] = [];
    for (const question of questions) {
      changed.push(percentile(await ask(question, changeSomething), 99));
      unchanged.push(percentile(await ask(question, async () => {}), 99));
    }
    const trip = percentile(await roundTrips(), 99);
    // The first round is a warm-up.
    if (round < 0) continue;
    worst.changed.push(Math.max(...changed));
    worst.unchanged.push(Math.max(...unchanged));
    baseline.push(trip);
  }
  const size = `365 days, ${events.toLocaleString("en")} events, ${(events * detectionsPerEvent).toLocaleString("en")} detections`;
  const row = {
    unit: "ms",
    baseline: { what: "p99 of `select 1` over a connection that is open", values: baseline },
    compare: "absolute" as const,
  };
  report(task, {
    what: `\`GET /api/analytics/*\` over ${size}, p99 of the slowest of the six, data changed before each request`,
    ...row,
    homesec: worst.changed,
    limit: { atMost: 20 },
  });
  report(task, { what: "the same six requests without a change in between, p99 of the slowest", ...row, homesec: worst.unchanged });
});

test("metrics: the time of a scrape does not depend on the number of rows", async ({ task }) => {
  const scrapes: number[] = [];
  const baseline: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const took: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      // The database's answer is cached for a second.
      await sleep(1_100);
      await changeSomething();
      const begun = performance.now();
      const answer = await fetch(`${home.daemon.url}/metrics`);
      const text = await answer.text();
      took.push(performance.now() - begun);
      expect(text).toMatch(new RegExp(`homesec_stored_items{kind="detections"} \\d{${String(events * detectionsPerEvent).length},}`));
    }
    const trip = percentile(await roundTrips(), 99);
    if (round < 0) continue;
    scrapes.push(percentile(took, 99));
    baseline.push(trip);
  }
  report(task, {
    what: `\`GET /metrics\` with ${(events * detectionsPerEvent).toLocaleString("en")} detections, slowest of ten, a second apart`,
    unit: "ms",
    baseline: { what: "p99 of `select 1` over a connection that is open", values: baseline },
    compare: "absolute",
    homesec: scrapes,
    limit: { atMost: 100 },
  });
});
