import { silentLog } from "../../src/base/log/log.ts";
import { pluralize } from "../../src/base/text/format.ts";
import type { ClientReply } from "../../src/contract/client.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import { outgoing } from "../../src/monitoring/images/outgoing.ts";
import { Breaker } from "../../src/monitoring/upstream/breaker.ts";
import { confident, currentDetector, matchObjects } from "../../src/monitoring/upstream/compare-detectors.ts";
import { createDetector, type Detected, type Detector } from "../../src/monitoring/upstream/detector.ts";
import { literalOf } from "../../src/monitoring/zones/zone.ts";
import { detectorAddress } from "../../src/platform/config/detector-address.ts";
import type { Io } from "../io.ts";
import type { RowView } from "../output/view.ts";
import { detectorUrl, detectPicture, readPicture } from "./test-pictures.ts";

type Image = ClientReply<Routes["listImages"]>["items"][number];
type Seen = Detected["detections"][number];

/** What both detectors found of one class, and what only one of them found. */
export interface ClassCount {
  readonly object_type: string;
  readonly both: number;
  readonly only_a: number;
  readonly only_b: number;
}

/** A picture in which the detectors differ. */
interface Difference {
  readonly image_id: number;
  readonly camera_id: string;
  readonly only_a: readonly string[];
  readonly only_b: readonly string[];
}

/** One detector of a comparison: its address, the time of its answers, and how many pictures it did not process. */
interface Side {
  readonly detector: string;
  readonly median_ms: number | null;
  readonly not_processed: number;
}

export interface Comparison {
  readonly pictures: number;
  /** Pictures whose file cannot be read any more. */
  readonly gone: number;
  readonly a: Side;
  readonly b: Side;
  readonly classes: readonly ClassCount[];
  readonly differences: readonly Difference[];
}

export const differenceView: RowView<Difference> = {
  plural: "pictures with a difference",
  fields: () => ["image_id", "camera_id", "only_a", "only_b"],
  id: ({ image_id: id }) => String(id),
  columns: [
    { title: "PICTURE", keep: true, cell: ({ image_id: id }) => ({ text: String(id) }) },
    { title: "CAMERA", cell: ({ camera_id: id }) => ({ text: id }) },
    { title: "ONLY A", keep: true, cell: ({ only_a: objects }) => ({ text: objects.join(", ") || "-" }) },
    { title: "ONLY B", keep: true, cell: ({ only_b: objects }) => ({ text: objects.join(", ") || "-" }) },
  ],
};

export interface CompareOptions {
  readonly a: string;
  readonly b: string;
  /** Number of pictures, newest first. */
  readonly last: number;
  readonly cameraIds?: readonly string[];
  /** Objects below it do not count, 0 to 1. */
  readonly confidence: number;
}

/**
 * Sends the newest stored pictures to two detectors, one after the other. Throws `Problem("invalid")` for an address that is none, and if
 * none of the pictures can be read on this machine.
 */
export async function compareDetectors(io: Io, options: CompareOptions): Promise<Comparison> {
  const { last, cameraIds, confidence } = options;
  const [a, b] = [await openSide(io, options.a), await openSide(io, options.b)];
  const counts = new Map<string, { both: number; only_a: number; only_b: number }>();
  const differences: Difference[] = [];
  try {
    const images = await newestPictures(io, last, cameraIds);
    const privateParts = await privatePartsByCamera(io);
    let unreadable: unknown;
    let gone = 0;
    for (const image of images) {
      const sent = await readPicture(image.path, image.path)
        .then((bytes) => outgoing({ bytes, mediaType: image.media_type ?? "image/jpeg" }, privateParts.get(image.camera_id) ?? []))
        .catch((error: unknown) => {
          unreadable = error;
          gone += 1;
        });
      if (!sent) continue;
      const { bytes } = sent;
      const [foundA, foundB] = [await a.look(image, bytes), await b.look(image, bytes)];
      if (!foundA || !foundB) continue;
      const matched = matchObjects(confident(foundA.detections, confidence), confident(foundB.detections, confidence));
      for (const side of ["both", "only_a", "only_b"] as const)
        for (const { objectType } of matched[side]) {
          const count = counts.get(objectType) ?? { both: 0, only_a: 0, only_b: 0 };
          count[side] += 1;
          counts.set(objectType, count);
        }
      const [only_a, only_b] = [matched.only_a.map(labelOf), matched.only_b.map(labelOf)];
      if (only_a.length + only_b.length > 0) differences.push({ image_id: image.id, camera_id: image.camera_id, only_a, only_b });
    }
    if (gone > 0 && gone === images.length) throw unreadable;
    const classes = [...counts].map(([object_type, count]) => ({ object_type, ...count }));
    return { pictures: images.length - gone, gone, a: a.result(), b: b.result(), classes, differences };
  } finally {
    await Promise.all([a.close(), b.close()]);
  }
}

/** Prints the totals of a comparison, as notes. */
export function noteTotals({ pictures, gone, a, b, classes }: Comparison, note: (line: string) => void): void {
  for (const [name, side] of Object.entries({ A: a, B: b })) {
    const pace = side.median_ms === null ? "" : `, ${side.median_ms} ms per picture (median)`;
    const missing = side.not_processed === 0 ? "" : `; did not process ${pluralize(side.not_processed, "picture")}`;
    note(`${name}: ${side.detector}${pace}${missing}`);
  }
  note(`${pluralize(pictures, "picture")} compared${gone === 0 ? "" : `; the files of ${gone} others cannot be read`}`);
  for (const { object_type: type, both, only_a: onlyA, only_b: onlyB } of classes)
    note(`${type}: both ${both}, only A ${onlyA}, only B ${onlyB}`);
}

const labelOf = ({ objectType, confidence }: Seen): string => `${objectType} ${Math.round(confidence * 100)} %`;

async function newestPictures(io: Io, last: number, cameraIds?: readonly string[]): Promise<readonly Image[]> {
  const images: Image[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: Math.min(last, 1_000), status: ["processed" as const], ...(cameraIds && { camera_id: [...cameraIds] }) };
    const page = await io.call("listImages", { query: { ...query, ...(cursor !== undefined && { cursor }) } });
    images.push(...page.items.filter(({ media_type: type }) => type?.startsWith("image/")));
    cursor = page.pagination.next_cursor ?? undefined;
  } while (images.length < last && cursor !== undefined);
  return images.slice(0, last);
}

/** The private zones of each camera that has some: no detector of a comparison sees them. */
async function privatePartsByCamera(io: Io): Promise<ReadonlyMap<string, string[]>> {
  const { zones } = await io.call("listAllZones", {});
  const parts = new Map<string, string[]>();
  for (const { camera_id: id, points, private: isPrivate } of zones) {
    if (isPrivate) parts.set(id, [...(parts.get(id) ?? []), literalOf(points)]);
  }
  return parts;
}

/** A detector of a comparison, with the times of its answers. */
interface OpenSide {
  look(image: Image, bytes: Buffer): Promise<Detected | undefined>;
  result(): Side;
  close(): Promise<void>;
}

async function openSide(io: Io, given: string): Promise<OpenSide> {
  if (given !== currentDetector && !isAddress(given))
    throw new Problem("invalid", `${given} is no address; give one such as http://192.168.1.5:32168, or ${currentDetector}`);
  const url = given === currentDetector ? await detectorUrl(io) : given;
  const { clock } = io.host;
  const detector: Detector = createDetector({ url, breaker: new Breaker("detector", { clock }), clock, log: silentLog });
  const times: number[] = [];
  let notProcessed = 0;
  return {
    async look(image, bytes) {
      const startedAt = clock.monotonic();
      const found = await detectPicture(io, detector, image.path, bytes);
      if (found) times.push(clock.monotonic() - startedAt);
      else notProcessed += 1;
      return found;
    },
    result: () => ({ detector: given, median_ms: medianOf(times), not_processed: notProcessed }),
    close: () => detector.close(),
  };
}

function isAddress(given: string): boolean {
  return URL.canParse(detectorAddress(given).url) && /^https?:/i.test(detectorAddress(given).url);
}

/** The median in whole milliseconds; null without times. */
function medianOf(times: readonly number[]): number | null {
  const middle = times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];
  return middle === undefined ? null : Math.round(middle);
}
