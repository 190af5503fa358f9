/** A home has a dozen cameras. Whoever has more than this gets sums: each value of a label is a time series of its own. */
const mostCameras = 100;

/** The label of a camera: its id, or `other` for those beyond the first hundred. */
export type CameraLabels = (cameraId: string) => string;

/** Makes the labels of one daemon's cameras: who comes first keeps its own. */
export function createCameraLabels(): CameraLabels {
  const known = new Set<string>();
  return (cameraId) => {
    if (known.size < mostCameras) known.add(cameraId);
    return known.has(cameraId) ? cameraId : "other";
  };
}
