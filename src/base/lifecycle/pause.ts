import { setTimeout as pauseFor } from "node:timers/promises";

/** Waits for a time; returns early when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pauseFor(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A sleep that other code can end early; only one caller sleeps at a time. */
export interface Rest {
  /** Sleeps for a time, or until `end` is called. */
  sleep(ms: number): Promise<void>;
  /** Ends the current sleep, if there is one. */
  end(): void;
}

/** Creates a sleep that can be ended. */
export function createRest(): Rest {
  let end = (): void => {};
  return {
    sleep: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    end: () => end(),
  };
}
