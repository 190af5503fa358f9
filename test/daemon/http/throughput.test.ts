import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { monitorThroughput, type ThroughputMonitor } from "../../../daemon/http/throughput.ts";
import { timed } from "../../support/timed.ts";

let cuts = 0;
let monitor: ThroughputMonitor;
const watched = () => {
  cuts = 0;
  monitor = monitorThroughput({ intervalMs: 200, minBytes: 100, onSlow: () => (cuts += 1) });
};
afterEach(() => monitor.end());

test("throughput: a client that reads too little is cut off, and one that reads enough is not", timed, async () => {
  watched();
  for (let n = 0; n < 12; n += 1) {
    monitor.read(60);
    await sleep(50);
  }
  expect(cuts).toBe(0);
  for (let n = 0; n < 8; n += 1) {
    monitor.read(10);
    await sleep(50);
  }
  expect(cuts).toBeGreaterThan(0);
});

test("throughput: time for producing the answer does not count, nor does anything after the end", timed, async () => {
  watched();
  await monitor.producing(sleep(650));
  expect(cuts).toBe(0);
  monitor.end();
  await sleep(450);
  expect(cuts).toBe(0);
});
