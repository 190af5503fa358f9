import { setTimeout as pauseFor } from "node:timers/promises";

/** Waits so long, or returns early when the signal fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pauseFor(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A sleep that another part can end early. One sleeps at a time. */
export interface Rest {
  /** Sleeps so long, or until `end`. */
  sleep(ms: number): Promise<void>;
  /** Ends the sleep under way, if there is one. */
  end(): void;
}

/** Makes one. */
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
