import { readFile } from "node:fs/promises";
import { basename, dirname, parse } from "node:path";
import { notFound, Problem } from "../../contract/problem.ts";
import type { DetectionSource } from "../../monitoring/detections/detection.ts";
import { findSource } from "../../monitoring/detections/detections-repository.ts";
import { storedThumbnail } from "../../monitoring/detections/operations.ts";
import type { ZipEntry } from "../../platform/archive/zip.ts";
import { readWithTimeout } from "../../platform/disk/fs-timeout.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import { blockSizeFor, createBlockHasher, hashesOf } from "./blocks.ts";
import type { EvidenceDetection } from "./evidence-repository.ts";
import type { MissingFile, PackedFile, Recorded } from "./manifest.ts";
import { openOriginal } from "./originals.ts";

/** The files of a pack that were already packed, and those that could not be. */
export interface Contents {
  readonly files: PackedFile[];
  readonly missing: MissingFile[];
}

/** Yields the originals and the thumbnails of an event, one picture after the other. Notes what is missing, with the reason. */
export async function* pictureEntries(
  all: readonly EvidenceDetection[],
  contents: Contents,
  context: OperationContext,
): AsyncGenerator<ZipEntry> {
  let number = 0;
  for (const detections of byFile(all)) {
    const sources = await sourcesOf(detections, context);
    const packed = new Set<string>();
    for (const [at, { detection, source }] of sources.entries()) {
      // A video with private zones leaves the home as one frame per time, everything else as one file
      const frame = source && source.privateParts.length > 0 ? String(source.videoOffsetSeconds) : "";
      if (!packed.has(frame)) {
        packed.add(frame);
        number += 1;
        yield* original({ detection, source, number }, contents, context);
      }
      yield* thumbnail({ detection, source, number, place: at + 1 }, contents, context);
    }
  }
}

interface Piece {
  readonly detection: EvidenceDetection;
  /** Undefined if the detection was deleted meanwhile. */
  readonly source: DetectionSource | undefined;
  /** Number of its picture in the pack. */
  readonly number: number;
}

function byFile(detections: readonly EvidenceDetection[]): readonly (readonly EvidenceDetection[])[] {
  const files = new Map<string, EvidenceDetection[]>();
  for (const detection of detections) {
    const key = `${detection.imageId} ${detection.filePath}`;
    files.set(key, [...(files.get(key) ?? []), detection]);
  }
  return [...files.values()];
}

async function sourcesOf(detections: readonly EvidenceDetection[], { db }: OperationContext) {
  const found: { detection: EvidenceDetection; source: DetectionSource | undefined }[] = [];
  for (const detection of detections) found.push({ detection, source: await db.query((sql) => findSource(sql, detection.id)) });
  return found;
}

async function* original({ detection, source, number }: Piece, contents: Contents, context: OperationContext): AsyncGenerator<ZipEntry> {
  const recorded = recordedOf(detection);
  const opened = await orMissing("original", recorded, contents, context, async () =>
    openOriginal(required(source, detection), context.config, context.caller?.gone),
  );
  if (!opened) return;
  const { size, extension, altered } = opened;
  const name = packedName("originals", number, detection.filePath, extension);
  const hasher = createBlockHasher(blockSizeFor(size));
  const parts = async function* () {
    for await (const part of opened.parts()) {
      hasher.add(part);
      yield part;
    }
  };
  try {
    yield { name, parts: parts(), isPlain: true };
  } finally {
    await opened.close();
  }
  const hashes = hasher.finish();
  const isAsRecorded = altered === undefined && hashes.sha256 === recorded.sha256;
  contents.files.push({ name, ...hashes, recorded, is_as_recorded: isAsRecorded, ...(altered !== undefined && { altered }) });
}

async function* thumbnail(
  { detection, source, number, place }: Piece & { readonly place: number },
  contents: Contents,
  context: OperationContext,
): AsyncGenerator<ZipEntry> {
  const recorded = recordedOf(detection);
  const bytes = await orMissing("thumbnail", recorded, contents, context, async () => {
    const { content } = await storedThumbnail(context, required(source, detection));
    return "buffer" in content ? content.buffer : await readWithTimeout(dirname(content.file), () => readFile(content.file));
  });
  if (!bytes) return;
  const name = packedName("thumbnails", number, detection.filePath, `-${place}-${detection.objectType.replaceAll(/\W/g, "_")}.jpg`);
  contents.files.push({ name, ...hashesOf(bytes), recorded });
  yield { name, parts: [bytes], isPlain: true };
}

function required(source: DetectionSource | undefined, { id }: EvidenceDetection): DetectionSource {
  if (!source) throw notFound("Detection", id);
  return source;
}

async function orMissing<T>(
  what: MissingFile["what"],
  recorded: Recorded,
  { missing }: Contents,
  { clock }: OperationContext,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (!(error instanceof Problem) && !isGone) throw error;
    missing.push({ what, reason: (error as Error).message, noticed_at: clock.now().toISOString(), recorded });
    return undefined;
  }
}

function recordedOf({ imageId, filePath, takenAt, foundAt, capturedAt, sizeBytes, sha256 }: EvidenceDetection): Recorded {
  const text = (time: Date | null): string | null => time?.toISOString() ?? null;
  return {
    ...{ image_id: imageId, path: filePath, taken_at: text(takenAt), found_at: text(foundAt), captured_at: text(capturedAt) },
    ...{ size: sizeBytes, sha256 },
  };
}

/** The name of a picture in the pack: its number, and the name of its file with harmless characters. */
function packedName(folder: "originals" | "thumbnails", number: number, path: string, ending: string): string {
  const stem = parse(basename(path))
    .name.replaceAll(/[^A-Za-z0-9._-]/g, "_")
    .slice(0, 80);
  return `${folder}/${String(number).padStart(4, "0")}-${stem}${ending}`;
}
