import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Builtin, startBuiltin } from "../../daemon/builtin/spawn.ts";
import { hourMs, minuteMs, systemClock } from "../../src/base/clock/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { Breaker } from "../../src/monitoring/upstream/breaker.ts";
import { createDetector, type Detector } from "../../src/monitoring/upstream/detector.ts";
import { type YardCamera, yardCamera } from "../pipeline/yard-camera.ts";
import { drawFrame, type Frame, frameSize, prepareProps } from "./frames.ts";

// The long form, `npm run parked-night`: a night of real pictures through the built-in detector, or the one at DETECTOR_URL.
const isLong = process.env["PARKED_NIGHT"] === "real";
const detectorUrl = process.env["DETECTOR_URL"];
const nightPictures = Number(process.env["PARKED_PICTURES"] ?? 1_000);
const demoPictures = join(import.meta.dirname, "../../demo/pictures");

describe.skipIf(!isLong)("a night with parked cars, from real pictures", () => {
  let builtin: Builtin | undefined;
  let detector: Detector;
  let camera: YardCamera;
  beforeAll(async () => {
    camera = await yardCamera();
    if (detectorUrl === undefined) builtin = startBuiltin("detector", { log: silentLog });
    await builtin?.ready;
    const breaker = new Breaker("detector", { clock: systemClock });
    detector = createDetector({ url: detectorUrl ?? builtin?.url() ?? "", breaker, clock: systemClock, log: silentLog });
  });
  afterAll(async () => {
    await detector.close();
    await builtin?.stop();
    await camera.close();
  });

  /** Returns the objects of a picture in shares of it. */
  async function detect(picture: Buffer) {
    const result = await detector.detect({ bytes: picture, fileName: "frame.jpg", mediaType: "image/jpeg" });
    if (result.kind !== "detected") throw new Error(`${result.kind}: ${result.detail}`);
    return result.detections.flatMap(({ objectType, confidence, box }) => {
      if (!box) return [];
      const { x, y, width, height } = box;
      const shares = { x: x / frameSize.width, y: y / frameSize.height, width: width / frameSize.width, height: height / frameSize.height };
      return [{ objectType, confidence, box: shares }];
    });
  }

  it("opens no event for the cars, one for a person, one when the van leaves, and one when it comes back", {
    timeout: 2 * hourMs,
  }, async () => {
    const props = await prepareProps(demoPictures);
    const vehiclesFound: Record<number, number> = {};
    let [at, seed] = [Date.parse("2026-03-01T16:00:00Z"), 0];
    const show = async (count: number, everyMs: number, of: (n: number) => Omit<Frame, "seed">): Promise<readonly string[]> => {
      for (let n = 0; n < count; n += 1) {
        seed += 1;
        at += everyMs;
        const objects = await detect(await drawFrame(props, { ...of(n), seed }));
        const vehicles = objects.filter(({ objectType }) => ["car", "truck", "bus"].includes(objectType)).length;
        vehiclesFound[vehicles] = (vehiclesFound[vehicles] ?? 0) + 1;
        await camera.see(at, ...objects);
      }
      const events = await camera.newEvents();
      return events.map(({ object_types, summary }) => (summary.includes(" left ") ? "left" : object_types.join("+")));
    };
    const day = await show(25, 2 * minuteMs, () => ({ isNight: false, hasVan: true }));
    const found = {
      night: await show(nightPictures, 40_000, () => ({ isNight: true, hasVan: true })),
      person: await show(8, 2_000, (n) => ({ isNight: true, hasVan: true, personAt: n / 8 })),
      between: await show(3, 2 * minuteMs, () => ({ isNight: true, hasVan: true })),
      gone: await show(40, minuteMs, () => ({ isNight: true, hasVan: false })),
      back: await show(60, minuteMs, () => ({ isNight: true, hasVan: true })),
    };
    process.stdout.write(`${JSON.stringify({ day: day.length, ...found, vehiclesFound })}\n`);
    const vehicle = expect.stringMatching(/^(car|truck|bus)$/);
    // A person that the detector sees where no one is says nothing about the parked cars: the line above shows it.
    const { night, back, ...others } = found;
    const vehicles = [night, back].map((events) => events.filter((classes) => classes !== "person"));
    expect({ ...others, vehicles }).toEqual({ person: ["person"], between: [], gone: ["left"], vehicles: [[], [vehicle]] });
  });
});
