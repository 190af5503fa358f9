import { createSemaphore } from "../../base/async/semaphore.ts";
import { NoAnswer } from "./files.ts";
import { shareAnswers } from "./share-answers.ts";

/*
 * An operation on a share whose server is down holds a thread until the server is back. Node.js has four threads for all file operations,
 * name lookups and picture decoding: four such operations would stop all of them.
 */

const threads = 4;
/** Shares that respond free a thread within milliseconds. */
const slotTimeoutMs = 100;
const checkTimeoutMs = 2_000;
const provenTimeoutMs = 4_000;

class NoSlot extends Error {
  override name = "NoSlot";
}

const slots = createSemaphore({ max: threads - 2, timeout: { ms: slotTimeoutMs, error: () => new NoSlot() } });
/** One more slot, for a share that has just responded, while others hold the first two. */
const provenSlot = createSemaphore({ max: 1, timeout: { ms: provenTimeoutMs, error: () => new NoSlot() } });

/**
 * Runs an operation on a network share once it may hold a thread. All shares together hold at most two threads, and a third one if a check
 * in a separate process shows that the share responds. Rejects as the operation does, and with `NoAnswer` if the share does not respond or
 * all three threads stay busy.
 */
export async function runOnShare<T>(share: string, operation: () => Promise<T>): Promise<T> {
  const release = await takeThread(share);
  try {
    return await operation();
  } finally {
    release();
  }
}

async function takeThread(share: string): Promise<() => void> {
  try {
    return await slots.take();
  } catch (error) {
    if (!(error instanceof NoSlot)) throw error;
  }
  if (!(await shareAnswers(share, checkTimeoutMs))) throw new NoAnswer(share);
  try {
    return await provenSlot.take();
  } catch (error) {
    throw error instanceof NoSlot ? new NoAnswer(share) : error;
  }
}
