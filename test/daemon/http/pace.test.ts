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

test("pace: a client that reads too little is cut off, and one that reads enough is not", timed, async () => {
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

test("pace: time for producing the answer does not count, nor does anything after the end", timed, async () => {
  watched();
  await pace.making(sleep(650));
  expect(cuts).toBe(0);
  pace.end();
  await sleep(450);
  expect(cuts).toBe(0);
});
