import { createSemaphore } from "../../base/async/semaphore.ts";
import { NoAnswer } from "./no-answer.ts";
import { shareAnswers } from "./share-answers.ts";

/*
 * A question to a share whose server is away holds a thread until the server is back. This process has four of them, for all files, for names
 * of the network and for pictures that are decoded: four such questions would end all of its work.
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
/** One more slot, for shares that have just responded while others hold the first slots. */
const turnOfProven = createSemaphore({ max: 1, patience: { ms: patienceMs, over: () => new NoTurn() } });

/**
 * Runs an operation on a network share when it may hold a thread: all shares together hold at most all threads but one, and all but two
 * unless they have just responded in a separate process. Rejects as the operation does, and with `NoAnswer` if the share does not respond
 * or all threads for shares are held.
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
