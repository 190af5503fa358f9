import { rootsOf } from "../../src/monitoring/cameras/roots.ts";
import { pulledName } from "../../src/monitoring/pulls/pulled-name.ts";
import { mostPulledBytes } from "../../src/monitoring/pulls/pulled-picture.ts";
import { readKnownCameras } from "../../src/monitoring/receivers/logins-repository.ts";
import { type DeliveryCamera, type KnownCamera, takerOf } from "../../src/monitoring/receivers/taker.ts";
import type { WorkerContext } from "../pipeline/worker-context.ts";
import type { Loop } from "../workers/loop.ts";
import { createInbox } from "./inbox.ts";
import { createPuller } from "./pull/puller.ts";

/**
 * Creates the worker that fetches pictures from cameras. A kept picture goes into the camera's folder. In a folder that cameras share, it
 * gets a name that assigns it to its camera.
 */
export function createPulling({ context }: WorkerContext): Loop {
  const { db, clock, config, sealer } = context;
  let cameras: readonly KnownCamera[] = [];
  const refusalOf = (pull: DeliveryCamera, path: string): string | undefined => {
    const taking = takerOf(cameras, pull, path);
    if ("cameraId" in taking && taking.cameraId === pull.cameraId) return undefined;
    const taker = "cameraId" in taking ? `camera ${taking.cameraId}` : "no camera";
    return `Pictures of ${pull.cameraName} would be those of ${taker} by the file patterns of its folder; give it another pattern or folder`;
  };
  const inbox = createInbox({ roots: rootsOf(config), mostBytes: mostPulledBytes, refusalOf });
  return createPuller({
    ...{ db, clock, sealer, log: context.log.child({ part: "pull" }) },
    keep: async (pull, { bytes, at, ending }) => {
      // While the database is away, the last known cameras count
      cameras = await db.query(readKnownCameras).catch(() => cameras);
      const filePattern = cameras.find(({ cameraId }) => cameraId === pull.cameraId)?.filePattern ?? null;
      const upload = await inbox.begin(pull);
      try {
        await upload.write(bytes);
        const { folders, name } = pulledName(filePattern, at, ending);
        await upload.finish(name, folders);
      } catch (error) {
        await upload.discard();
        throw error;
      }
    },
  });
}
