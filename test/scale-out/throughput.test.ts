import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { redisInstalled } from "../support/redis.ts";
import { type Home, type Member, newCamera, openHome, stagesDone } from "./home.ts";

/** Latency of a detector on a small graphics card or a good processor. */
const detectorMs = 100;
const long = process.env["SCALE_OUT"] === "all";

/** Processor time that a daemon has used, in seconds. */
async function cpuSeconds({ url }: Member): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1] ?? Number.NaN);
}

describe.skipIf(!redisInstalled || !long)(
  `pictures per second with a detector of ${detectorMs} ms, one picture at a time for each daemon`,
  () => {
    let home: Home | undefined;
    afterEach(() => home?.close());

    test.each([1, 2, 4])(
      "%i daemons detect",
      async (count) => {
        home = await openHome({ detectorMs, env: { DETECT_CONCURRENCY: "1" } });
        const names = Array.from({ length: count }, (_, index) => `detector-${index}`);
        const total = 100 * count;
        const main = await home.start("main", "api,watch,analyze,alert,deliver,maintain");
        const camera = newCamera();
        for (let index = 0; index < total; index += 1) {
          await renameIn(join(home.cameraRoot, `${camera}-${index % 8}`, `${index}.jpg`), await uniqueJpeg(index));
        }
        const detectors = await Promise.all(names.map((name) => (home as Home).start(name, "detect")));
        const { detector } = home;
        // Excludes the start, when not all daemons are there, and the end, when not all have work.
        const reached = async (share: number): Promise<readonly [number, number]> => {
          await eventually(() => detector.answered >= share * total, { timeoutMs: 120_000, what: `${share * 100} % of the pictures` });
          return [detector.answered, performance.now()];
        };
        const [firstCount, firstAt] = await reached(0.2);
        const cpuBefore = await Promise.all([main, ...detectors].map(cpuSeconds));
        const [lastCount, lastAt] = await reached(0.9);
        const cpuAfter = await Promise.all([main, ...detectors].map(cpuSeconds));
        const perSecond = ((lastCount - firstCount) * 1_000) / (lastAt - firstAt);
        const costs = cpuAfter.map((seconds, index) => ((seconds - (cpuBefore[index] ?? 0)) * 1_000) / (lastCount - firstCount));
        await eventually(() => detector.answered >= total, { timeoutMs: 60_000 });
        const [stored] = await home.database.db.query(
          (sql) => sql<[{ bytes: number }]>`
        select sum(pg_relation_size(c.oid) + pg_indexes_size(c.oid)) as bytes from pg_class c where c.relname in ('images', 'detections', 'journal', 'jobs')`,
        );
        const shares = await Promise.all(detectors.map((member) => stagesDone(member, "detect")));
        process.stdout.write(
          `${count} x detect: ${perSecond.toFixed(1)} pictures/s of ${(count * 1_000) / detectorMs} that the detector could do, ` +
            `processor time per picture ${costs[0]?.toFixed(1)} ms for the daemon that finds them and ${costs
              .slice(1)
              .reduce((sum, cost) => sum + cost, 0)
              .toFixed(1)} ms for those that detect, ` +
            `shared ${shares.join(" : ")}, ${Math.round(Number(stored.bytes) / total)} bytes of rows and indexes for a picture with one person; load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores\n`,
        );
        expect(shares.reduce((sum, share) => sum + share)).toBeGreaterThanOrEqual(total - count);
        expect(detector.requests).toBe(total);
      },
      180_000,
    );
  },
);
