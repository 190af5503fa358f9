import { allCameras } from "../../src/monitoring/cameras/cameras-repository.ts";
import { ensureCameraForFolder } from "../../src/monitoring/cameras/registration.ts";
import { ownFoldersOf } from "../../src/monitoring/cameras/reserved-folder.ts";
import { resolveInside, rootsOf } from "../../src/monitoring/cameras/roots.ts";
import { clearCameraError, markCameraError } from "../../src/monitoring/cameras/status.ts";
import { isInside } from "../../src/platform/disk/files.ts";
import type { Peers } from "../cluster/peers.ts";
import { FileWatcher } from "../file-watcher/file-watcher.ts";
import type { WorkerContext } from "./worker-context.ts";

/** Creates the worker that finds the pictures of the cameras. `onPictures` receives pictures once they are in the ledger. */
export function createWatching(
  { context, metrics, peers, fresh }: WorkerContext,
  onPictures: ((cameraId: string, paths: readonly string[]) => void) | undefined,
): FileWatcher {
  const { db, clock, log, config } = context;
  const detects = config.roles.includes("detect");
  return new FileWatcher({
    db,
    clock,
    log: log.child({ worker: "file_watcher" }),
    cameraRoot: config.cameraRoot,
    extraRoots: config.cameraExtraRoots,
    ownFolders: ownFoldersOf(config),
    cameras: async () =>
      (await camerasToWatch(await db.query(allCameras), rootsOf(config), peers)).map((camera) => ({
        ...camera,
        deleted: camera.deleted_at !== null,
      })),
    ensureCamera: async (folderName) => {
      await ensureCameraForFolder(db, folderName, { cameraRoot: config.cameraRoot, now: clock.now() });
    },
    detects,
    // without a detector here, no stage would read the contents
    ...(detects && { fresh }),
    onRegistered: ({ cameraId, paths, watchedMs, added, pending }) => {
      metrics.picturesRegistered(cameraId, { added, pending });
      for (const ms of watchedMs) metrics.stageDone("watch", ms / 1_000);
      onPictures?.(cameraId, paths);
    },
    onCameraProblem: async (cameraId, reason) => {
      await db.transaction((sql) => markCameraError(sql, cameraId, reason, clock.now()));
    },
    onCameraOk: async (cameraId) => {
      await db.transaction((sql) => clearCameraError(sql, cameraId, clock.now()));
    },
  });
}

/**
 * Returns the cameras that a daemon with these roots watches: all cameras below its roots, and those below no daemon's roots, so that
 * someone reports that they cannot be watched. It leaves out the cameras of other daemons, and those that a daemon still to start may have.
 */
export async function camerasToWatch<C extends { readonly folder_path: string }>(
  cameras: readonly C[],
  roots: readonly string[],
  peers: Pick<Peers, "watchedElsewhere" | "areComplete">,
): Promise<readonly C[]> {
  const isOurs = await Promise.all(
    cameras.map(
      async ({ folder_path: folder }) =>
        roots.some((root) => isInside(root, folder)) ||
        (await resolveInside(roots, folder)).state !== "outside" ||
        (peers.areComplete() && !peers.watchedElsewhere(folder)),
    ),
  );
  return cameras.filter((_, index) => isOurs[index]);
}
