/** Long work that may pause at each `yield`. */
export type Steps<T> = Generator<void, T, void>;

/** How long work may keep the event loop, in milliseconds. */
const sliceMs = 5;
/** Longest rest between two slices. */
const restMs = 10;
/** A turn of the event loop that takes less time has found nothing to do. */
const quietMs = 0.3;

/** Runs all steps at once, for callers that have nothing else to do, such as commands. */
export function runAtOnce<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/**
 * Runs steps in slices of a few milliseconds and lets other work run in between, so that a long calculation does not delay every other
 * client. Rejects with what the steps throw, and with the reason of the signal if it aborts between two slices.
 */
export async function runInSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  for (let until = performance.now() + sliceMs; ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < until) continue;
    await rest();
    signal?.throwIfAborted();
    until = performance.now() + sliceMs;
  }
}

/**
 * Lets the event loop turn until it finds nothing to do, or for twice as long as a slice: each turn accepts a single connection, so with one
 * turn between two slices, a new client would wait for a slice per connection before its own.
 */
async function rest(): Promise<void> {
  let before = performance.now();
  for (const until = before + restMs; ; ) {
    // A resolved promise would not let the event loop turn.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    const now = performance.now();
    if (now - before < quietMs || now >= until) return;
    before = now;
  }
}
