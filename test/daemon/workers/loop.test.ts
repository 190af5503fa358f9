import { expect, test } from "vitest";
import { createLoop } from "../../../daemon/workers/loop.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { eventually } from "../../support/eventually.ts";

test("a wake during a round starts another round right after it, and rounds never overlap", async () => {
  let rounds = 0;
  let inside = 0;
  let most = 0;
  const loop = createLoop({
    name: "test",
    critical: false,
    log: silentLog,
    round: async () => {
      inside += 1;
      most = Math.max(most, inside);
      rounds += 1;
      if (rounds === 1) for (let n = 0; n < 5; n += 1) loop.wake();
      await new Promise((resolve) => setTimeout(resolve, 20));
      inside -= 1;
      return 60_000;
    },
  });
  await loop.start();
  await eventually(() => rounds === 2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([rounds, most]).toEqual([2, 1]);
  loop.wake();
  await eventually(() => rounds === 3);
  await loop.stop();
});

test("a failed round is followed by another", async () => {
  let rounds = 0;
  const loop = createLoop({
    name: "test",
    critical: false,
    log: silentLog,
    retryMs: 5,
    round: async () => {
      rounds += 1;
      if (rounds < 4) throw new Error("not yet");
      return 60_000;
    },
  });
  await loop.start();
  await eventually(() => rounds === 4);
  await loop.stop();
  expect(rounds).toBe(4);
});
