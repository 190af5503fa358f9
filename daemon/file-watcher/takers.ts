import { sharerOf } from "../../src/monitoring/cameras/file-pattern.ts";
import type { PlannedTree } from "./camera-folders.ts";
import type { ListedFile } from "./watched-folder.ts";

/** Identifies a tree: one with another key is started again. */
export function keyOf(tree: PlannedTree): string {
  const sharers = tree.sharers.map(({ camera_id, file_pattern, deleted }) => [camera_id, file_pattern, deleted]);
  return JSON.stringify([tree.path, tree.cameraId, tree.filesOnly, tree.foreign, sharers]);
}

/** Returns the cameras that take files of a tree. */
export function camerasOf({ cameraId, sharers }: PlannedTree): readonly string[] {
  if (sharers.length > 0) return sharers.filter(({ deleted }) => !deleted).map(({ camera_id }) => camera_id);
  return cameraId === undefined ? [] : [cameraId];
}

/** Tells whether a camera, deleted or not, has the folder of a tree. */
export function isOf(plan: PlannedTree, cameraId: string): boolean {
  return plan.cameraId === cameraId || plan.sharers.some(({ camera_id }) => camera_id === cameraId);
}

/** Returns the camera that takes a file of a tree; undefined if none does. A deleted one keeps its files from the others. */
export function takerOf(
  { path, cameraId, sharers }: PlannedTree,
  file: string,
): { readonly cameraId: string; readonly deleted: boolean } | undefined {
  if (sharers.length === 0) return cameraId === undefined ? undefined : { cameraId, deleted: false };
  const sharer = sharerOf(sharers, file.slice(path.length + 1));
  return sharer && { cameraId: sharer.camera_id, deleted: sharer.deleted };
}

/** Groups listed files by the camera that takes them, without those of no camera and of deleted ones. */
export function byTaker(plan: PlannedTree, files: readonly ListedFile[]): ReadonlyMap<string, readonly ListedFile[]> {
  const groups = new Map<string, ListedFile[]>();
  for (const file of files) {
    const taker = takerOf(plan, file.path);
    if (taker?.deleted !== false) continue;
    const own = groups.get(taker.cameraId);
    if (own) own.push(file);
    else groups.set(taker.cameraId, [file]);
  }
  return groups;
}

/** Returns the other cameras that share the folder of a camera. */
export function othersOf(trees: readonly PlannedTree[], cameraId: string): readonly string[] {
  const sharers = trees.find((tree) => isOf(tree, cameraId))?.sharers ?? [];
  return sharers.flatMap(({ camera_id }) => (camera_id === cameraId ? [] : [camera_id]));
}
