/** For tests that measure time: a busy machine may be late once, slow code is late each time. */
export const timed = { retry: 2 };
