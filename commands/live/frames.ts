/** Shortest time between frames. */
const leastMs = 100;
/** Shortest time between frames after a key. */
const leastAfterKeyMs = 30;
/** Drawing takes at most 1/14 of the time, and 1/3 after a key. */
const share = 14;
const shareAfterKey = 3;
/** Upper limit of the measured drawing time; longer frames waited for something else. */
const mostMs = 150;

/** Schedules frames; all changes between two frames are drawn together. */
export interface Frames {
  /** Requests a frame; `urgent` if the user waits for it. */
  request(urgent: boolean): void;
  /** Reports that the requested frame is on the screen. */
  drawn(): void;
  stop(): void;
}

/** Creates a scheduler that calls `draw` for each frame. `now` is a monotonic clock in ms. */
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
