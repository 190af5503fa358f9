import { createSemaphore } from "../../base/async/semaphore.ts";
import { NoAnswer } from "./files.ts";
import { shareAnswers } from "./share-answers.ts";

/*
 * An operation on a share whose server is down holds a thread until the server is back. Node.js has four threads for all file operations,
 * name lookups and picture decoding: four such operations would stop all of them.
 */

const threads = 4;
/** Shares that respond free a thread within milliseconds. */
const soonMs = 100;
const answerMs = 2_000;
const patienceMs = 4_000;

class NoTurn extends Error {
  override name = "NoTurn";
}

const turns = createSemaphore({ max: threads - 2, patience: { ms: soonMs, over: () => new NoTurn() } });
/** One more slot, for a share that has just responded, while others hold the first two. */
const turnOfProven = createSemaphore({ max: 1, patience: { ms: patienceMs, over: () => new NoTurn() } });

/**
 * Runs an operation on a network share once it may hold a thread. All shares together hold at most two threads, and a third one if a check
 * in a separate process shows that the share responds. Rejects as the operation does, and with `NoAnswer` if the share does not respond or
 * all three threads stay busy.
 */
export async function askShare<T>(share: string, question: () => Promise<T>): Promise<T> {
  const leave = await takeThread(share);
  try {
    return await question();
  } finally {
    leave();
  }
}

async function takeThread(share: string): Promise<() => void> {
  try {
    return await turns.take();
  } catch (error) {
    if (!(error instanceof NoTurn)) throw error;
  }
  if (!(await shareAnswers(share, answerMs))) throw new NoAnswer(share);
  try {
    return await turnOfProven.take();
  } catch (error) {
    throw error instanceof NoTurn ? new NoAnswer(share) : error;
  }
}
