// BENCH_DETECTOR=/folder npm run bench -- detector: the folder has truth-walkway.json, truth-classes.json and pictures/
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, test } from "vitest";
import { openBundledSession, type Session } from "../../daemon/builtin/detector/model/open-session.ts";
import { farFile } from "../../daemon/builtin/detector/ssd/bundled-model.ts";
import { nearFile } from "../../daemon/builtin/detector/ssd/near-part.ts";
import { type Builtin, startBuiltin } from "../../daemon/builtin/spawn.ts";
import { systemClock } from "../../src/base/clock/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { Breaker } from "../../src/monitoring/upstream/breaker.ts";
import { createDetector, type Detector } from "../../src/monitoring/upstream/detector.ts";
import { type Found, type Score, type TruthSet, truthSets } from "./detector-truth.ts";
import { processorMs, residentMb } from "./process-cost.ts";
import { report } from "./report.ts";
import { median } from "./statistics.ts";

const rounds = 5;
const side = 300;
const demo = join(import.meta.dirname, "../../demo/pictures");
const pictures = readdirSync(demo).filter((name) => name.endsWith(".jpg"));
/** Pictures with the truth do not belong to this project. Without them, only time and memory are measured. */
const folder = process.env["BENCH_DETECTOR"];

let builtin: Builtin;
let detector: Detector;
let near: Session;
let far: Session;

beforeAll(async () => {
  builtin = startBuiltin("detector", { log: silentLog });
  await builtin.ready;
  detector = createDetector({
    url: builtin.url(),
    breaker: new Breaker("detector", { clock: systemClock }),
    clock: systemClock,
    log: silentLog,
  });
  near = await openBundledSession(nearFile);
  far = await openBundledSession(farFile);
});

afterAll(async () => {
  await detector?.close();
  await builtin?.stop();
});

async function detect(bytes: Buffer) {
  const result = await detector.detect({ bytes, fileName: "picture.jpg", mediaType: "image/jpeg" });
  if (result.kind !== "detected") throw new Error(`${result.kind}: ${result.detail}`);
  return result;
}

async function find(bytes: Buffer): Promise<readonly Found[]> {
  return (await detect(bytes)).detections.flatMap(({ objectType, box }) =>
    box ? [{ type: objectType, corners: { left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height } }] : [],
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

test("detector: time and memory", async ({ task }) => {
  const files = pictures.map((name) => readFileSync(join(demo, name)));
  const input = new Float32Array(3 * side * side);
  const pass = async () => {
    const [features] = await near.run(input, ["features"]);
    if (features) await far.run(features.data, ["boxes", "scores"], features.dims);
  };
  for (const bytes of [...files, ...files]) {
    await detect(bytes);
    await pass();
  }
  const own: number[] = [];
  const bare: number[] = [];
  const processor: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = await processorMs(builtin.pid() ?? 0);
    const times: number[] = [];
    for (const bytes of files) times.push(await timed(() => detect(bytes)));
    own.push(median(times));
    processor.push(((await processorMs(builtin.pid() ?? 0)) - before) / files.length);
    const passes: number[] = [];
    for (let n = 0; n < files.length; n += 1) passes.push(await timed(pass));
    bare.push(median(passes));
  }
  const baseline = { what: "one pass of the model alone in one thread, without decoding", values: bare };
  report(task, {
    what: "built-in detector, a picture of 768 x 576 with small objects",
    unit: "ms",
    homesec: own,
    baseline,
    compare: "ratio",
    limit: { atMost: 4.5 },
  });
  report(task, { what: "processor time of the detector for such a picture", unit: "ms", homesec: processor, compare: "absolute" });
  const memory = [await residentMb(builtin.pid() ?? 0)];
  report(task, {
    what: "memory of the detector after 70 pictures",
    unit: "MB",
    homesec: memory,
    compare: "absolute",
    limit: { atMost: 220 },
  });
});

/** The sets by day, in grey, and in grey and darkened to a third, as at night. */
const variants: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  "": async (bytes) => bytes,
  " in grey": async (bytes) => await sharp(bytes).greyscale().jpeg({ quality: 90 }).toBuffer(),
  " in grey, dark": async (bytes) =>
    await sharp(bytes)
      .greyscale()
      .linear(1 / 3, 0)
      .jpeg({ quality: 90 })
      .toBuffer(),
};

test.runIf(folder !== undefined && existsSync(folder))("detector: what it finds", { timeout: 600_000 }, async ({ task }) => {
  for (const set of truthSets(folder ?? "")) {
    for (const [how, change] of Object.entries(variants)) {
      const { all, found, wrong } = await scoreOf(set, change);
      const what = `built-in detector, ${set.pictures.length} pictures of the set ${set.name}${how}, ${all} objects`;
      report(task, { what: `${what}: found`, unit: "objects", homesec: [found], compare: "absolute" });
      report(task, { what: `${what}: wrong`, unit: "objects", homesec: [wrong], compare: "absolute" });
    }
  }
});

async function scoreOf({ pictures: all, score }: TruthSet, change: (bytes: Buffer) => Promise<Buffer>): Promise<Score> {
  let sum: Score = { all: 0, found: 0, wrong: 0 };
  for (const picture of all) {
    const one = score(picture, await find(await change(picture.bytes)));
    sum = { all: sum.all + one.all, found: sum.found + one.found, wrong: sum.wrong + one.wrong };
  }
  return sum;
}
