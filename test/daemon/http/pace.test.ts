import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type Pace, watchPace } from "../../../daemon/http/pace.ts";
import { timed } from "../../support/timed.ts";

let cuts = 0;
let pace: Pace;
const watched = () => {
  cuts = 0;
  pace = watchPace({ everyMs: 200, leastBytes: 100, onSlow: () => (cuts += 1) });
};
afterEach(() => pace.end());

test("who takes a little now and then is cut off, and who takes enough is not", timed, async () => {
  watched();
  for (let n = 0; n < 12; n += 1) {
    pace.took(60);
    await sleep(50);
  }
  expect(cuts).toBe(0);
  for (let n = 0; n < 8; n += 1) {
    pace.took(10);
    await sleep(50);
  }
  expect(cuts).toBeGreaterThan(0);
});

test("what is still being made is not his fault, nor is anything after the end", timed, async () => {
  watched();
  await pace.making(sleep(650));
  expect(cuts).toBe(0);
  pace.end();
  await sleep(450);
  expect(cuts).toBe(0);
});
