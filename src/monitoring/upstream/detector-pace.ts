/** Time limit for one picture at the detector, including the wait for the pictures before it; in milliseconds. */
export const detectorReadMs = 30_000;

/** The built-in detector processes one picture at a time, and a second one waits. More would only come closer to the time limit on a slow machine. */
export const mostAtBuiltIn = 2;

/**
 * Time limit for one picture with a custom model, in milliseconds. The pictures that wait before it and one more, from a self-test or
 * `homesec doctor`, must finish within `detectorReadMs` too. A cancelled picture still takes its full time.
 */
export const slowestPictureMs = detectorReadMs / (mostAtBuiltIn + 1);
