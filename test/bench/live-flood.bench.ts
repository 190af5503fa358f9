import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, test } from "vitest";
import { flood, floodStandIn } from "../support/live-flood.ts";
import type { LiveStandIn } from "../support/live-stand-in.ts";
import { Tmux, tmuxInstalled } from "../support/tmux.ts";
import { processorMs, residentMb } from "./process-cost.ts";
import { report } from "./report.ts";

const program = join(import.meta.dirname, "../../dist/bin/homesec.js");
const perSecond = 200;
const rounds = 5;
const roundMs = 4_000;
const sizes = [
  [80, 24],
  [120, 40],
  [300, 100],
] as const;

let daemon: LiveStandIn;
beforeAll(async () => {
  daemon = await floodStandIn();
});
afterAll(() => daemon?.stop());

for (const [columns, rows] of sizes) {
  test.skipIf(!tmuxInstalled)(`the live view in ${columns} x ${rows} (needs tmux)`, async ({ task }) => {
    const terminal = await Tmux.open(columns, rows, { HOMESEC_URL: daemon.url, COLORTERM: "truecolor" });
    let stop = (): void => {};
    try {
      await terminal.run(`'${process.execPath}' '${program}' live`);
      await terminal.shows("● connected");
      const pid = await terminal.childPid();
      stop = flood(daemon, perSecond);
      await sleep(3_000);
      const shares: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const [before, startedAt] = [await processorMs(pid), performance.now()];
        await sleep(roundMs);
        shares.push(((await processorMs(pid)) - before) / (performance.now() - startedAt));
      }
      const what = `\`homesec live\` in ${columns} x ${rows}, ${perSecond} messages a second`;
      report(task, {
        what: `${what}, of a core`,
        unit: "%",
        homesec: shares.map((share) => share * 100),
        compare: "absolute",
        limit: { atMost: 20 },
      });
      report(task, { what: `${what}, memory`, unit: "MB", homesec: [await residentMb(pid)], compare: "absolute" });
    } finally {
      stop();
      await terminal.close();
    }
  });
}
