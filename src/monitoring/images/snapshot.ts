import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Bytes } from "../../contract/answer.ts";
import type { Database } from "../../platform/database/database.ts";
import { statWithTimeout } from "../../platform/disk/fs-timeout.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import { noteSnapshot, type Picture } from "../cameras/snapshots-repository.ts";
import { versionOf } from "./inspect-file.ts";
import { inTurnOf, previewOf, previewWidth } from "./preview.ts";

/** The preview of a camera's last picture. */
interface Kept {
  readonly version: string;
  readonly webp: Buffer;
}

/** Number of cameras whose last preview stays in memory, at about 12 kB each: it is decoded once for all clients. */
const mostKept = 100;
const keptBy = new WeakMap<Database, Map<string, Kept>>();

/**
 * Returns the smaller copy of a camera's newest picture, whose file is at `path`; undefined if it is gone or cannot be decoded. It is
 * immutable if `asked`, the version in the address, is that of this picture.
 */
export async function snapshotPreview(
  { db, caller }: Pick<OperationContext, "db" | "caller">,
  { cameraId, picture, path }: { readonly cameraId: string; readonly picture: Picture; readonly path: string },
  { width, asked }: { readonly width: number; readonly asked: string | undefined },
): Promise<Bytes | undefined> {
  const kept = keptBy.get(db) ?? new Map<string, Kept>();
  keptBy.set(db, kept);
  const last = (): Buffer | undefined => (kept.get(cameraId)?.version === picture.version ? kept.get(cameraId)?.webp : undefined);
  const isSmall = width === previewWidth;
  const reply = (buffer: Buffer, isSame: boolean): Bytes => ({
    mediaType: "image/webp",
    content: { buffer },
    ...(isSame && asked === picture.version && { isImmutable: true }),
  });
  const ready = isSmall ? last() : undefined;
  if (ready) return reply(ready, true);
  return await inTurnOf(caller, async () => {
    const drawn = isSmall ? last() : undefined;
    if (drawn) return reply(drawn, true);
    // A camera may write over its file, which then shows another picture until the ledger has that.
    const isSame = await isUnchanged(path, picture);
    const preview = await previewOf(path, picture.privateParts, width);
    if (!preview) return undefined;
    if (isSmall && isSame) {
      kept.delete(cameraId);
      kept.set(cameraId, { version: picture.version, webp: preview.webp });
      for (const id of [...kept.keys()].slice(0, Math.max(0, kept.size - mostKept))) kept.delete(id);
      await db.query((sql) => noteSnapshot(sql, cameraId, picture, preview.picture.blurHash));
    }
    return reply(preview.webp, isSame);
  });
}

/** Tells whether a file is still the version of the ledger. */
async function isUnchanged(path: string, { sizeBytes, modifiedNs }: Picture): Promise<boolean> {
  const file = await statWithTimeout(dirname(path), () => stat(path, { bigint: true })).catch(() => undefined);
  if (!file) return false;
  const now = versionOf(file);
  return now.sizeBytes === sizeBytes && now.modifiedNs === modifiedNs;
}
