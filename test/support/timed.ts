/** For a test that measures time: a machine with other work may be late once, what is slow is late each time. */
export const timed = { retry: 2 };
