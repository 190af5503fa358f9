import { setTimeout } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { startWorld, type World } from "./world.ts";

/** The effects of the re-identification settings in a whole daemon. */

let world: World;
afterEach(() => world.stop());

const entities = async (): Promise<readonly { readonly detection_count: number }[]> =>
  (await world.get<{ items: { detection_count: number }[] }>("/api/entities")).items;

/** Detections of all entities. */
const seen = async (): Promise<number> => (await entities()).reduce((sum, { detection_count: count }) => sum + count, 0);

/** Uploads pictures one by one, each after the previous one was processed. */
async function see(pictures: number): Promise<void> {
  for (let n = 1; n <= pictures; n += 1) {
    await world.upload("yard", n);
    await world.enrichment(n);
  }
}

// the cosine similarity of the two is 0.8
const alike = (_: unknown, count: number) => ({ embedding: count % 2 === 1 ? [1, 0] : [0.8, 0.6] });

test.each([
  ["0.75", 1],
  ["0.85", 2],
])("vectors that agree to 0.8 are, with REID_SIMILARITY_THRESHOLD=%s, those of %i", async (threshold, people) => {
  world = await startWorld({ env: { REID_SIMILARITY_THRESHOLD: threshold }, embedder: { answer: alike } });
  await see(2);
  expect(await entities()).toHaveLength(people);
});

test("reid: a person last seen before REID_TTL_HOURS becomes a new entity", async () => {
  let offsetMs = 0;
  const clock = { now: () => new Date(Date.now() + offsetMs), monotonic: systemClock.monotonic };
  world = await startWorld({ env: { REID_TTL_HOURS: "2" }, clock });
  const times = [
    { hours: 0, people: 1 },
    { hours: 1.5, people: 1 },
    { hours: 4, people: 2 },
  ];
  for (const [before, { hours, people }] of times.entries()) {
    offsetMs = hours * 3_600_000;
    await world.upload("yard");
    await eventually(async () => (await seen()) === before + 1);
    expect(await entities()).toHaveLength(people);
  }
});

test("reid: an embedder slower than REID_TIMEOUT_SECONDS costs only the entity", async () => {
  world = await startWorld({ env: { REID_TIMEOUT_SECONDS: "0.3" }, embedder: { delayMs: 2_000 } });
  await world.upload("yard");
  const found = await world.enrichment(1);
  expect(found).toMatchObject({ has_embedding: false, services: { vision: "completed", embedder: "failed", enrichment: "completed" } });
  expect(found.errors).toEqual([expect.stringMatching(/^embedder: no complete answer within 300 ms$/)]);
});

test("reid: at most REID_MAX_CONCURRENT embedder calls run at a time", async () => {
  let now = 0;
  let most = 0;
  const answer = async (): Promise<object> => {
    now += 1;
    most = Math.max(most, now);
    await setTimeout(300);
    now -= 1;
    return { embedding: [1, 0] };
  };
  world = await startWorld({ env: { REID_MAX_CONCURRENT: "2" }, embedder: { answer } });
  for (let n = 0; n < 8; n += 1) await world.upload("yard", n);
  await eventually(async () => (await seen()) === 8);
  expect(most).toBe(2);
});
