import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { timed } from "../support/timed.ts";
import { languageModelStandIn, type StandIn, verdictText } from "../support/upstream.ts";

let database: TestDatabase;
let model: StandIn;
let daemons: TestDaemon[];
/** Times of the requests to the language model, by `performance.now()`. */
let asked: number[];
beforeEach(async () => {
  asked = [];
  daemons = [];
  const answer = () => {
    asked.push(performance.now());
    return { content: verdictText(42), model: "stand-in" };
  };
  [database, model] = await Promise.all([testDatabase(), languageModelStandIn({ answer })]);
});
afterEach(async () => {
  for (const daemon of daemons.toReversed()) await daemon.stop();
  await Promise.all([model.close(), database.close()]);
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<TestDaemon> {
  const daemon = await testDaemon({ env: { DATABASE_URL: database.url, LANGUAGE_MODEL_URL: model.url, ...env } });
  daemons.push(daemon);
  return daemon;
}

async function post(daemon: TestDaemon, path: string, body: object): Promise<void> {
  const response = await fetch(`${daemon.url}/api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status, await response.text()).toBeLessThan(300);
}

/**
 * Median time in milliseconds, over 9 runs, from requesting the analysis of a new event to the language model's request, at any point
 * between two sweeps.
 */
async function medianWait(daemon: TestDaemon): Promise<number> {
  const waits: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    await sleep(130 * (round % 5));
    const startedAt = performance.now();
    await post(daemon, "events/bulk", { events: [{ camera_id: "yard", started_at: new Date().toISOString() }] });
    await eventually(() => asked.length > round);
    waits.push((asked[round] ?? Number.POSITIVE_INFINITY) - startedAt);
  }
  return waits.toSorted((a, b) => a - b)[4] ?? Number.POSITIVE_INFINITY;
}

describe("waking after a commit", () => {
  it("waking: a job that an operation adds starts without waiting for the sweep", timed, async () => {
    const daemon = await start();
    await post(daemon, "cameras", { name: "Yard" });
    expect(await medianWait(daemon)).toBeLessThan(300);
  });

  it("waking: a job that an operation adds starts in another daemon without waiting for its sweep", timed, async () => {
    const daemon = await start({ ROLES: "api,watch,detect,alert,deliver,maintain" });
    await start({ ROLES: "analyze" });
    await post(daemon, "cameras", { name: "Yard" });
    // each daemon knows the other from its next heartbeat on
    await sleep(1_500);
    expect(await medianWait(daemon)).toBeLessThan(300);
  });

  it("waking: an operation that adds a camera wakes the file watcher and the publisher", timed, async () => {
    const daemon = await start();
    const notes: string[] = [];
    daemon.context.db.onCommitted((note) => notes.push(note));
    await post(daemon, "cameras", { name: "Yard" });
    expect(notes).toEqual(["watcher", "journal"]);
  });
});
