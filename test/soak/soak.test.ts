import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { faults, faultsOf } from "./faults.ts";
import { openHome } from "./home.ts";
import { insideReports } from "./measures.ts";
import { type Row, step } from "./step.ts";
import { disagreements, unfinished } from "./truth.ts";
import { heading, lineOf, verdictOf, wordsOf } from "./verdict.ts";

/*
 * Runs the real program for a long time, with a fault in each step. SOAK_MINUTES sets the number of one-minute steps, SOAK_RATE the pictures
 * a second (10, in the short form 4), SOAK_SEED the order of the faults (printed). Without SOAK_MINUTES a short form only checks that nothing is lost. Memory and
 * open files need an hour: six half-hour runs gave slopes of memory between 0.4 and 1.5 MB an hour, each +- 0.3 to 0.5.
 */
const minutes = Number(process.env["SOAK_MINUTES"] ?? 0);
const isLong = minutes > 0;
const rate = Number(process.env["SOAK_RATE"] ?? (isLong ? 10 : 4));
const seed = Number(process.env["SOAK_SEED"] ?? Date.now() % 1_000_000);
const steps = isLong ? minutes : 3;
const time = isLong ? { ms: 60_000, collections: 6 } : { ms: 4_000, collections: 1 };
/**
 * Before the long form measures, each fault happens ten times under three times the load, first slowly enough for every timeout and then
 * quickly: caches and compiled code grow until everything has happened often. Then a few random faults let connections and buffers settle
 * to the usual load.
 */
const warmUp = {
  rounds: [
    { times: 2, ms: 20_000 },
    { times: 8, ms: 5_000 },
  ],
  settlingSteps: 10,
};
const print = (text: string): void => void (isLong && process.stdout.write(text));

test(
  `${isLong ? `${minutes} minutes` : "a while"} at ${rate} pictures per second, fault after fault (SOAK_SEED=${seed}): nothing is lost, nothing grows`,
  async () => {
    const home = await openHome();
    const rows: Row[] = [];
    try {
      const stop = home.upload(rate);
      await sleep(time.ms / 10);
      // The number of files stays about constant, as where old pictures are deleted: each file costs a few bytes.
      let kept = isLong ? Number.POSITIVE_INFINITY : rate;
      const order = faultsOf(seed, isLong ? faults : faults.filter(({ quick }) => quick));
      print(heading);
      if (isLong) {
        const stopMore = home.upload(2 * rate);
        for (const { times, ms } of warmUp.rounds) {
          for (let round = 1; round <= times; round += 1) {
            for (const fault of faults) print(lineOf(await step(home, fault, { ms, collections: 1 }), "warm"));
          }
        }
        await stopMore();
        kept = home.uploaded.length;
        for (let number = 1; number <= warmUp.settlingSteps; number += 1) {
          await home.keepNewest(kept);
          print(lineOf(await step(home, order.next().value, time), "settle"));
        }
        home.daemon.kill("SIGURG");
        home.idle.reset();
      }
      for (let number = 1; number <= steps; number += 1) {
        await home.keepNewest(kept);
        const row = await step(home, order.next().value, time);
        rows.push(row);
        print(lineOf(row, String(number)));
      }
      const lag = insideReports(home.insideFile).at(-1)?.lag;
      if (!lag) throw new Error("the program said nothing about itself");
      const idle = await home.idle.lag();
      await stop();

      const stoppedAt = performance.now();
      for (const name of ["detector", "language_model"]) await home.ask(`POST /api/system/circuit-breakers/${name}/reset`);
      await eventually(async () => (await unfinished(home)) === 0, { timeoutMs: isLong ? 600_000 : 120_000, what: "the end of all work" });
      print(
        `all work was done ${Math.round((performance.now() - stoppedAt) / 1000)} s after the last of ${home.uploaded.length} pictures\n`,
      );
      const verdict = verdictOf(rows, { lag, idle });
      print(wordsOf(verdict));

      expect(await disagreements(home)).toEqual([]);
      expect(home.daemon.output()).not.toMatch(/uncaught|unhandled/i);
      home.daemon.kill("SIGTERM");
      expect((await home.daemon.exit).code).toBe(0);
      if (!isLong) return;
      expect.soft(verdict.moreFiles, "more open files").toBeLessThanOrEqual(2);
      expect.soft(verdict.lag.p99, "delay of the event loop, p99 in ms").toBeLessThan(50);
      // A shorter run cannot tell a slope from the noise of single minutes or the order of faults.
      if (steps >= 60) expect.soft(verdict.memory, "memory, MB an hour").toBeLessThan(1);
    } finally {
      home.daemon.kill("SIGKILL");
      await home.daemon.exit;
      await home.close();
    }
  },
  60_000 * (minutes + 60),
);
