import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { residentMb } from "../soak/measures.ts";
import { testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn, onePerson } from "../support/upstream.ts";
import { allDone, judge } from "./invariants/invariants.ts";
import { littlePictures } from "./support/little-pictures.ts";
import { report } from "./support/report.ts";
import { lookAt } from "./support/rows.ts";
import { isLong, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";

const backlog = scale("CHAOS_BACKLOG", { short: 400, long: 500_000 });
const kills = scale("CHAOS_BACKLOG_KILLS", { short: 1, long: 10 });
/** Number of files with the same content. */
const alike = 30_000;
const perFolder = 50_000;
const chance = chanceOf("backlog");
const folder = temporaryFolder("backlog");
const cameraRoot = join(folder.path, "cameras");
afterAll(() => folder.remove());

/** Fills camera folders with copies of a few small pictures, since only their number matters. */
async function pileUp(): Promise<void> {
  const numbered = await littlePictures();
  let picture: Buffer = Buffer.alloc(0);
  for (let n = 0; n < backlog; n += 1) {
    const camera = join(cameraRoot, `cam-${Math.floor(n / perFolder)}`);
    if (n % perFolder === 0) mkdirSync(camera, { recursive: true });
    if (n % alike === 0) picture = numbered(n);
    writeFileSync(join(camera, `${n}.jpg`), picture);
  }
}

test.skipIf(!isLong)(
  `chaos: ${backlog} files from before the start and ${kills} kill -9: each file has one outcome, and a live picture goes first`,
  {
    timeout: 7_200_000,
  },
  async () => {
    let live = 0;
    const [database, detector, model] = await Promise.all([
      testDatabase(),
      // The backlog shows no one: this test is about finding and processing pictures.
      detectorStandIn({
        answer: ({ body }) => {
          if (body.length < 10_000) return { detections: [], inference_time_ms: 1, image_width: 64, image_height: 48 };
          live += 1;
          return onePerson();
        },
      }),
      languageModelStandIn(),
    ]);
    await pileUp();
    const env = {
      ...{ DATA_DIR: folder.path, DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
      ...{ BATCH_WINDOW_SECONDS: "3", BATCH_IDLE_TIMEOUT_SECONDS: "1" },
    };
    const rows = { url: database.url };
    const startedAt = performance.now();
    let daemon = await serveHomesec(env);
    const looked = () =>
      lookAt(rows, async (sql) => {
        const [row] = await sql<[{ n: number }]>`select count(*) as n from images i where i.status = 'processed'`;
        return row.n;
      });
    let most = 0;
    const memory = setInterval(() => {
      try {
        most = Math.max(most, residentMb(daemon.pid));
      } catch {
        // It has just been killed.
      }
    }, 500);
    for (let round = 1; round <= kills; round += 1) {
      const enough = (backlog * round) / (kills + 2);
      while ((await looked()) < enough) await sleep(200);
      await renameIn(join(cameraRoot, "cam-0", `live-${round}.jpg`), await uniqueJpeg(round));
      await eventually(() => live >= round, { timeoutMs: 120_000, what: "the detector's look at the live picture" });
      await sleep(chance.between(0, 500));
      daemon.kill("SIGKILL");
      await daemon.exit;
      daemon = await serveHomesec(env);
    }
    await allDone(rows, { cameraRoot, timeoutMs: 3_600_000 });
    clearInterval(memory);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const { violations, figures } = await judge(rows, { cameraRoot });
    expect(violations).toEqual([]);
    expect(figures["pictures"]).toBe(backlog + kills);
    report("backlog", { files: backlog, kills, ...figures, "s in all": seconds, "MB at most": Math.round(most) });
    if (isLong) expect(most, "MB of memory").toBeLessThan(1_000);
    daemon.kill("SIGTERM");
    expect((await daemon.exit).code).toBe(0);
    await Promise.all([detector.close(), model.close()]);
    await database.close();
  },
);
