import { finished } from "node:stream/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FilledHome, filledHome } from "./daemon.ts";
import { fillEventSearch } from "./many-events.ts";
import { residentMb } from "./process-cost.ts";
import { report } from "./report.ts";
import { percentile } from "./statistics.ts";

const events = Number(process.env["BENCH_EVENTS"] ?? 1_000_000);
const size = `${events.toLocaleString("en")} events`;
const rounds = 5;

let home: FilledHome;

beforeAll(async () => {
  home = await filledHome(events, async (db) => {
    await fillEventSearch(db);
    // A rare word.
    await db.query((sql) => sql`update events set notes = 'a zebra' where event_id % 100000 = 77`);
  });
});

afterAll(async () => {
  await home?.stop();
});

const yesterday = new Date(Date.now() - 86_400_000).toISOString();
const searches: [what: string, query: Record<string, string>, times: number, least: number][] = [
  ["a rare word", { q: "zebra" }, 30, 1],
  ["a word of every event", { q: "person" }, 5, events],
  ["a word of every event, within a day", { q: "person", start_date: yesterday }, 20, 1000],
  ["a phrase of every event", { q: '"from the gate"' }, 5, events],
];

for (const [what, query, times, least] of searches)
  test(`events: a search for ${what} is fast with many events`, async ({ task }) => {
    const url = `${home.daemon.url}/api/events/search?${new URLSearchParams({ ...query, limit: "50" })}`;
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
    report(task, { what: `search for ${what} at ${size}, p50`, unit: "ms", homesec: medians, compare: "absolute" });
  });

/** The same columns in the same order as in an export. */
const exported = `
  select e.event_id, e.camera_id, c.name, e.started_at, e.ended_at, e.risk_score, e.risk_level, e.summary, e.reasoning,
    array_to_string(e.object_types, ', '), e.detection_count, e.reviewed, e.notes, e.analysis_status, e.analyzed_by, e.batch_id, e.created_at
  from events e
  join cameras c on c.camera_id = e.camera_id
  where e.deleted_at is null
  order by e.started_at desc, e.event_id desc
`;

async function copied(): Promise<number> {
  const begun = performance.now();
  await home.database.db.query(async (sql) => {
    const rows = await sql.unsafe(`copy (${exported}) to stdout (format csv)`).readable();
    // A flowing stream without a listener stalls.
    rows.on("data", () => {});
    await finished(rows);
  });
  return performance.now() - begun;
}

/** Runs an export, and returns its duration and the memory that the daemon needed on top. */
async function exportTook(query: string): Promise<{ readonly ms: number; readonly addedMb: number; readonly bytes: number }> {
  const before = await residentMb(home.daemon.pid);
  let most = before;
  let looking = Promise.resolve();
  const look = setInterval(() => {
    looking = residentMb(home.daemon.pid).then((now) => {
      most = Math.max(most, now);
    });
  }, 50);
  const begun = performance.now();
  let bytes = 0;
  const response = await fetch(`${home.daemon.url}/api/events/export?${query}`);
  for await (const part of response.body ?? []) bytes += part.length;
  const ms = performance.now() - begun;
  clearInterval(look);
  await looking;
  return { ms, bytes, addedMb: most - before };
}

test("events: an export is fast and needs little memory", async ({ task }) => {
  const csv: { readonly ms: number; readonly addedMb: number }[] = [];
  const xlsx: { readonly ms: number; readonly addedMb: number }[] = [];
  const baseline: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    baseline.push(await copied());
    const took = await exportTook("format=csv");
    expect(took.bytes).toBeGreaterThan(events * 200);
    csv.push(took);
  }
  for (let round = 0; round < rounds; round += 1) xlsx.push(await exportTook("format=xlsx"));
  const perSecond = (ms: number): number => events / (ms / 1000);
  report(task, {
    what: `CSV export of ${size}`,
    unit: "events/s",
    homesec: csv.map(({ ms }) => perSecond(ms)),
    baseline: { what: "`copy (the same query) to stdout`", values: baseline.map(perSecond) },
    compare: "ratio",
    limit: { atLeast: 0.3 },
  });
  report(task, {
    what: `memory that a CSV export of ${size} adds to the daemon`,
    unit: "MB",
    homesec: csv.map(({ addedMb }) => addedMb),
    compare: "absolute",
    limit: { atMost: 64 },
  });
  report(task, { what: `XLSX export of ${size}`, unit: "events/s", homesec: xlsx.map(({ ms }) => perSecond(ms)), compare: "absolute" });
  report(task, {
    what: `memory that an XLSX export of ${size} adds to the daemon`,
    unit: "MB",
    homesec: xlsx.map(({ addedMb }) => addedMb),
    compare: "absolute",
    limit: { atMost: 64 },
  });
});
