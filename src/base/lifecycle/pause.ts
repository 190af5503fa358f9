/** Waits for a time; returns early when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
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
