/** So long a detector may take for a picture, the wait for those before it included; in milliseconds. */
export const detectorReadMs = 30_000;

/** The built-in detector looks at one picture after the other. One waits at hand; more would only be nearer to their end on a slow machine. */
export const mostAtBuiltIn = 2;

/**
 * A model of the user's own may take so long for a picture, in milliseconds: those that wait before it, and one more of a self-test or of
 * `homesec doctor`, must be through in time as well. One that was given up while it was looked at still takes all of its time.
 */
export const slowestPictureMs = detectorReadMs / (mostAtBuiltIn + 1);
