import { inPatternOrder, sharerOf } from "../cameras/file-pattern.ts";

/** A camera to whose folder a receiver delivers. */
export interface DeliveryCamera {
  readonly cameraId: string;
  readonly cameraName: string;
  readonly folderPath: string;
}

/** A camera, as it decides about deliveries. */
export interface KnownCamera extends DeliveryCamera {
  /** The files of a shared folder that it takes; null for those that no pattern takes. */
  readonly filePattern: string | null;
  readonly deleted: boolean;
}

/** The camera that gets a delivered file, or why the file is refused. */
export type Taking = { readonly cameraId: string } | { readonly refusal: string };

/**
 * Decides which camera gets a file that is delivered for a camera to `path` below its folder. A camera with a file pattern gets its own
 * files or none: the file is refused if it would go to another camera. One without a pattern delivers for its folder, as a recorder does
 * that writes into it: the patterns of the other cameras assign its files.
 */
export function takerOf(cameras: readonly KnownCamera[], camera: DeliveryCamera, path: string): Taking {
  const { cameraId, cameraName, folderPath } = camera;
  const target = `${folderPath}/${path}`;
  const inner = cameras.find((other) => other.folderPath.startsWith(`${folderPath}/`) && target.startsWith(`${other.folderPath}/`));
  if (inner) {
    return { refusal: `The folder of ${path} belongs to camera ${inner.cameraId}; choose another folder in the camera, or use its login` };
  }
  const sharers = inPatternOrder(
    cameras
      .filter((other) => other.folderPath === folderPath)
      .map((other) => ({ ...other, camera_id: other.cameraId, file_pattern: other.filePattern })),
  );
  const own = sharers.find((sharer) => sharer.cameraId === cameraId);
  if (!own || sharers.every(({ filePattern }) => filePattern === null)) return { cameraId };
  const taker = sharerOf(sharers, path);
  if (taker?.cameraId === cameraId) return { cameraId };
  if (own.filePattern === null && taker && !taker.deleted) return { cameraId: taker.cameraId };
  const fate = taker ? `is one of ${taker.deleted ? "the deleted camera" : "camera"} ${taker.cameraId}` : "fits no camera of the folder";
  const takes = own.filePattern === null ? "takes the files of no pattern" : `takes only ${own.filePattern}`;
  return { refusal: `Camera ${cameraName} ${takes}, and ${path} ${fate}; change the file name in the camera, or the file pattern` };
}
