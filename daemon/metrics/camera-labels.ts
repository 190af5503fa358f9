/** A home has a dozen cameras. Beyond this number cameras share a sum: each label value is a separate time series. */
const mostCameras = 100;

/** The label of a camera: its id, or `other` beyond the first hundred. */
export type CameraLabels = (cameraId: string) => string;

/** Creates the camera labels of one daemon: first come, first served. */
export function createCameraLabels(): CameraLabels {
  const known = new Set<string>();
  return (cameraId) => {
    if (known.size < mostCameras) known.add(cameraId);
    return known.has(cameraId) ? cameraId : "other";
  };
}
