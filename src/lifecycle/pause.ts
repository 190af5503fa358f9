import { setTimeout } from "node:timers/promises";

/** Waits so long, or returns early when the signal fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
