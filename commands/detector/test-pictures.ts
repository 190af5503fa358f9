import { readFile, writeFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { silentLog } from "../../src/base/log/log.ts";
import { pluralize } from "../../src/base/text/format.ts";
import { Problem } from "../../src/contract/problem.ts";
import { labelOf } from "../../src/monitoring/detections/overlay.ts";
import { drawMarks } from "../../src/monitoring/detections/thumbnail.ts";
import { sizeOf } from "../../src/monitoring/images/picture.ts";
import { Breaker } from "../../src/monitoring/upstream/breaker.ts";
import { createDetector, type Detected, type Detector } from "../../src/monitoring/upstream/detector.ts";
import type { Io } from "../io.ts";
import type { RowView } from "../output/view.ts";

/** An object that the detector found in a picture; the box is in pixels, null without one. */
interface FoundObject {
  readonly file: string;
  readonly object_type: string;
  readonly confidence: number;
  readonly x: number | null;
  readonly y: number | null;
  readonly width: number | null;
  readonly height: number | null;
}

const fields = ["file", "object_type", "confidence", "x", "y", "width", "height"] as const;

export const objectView: RowView<FoundObject> = {
  plural: "objects",
  fields: () => fields,
  id: ({ file }) => file,
  columns: [
    { title: "FILE", cell: ({ file }) => ({ text: file }) },
    { title: "CLASS", keep: true, cell: ({ object_type }) => ({ text: object_type, paint: "bold" }) },
    { title: "CONFIDENCE", align: "right", keep: true, cell: ({ confidence }) => ({ text: `${Math.round(confidence * 100)} %` }) },
    { title: "BOX", cell: ({ x, y, width, height }) => ({ text: x === null ? "-" : `${width} x ${height} at ${x}, ${y}` }) },
  ],
};

/** Sends files to the detector, one after the other. Notes the time of each, and the reason for each that fails. */
export async function testPictures(
  io: Io,
  files: readonly string[],
  draw: string | undefined,
): Promise<{ readonly objects: readonly FoundObject[]; readonly failed: number }> {
  const { clock, cwd } = io.host;
  const url = await detectorUrl(io);
  const detector = createDetector({ url, breaker: new Breaker("detector", { clock }), clock, log: silentLog });
  const objects: FoundObject[] = [];
  let failed = 0;
  try {
    for (const file of files) {
      const bytes = await readPicture(resolve(cwd, file), file);
      const startedAt = clock.monotonic();
      const found = await detectPicture(io, detector, file, bytes);
      if (found) noteTime(io, file, found, clock.monotonic() - startedAt);
      if (!found) failed += 1;
      objects.push(...(found?.detections ?? []).map(({ objectType, confidence, box }) => objectOf(file, objectType, confidence, box)));
      if (found && draw !== undefined) {
        const marks = found.detections.map((each) => ({ box: each.box ?? null, label: labelOf(each) }));
        await writeFile(resolve(cwd, draw), await drawMarks(bytes, marks));
        io.output.note(`drawn into ${draw}`);
      }
    }
  } finally {
    await detector.close();
  }
  return { objects, failed };
}

/** Sends a picture to a detector. Notes the reason and returns undefined if it is not processed. */
export async function detectPicture(io: Io, detector: Detector, file: string, bytes: Buffer): Promise<Detected | undefined> {
  const picture = { bytes, fileName: basename(file), mediaType: mediaTypeOf(bytes), size: await sizeOf(bytes) };
  const result = await detector.detect(picture, io.host.signal);
  if (result.kind === "detected") return result;
  io.output.note(`${file}: not processed: ${result.detail}`);
  return undefined;
}

function noteTime(io: Io, file: string, { detections, inferenceMs }: Detected, tookMs: number): void {
  const own = inferenceMs === null ? "" : ` (${Math.round(inferenceMs)} ms in the detector)`;
  io.output.note(`${file}: ${pluralize(detections.length, "object")} in ${Math.round(tookMs)} ms${own}`);
}

/** The address of the daemon's detector. Throws `Problem("invalid")` if this machine cannot reach it. */
export async function detectorUrl(io: Io): Promise<string> {
  const { ai_services: services } = await io.call("getFullHealth", {});
  const service = services.find(({ name }) => name === "detector");
  if (service?.note != null && service.url) io.output.note(`the first of several detectors: ${service.url} (${service.note})`);
  if (!service?.url) throw new Problem("invalid", `the detector is unavailable: ${service?.error ?? "it has not started"}; try again`);
  return service.url;
}

/** Reads a picture of this machine; `file` is how the error names it. Throws `Problem("invalid")` if it cannot be read. */
export async function readPicture(path: string, file: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new Problem("invalid", `${file} cannot be read (${(cause as NodeJS.ErrnoException).code}); give the path of a picture`, {
      cause,
    });
  }
}

function mediaTypeOf(bytes: Buffer): string {
  if (bytes.subarray(0, 4).toString("latin1") === "\u0089PNG") return "image/png";
  return bytes.subarray(8, 12).toString("latin1") === "WEBP" ? "image/webp" : "image/jpeg";
}

function objectOf(file: string, type: string, confidence: number, box: Detected["detections"][number]["box"]): FoundObject {
  const { x = null, y = null, width = null, height = null } = box ?? {};
  return { file, object_type: type, confidence, x, y, width, height };
}
