import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { hourMs, minuteMs } from "../../src/base/clock/clock.ts";
import { yardCamera } from "../pipeline/yard-camera.ts";
import { drawFrame, type Frame, frameSize, prepareProps } from "./frames.ts";

// The long form, `DETECTOR_URL=... npm run parked-night`: a night of real pictures through a detector that finds vehicles.
const detectorUrl = process.env["DETECTOR_URL"] ?? "";
const isLong = process.env["PARKED_NIGHT"] === "real" && detectorUrl !== "";
const nightPictures = Number(process.env["PARKED_PICTURES"] ?? 1_000);
const demoPictures = join(import.meta.dirname, "../../demo/pictures");

interface Found {
  readonly detections: readonly {
    readonly class: string;
    readonly confidence: number;
    readonly bbox: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  }[];
}

/** Returns the objects of a picture in shares of it. */
async function detect(picture: Buffer) {
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(picture)], { type: "image/jpeg" }), "frame.jpg");
  const { detections } = (await (await fetch(`${detectorUrl}/detect`, { method: "POST", body: form })).json()) as Found;
  return detections.map(({ class: objectType, confidence, bbox: { x, y, width, height } }) => ({
    objectType,
    confidence,
    box: { x: x / frameSize.width, y: y / frameSize.height, width: width / frameSize.width, height: height / frameSize.height },
  }));
}

describe.skipIf(!isLong)("a night with parked cars, from real pictures", () => {
  it("opens no event for the cars, one for a person, one when the van leaves, and one when it comes back", {
    timeout: 2 * hourMs,
  }, async () => {
    const camera = await yardCamera();
    afterAll(() => camera.close());
    const props = await prepareProps(demoPictures);
    let [at, seed] = [Date.parse("2026-03-01T16:00:00Z"), 0];
    const show = async (count: number, everyMs: number, of: (n: number) => Omit<Frame, "seed">): Promise<readonly string[]> => {
      for (let n = 0; n < count; n += 1) {
        seed += 1;
        at += everyMs;
        await camera.see(at, ...(await detect(await drawFrame(props, { ...of(n), seed }))));
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
    process.stdout.write(`${JSON.stringify({ day: day.length, ...found })}\n`);
    const vehicle = expect.stringMatching(/^(car|truck|bus)$/);
    expect(found).toEqual({ night: [], person: ["person"], between: [], gone: ["left"], back: [vehicle] });
  });
});
