import { afterAll, beforeAll, expect, test } from "vitest";
import { type FilledHome, filledHome } from "./daemon.ts";
import { detectionsPerEvent } from "./many-events.ts";
import { report } from "./report.ts";
import { percentile } from "./statistics.ts";

const events = Number(process.env["BENCH_EVENTS"] ?? 1_000_000);
const detections = events * detectionsPerEvent;
const size = `${detections.toLocaleString("en")} detections`;
const rounds = 5;

let home: FilledHome;

beforeAll(async () => {
  home = await filledHome(events, async (db) => {
    // Text that enrichment found rarely.
    await db.query(
      (sql) => sql`
        update detections
        set enrichment = '{"caption": "a zebra at the gate", "has_embedding": false}'
        where detection_id % ${Math.max(100, Math.floor(detections / 100))}::integer = 77
      `,
    );
    await db.query((sql) => sql`vacuum analyze detections`);
  });
});

afterAll(async () => {
  await home?.stop();
});

const yesterday = new Date(Date.now() - 86_400_000).toISOString();
const questions: [what: string, path: string, query: Record<string, string>, times: number, least: number][] = [
  ["the list of detections", "detections", {}, 50, detections],
  ["the list of detections of a class at a camera", "detections", { object_type: "person", camera_id: "camera-0" }, 20, 1],
  ["the list of detections of a day", "detections", { start_date: yesterday }, 20, 1],
  ["a search of detections for a rare word", "detections/search", { q: "zebra" }, 20, 1],
  ["a search of detections for a class", "detections/search", { q: "person" }, 10, Math.floor(detections / 4)],
  ["a search of detections for a class at a camera", "detections/search", { q: "person camera-0" }, 10, 1],
  ["the list of events of a level", "events", { risk_level: "critical" }, 20, 1],
  ["the list of events of a class", "events", { object_type: "person" }, 20, 1],
];

for (const [what, path, query, times, least] of questions)
  test(`${what} is fast with many rows`, async ({ task }) => {
    const url = `${home.daemon.url}/api/${path}?${new URLSearchParams({ ...query, limit: "50" })}`;
    const medians: number[] = [];
    for (let round = -1; round < rounds; round += 1) {
      const tookMs: number[] = [];
      for (let ask = 0; ask < times; ask += 1) {
        const begun = performance.now();
        const body = (await (await fetch(url)).json()) as { readonly pagination: { readonly total: number } };
        tookMs.push(performance.now() - begun);
        expect(body.pagination.total).toBeGreaterThanOrEqual(least);
      }
      // The first round is a warm-up.
      if (round >= 0) medians.push(percentile(tookMs, 50));
    }
    report(task, { what: `${what} at ${size}, p50`, unit: "ms", homesec: medians, compare: "absolute" });
  });
