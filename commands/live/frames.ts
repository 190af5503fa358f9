/** At most so often something new is drawn. */
const leastMs = 100;
/** A key is answered sooner. */
const leastAfterKeyMs = 30;
/** Drawing takes at most one part in so many of the time, however large the screen and however much happens. */
const share = 14;
const shareAfterKey = 3;
/** A frame that took longer had to wait for something else. */
const mostMs = 150;

/** When frames are drawn: what happens between two of them is drawn at once. */
export interface Frames {
  /** Something changed; `urgent` when a person waits for it. */
  request(urgent: boolean): void;
  /** The frame that was asked for is on the screen. */
  drawn(): void;
  stop(): void;
}

/** Calls `draw` for each frame. `now` is a monotonic clock in ms. */
export function createFrames(draw: () => void, now: () => number): Frames {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let begunAt = Number.NEGATIVE_INFINITY;
  let drawing = false;
  let costMs = 0;
  const run = (): void => {
    timer = undefined;
    dueAt = Number.POSITIVE_INFINITY;
    begunAt = now();
    drawing = true;
    draw();
  };
  return {
    request(urgent) {
      const pauseMs = urgent ? Math.max(leastAfterKeyMs, costMs * shareAfterKey) : Math.max(leastMs, costMs * share);
      const at = Math.max(now(), begunAt + pauseMs);
      if (at >= dueAt) return;
      clearTimeout(timer);
      dueAt = at;
      timer = setTimeout(run, at - now());
    },
    drawn() {
      if (drawing) costMs = Math.min(mostMs, now() - begunAt);
      drawing = false;
    },
    stop() {
      clearTimeout(timer);
      dueAt = Number.NEGATIVE_INFINITY;
    },
  };
}
