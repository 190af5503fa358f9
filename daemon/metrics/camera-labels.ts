/** Maximum number of cameras with separate time series. A home has about a dozen. Further cameras share one label value. */
const mostCameras = 100;

/** Returns the label value of a camera: its id, or `other` beyond the first hundred. */
export type CameraLabels = (cameraId: string) => string;

/** Creates the camera labels of one daemon, first come, first served. */
export function createCameraLabels(): CameraLabels {
  const known = new Set<string>();
  return (cameraId) => {
    if (known.size < mostCameras) known.add(cameraId);
    return known.has(cameraId) ? cameraId : "other";
  };
}
