import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLog } from "../../src/base/log/log.ts";
import { countEvents, listEvents } from "../../src/monitoring/events/events-repository.ts";
import type { Sql } from "../../src/platform/database/database.ts";
import { openPool } from "../../src/platform/database/pool.ts";
import { type Child, startChild } from "./child.ts";
import { type FilledHome, filledHome } from "./daemon.ts";
import { detectionsPerEvent } from "./many-events.ts";
import { report } from "./report.ts";
import { percentile } from "./statistics.ts";

const events = Number(process.env["BENCH_EVENTS"] ?? 1_000_000);
const rounds = 5;
const forMs = 4_000;
const connections = 8;
const limit = 50;

interface Load {
  readonly perSecond: number;
  readonly tookMs: readonly number[];
}

let home: FilledHome;
let bare: Child<object, string>;
let bareUrl: string;
let load: Child<object, Load>;

beforeAll(async () => {
  home = await filledHome(events);
  bare = startChild("bare-list-server");
  bareUrl = await bare.ask({ databaseUrl: home.database.url, ...(await statements()) });
  load = startChild("load");
});

afterAll(async () => {
  await Promise.all([load?.stop(), bare?.stop()]);
  await home?.stop();
});

/** The statements of the list as homesec sends them. One extra row tells whether there are more. */
async function statements() {
  const list = (sql: Sql) => listEvents(sql, { filter: {}, after: undefined, offset: 0, limit: limit + 1 });
  return {
    list: { text: await textOf(list), parameters: [limit + 1, 0] },
    count: { text: await textOf((sql) => countEvents(sql, {})), parameters: [] },
  };
}

async function textOf(work: (sql: Sql) => Promise<unknown>): Promise<string> {
  const texts: string[] = [];
  const db = openPool({ url: home.database.url }, { max: 1, log: silentLog, onStatement: (text) => texts.push(text) });
  await db.query(work);
  await db.close();
  const text = texts.at(-1);
  if (text === undefined) throw new Error("no statement was sent");
  return text;
}

async function measure(url: string): Promise<Load> {
  return await load.ask({ url: `${url}/api/events?limit=${limit}`, connections, forMs });
}

test("events: the list is fast with many events", async ({ task }) => {
  const answer = await fetch(`${home.daemon.url}/api/events?limit=${limit}`);
  const { items, pagination } = (await answer.json()) as { items: { detection_ids: number[] }[]; pagination: { total: number } };
  expect(items).toHaveLength(limit);
  expect(items[0]?.detection_ids).toHaveLength(detectionsPerEvent);
  expect(pagination.total).toBe(events);

  const homesec: Load[] = [];
  const baseline: Load[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const figures = { homesec: await measure(home.daemon.url), baseline: await measure(bareUrl) };
    // The first round is a warm-up.
    if (round < 0) continue;
    homesec.push(figures.homesec);
    baseline.push(figures.baseline);
  }
  const size = `${events.toLocaleString("en")} events, ${(events * detectionsPerEvent).toLocaleString("en")} detections`;
  const what = "the same statements over postgres.js in a bare node:http server";
  report(task, {
    what: `\`GET /api/events?limit=${limit}\` at ${size}, throughput with ${connections} connections`,
    unit: "requests/s",
    homesec: homesec.map(({ perSecond }) => perSecond),
    baseline: { what, values: baseline.map(({ perSecond }) => perSecond) },
    compare: "ratio",
    limit: { atLeast: 0.6 },
  });
  report(task, {
    what: `\`GET /api/events?limit=${limit}\` at ${size}, p99`,
    unit: "ms",
    homesec: homesec.map(({ tookMs }) => percentile(tookMs, 99)),
    baseline: { what, values: baseline.map(({ tookMs }) => percentile(tookMs, 99)) },
    compare: "ratio",
  });
});
