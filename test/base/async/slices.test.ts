import { expect, it } from "vitest";
import { runAtOnce, runInSlices, type Steps } from "../../../src/base/async/slices.ts";

/** Keeps the processor busy for `count` steps of two milliseconds. */
function* busy(count: number, seen: number[] = []): Steps<number> {
  for (let step = 0; step < count; step += 1) {
    for (const end = performance.now() + 2; performance.now() < end; );
    seen.push(step);
    yield;
  }
  return count;
}

it("slices: other work runs between the slices, and all steps run in order", async () => {
  const seen: number[] = [];
  const work = runInSlices(busy(40, seen));
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  turn();
  expect(await work).toBe(40);
  isDone = true;
  expect(turns).toBeGreaterThan(4);
  expect(seen).toEqual(Array.from({ length: 40 }, (_, step) => step));
});

it("slices: short work ends without waiting for a turn of the event loop", async () => {
  function* short(): Steps<number> {
    yield;
    return 1;
  }
  let isLater = false;
  setImmediate(() => {
    isLater = true;
  });
  await runInSlices(short());
  expect(isLater).toBe(false);
  expect(runAtOnce(busy(1))).toBe(1);
});

it("slices: an aborted signal ends the work between two slices, and what a step throws rejects", async () => {
  const abort = new AbortController();
  const seen: number[] = [];
  const work = runInSlices(busy(1_000, seen), abort.signal);
  setImmediate(() => abort.abort(new Error("the client is gone")));
  await expect(work).rejects.toThrow("the client is gone");
  expect(seen.length).toBeLessThan(500);
  function* failing(): Steps<void> {
    yield* busy(6);
    throw new Error("wrong");
  }
  await expect(runInSlices(failing())).rejects.toThrow("wrong");
});
