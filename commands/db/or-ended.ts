import { exitCodes } from "../exit-codes.ts";
import type { ProgressLine } from "../output/progress.ts";

/** Does something that ends in order when it is interrupted: then with the exit code for that. */
export async function orEnded(signal: AbortSignal, progress: ProgressLine, work: () => Promise<number>): Promise<number> {
  try {
    signal.throwIfAborted();
    return await work();
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted;
    throw error;
  } finally {
    progress.clear();
  }
}
