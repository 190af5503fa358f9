import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { processorMs } from "../../bench/process-cost.ts";
import { flood, floodStandIn } from "../../support/live-flood.ts";
import type { LiveStandIn } from "../../support/live-stand-in.ts";
import { Tmux, tmuxInstalled } from "../../support/tmux.ts";
import { event } from "./sample.ts";

const program = join(import.meta.dirname, "../../../dist/bin/homesec.js");

let daemon: LiveStandIn;
beforeAll(async () => {
  daemon = await floodStandIn();
});
afterAll(() => daemon.stop());

// test/bench/live-flood.bench.ts measures the cost; this test only checks its order of magnitude
test.skipIf(!tmuxInstalled)("live view: shows all of 200 messages a second with little load (needs tmux)", async () => {
  const terminal = await Tmux.open(120, 40, { HOMESEC_URL: daemon.url });
  try {
    await terminal.run(`'${process.execPath}' '${program}' live`);
    await terminal.shows("● connected");
    const pid = await terminal.childPid();
    const stop = flood(daemon, 200);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const [before, startedAt] = [await processorMs(pid), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const share = ((await processorMs(pid)) - before) / (performance.now() - startedAt);
    // keys still work during the flood
    await terminal.keys(":", "help", "Enter");
    await terminal.shows("mark the event as reviewed");
    await terminal.keys("Escape");
    stop();
    const last = event(999_999, { started_at: new Date(Date.now() + 60_000), summary: "The last of all" });
    daemon.tell({ type: "event", data: last });
    await terminal.shows("The last of all");
    expect(share).toBeLessThan(0.6);
    await terminal.keys("q");
  } finally {
    await terminal.close();
  }
});
