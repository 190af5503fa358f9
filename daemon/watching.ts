import { allCameras } from "../src/cameras/cameras-repository.ts";
import { ensureCameraForFolder } from "../src/cameras/registration.ts";
import { clearCameraError, markCameraError } from "../src/cameras/status.ts";
import type { Parts } from "./parts.ts";
import { createFileWatcher, type FileWatcher } from "./workers/file-watcher/file-watcher.ts";

/** Makes the worker that finds the pictures of the cameras. `onPictures` is told of those that got their entries in the ledger. */
export function createWatching(
  { context, metrics, wake }: Parts,
  onPictures: ((cameraId: string, paths: readonly string[]) => void) | undefined,
): FileWatcher {
  const { db, clock, log, config } = context;
  return createFileWatcher({
    db,
    clock,
    log: log.child({ worker: "file_watcher" }),
    cameraRoot: config.cameraRoot,
    extraRoots: config.cameraExtraRoots,
    cameras: async () => (await db.query(allCameras)).map((camera) => ({ ...camera, deleted: camera.deleted_at !== null })),
    ensureCamera: async (folderName) => {
      const { created } = await ensureCameraForFolder(db, folderName, { cameraRoot: config.cameraRoot, now: clock.now() });
      if (created) wake.journal();
    },
    onRegistered: ({ cameraId, paths, watchedMs, added, pending, told }) => {
      metrics.picturesRegistered(cameraId, { added, pending });
      for (const ms of watchedMs) metrics.stageDone("watch", ms / 1_000);
      if (pending > 0) wake.jobs("detect");
      if (told) wake.journal();
      onPictures?.(cameraId, paths);
    },
    onCameraProblem: async (cameraId, reason) => {
      if (await db.transaction((sql) => markCameraError(sql, cameraId, reason, clock.now()))) wake.journal();
    },
    onCameraOk: async (cameraId) => {
      if (await db.transaction((sql) => clearCameraError(sql, cameraId, clock.now()))) wake.journal();
    },
  });
}
