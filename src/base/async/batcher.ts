import { setImmediate as nextTurn } from "node:timers/promises";
import { createRest } from "../lifecycle/pause.ts";

/** Work on single things that is done for several at once: each statement and each commit is paid once for all that wait. */
export interface Batcher<I, O> {
  /** Does it for one thing, together with the others that came meanwhile. */
  add(item: I): Promise<O>;
}

interface Waiter<I, O> {
  readonly item: I;
  readonly resolve: (outcome: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Groups what is asked for in one turn of the event loop, or while `work` is under way, `most` at a time. `work` answers
 * in the order given, and has to take effect for all or for none: a group that fails is done again one by one, so that
 * nobody fails for another's fault.
 */
export function createBatcher<I, O>(options: {
  readonly most: number;
  /** From one group to the next, unless it is full: under load each gathers so long, and what comes after a pause does not wait. */
  readonly everyMs?: number;
  readonly work: (items: readonly I[]) => Promise<readonly O[]>;
}): Batcher<I, O> {
  let waiting: Waiter<I, O>[] = [];
  let working = false;
  const { everyMs = 0 } = options;
  let begunAt = Number.NEGATIVE_INFINITY;
  /** Before the next group. */
  const rest = createRest();

  const doGroup = async (group: readonly Waiter<I, O>[]): Promise<void> => {
    try {
      const outcomes = await options.work(group.map(({ item }) => item));
      for (const [at, waiter] of group.entries()) waiter.resolve(outcomes[at] as O);
    } catch (error) {
      if (group.length === 1) group[0]?.reject(error);
      else for (const waiter of group) await doGroup([waiter]);
    }
  };

  const run = async (): Promise<void> => {
    working = true;
    // who comes in the same turn of the event loop is taken along
    await nextTurn();
    while (waiting.length > 0) {
      const restMs = begunAt + everyMs - performance.now();
      if (restMs > 0 && waiting.length < options.most) await rest.sleep(restMs);
      begunAt = performance.now();
      const group = waiting.slice(0, options.most);
      waiting = waiting.slice(options.most);
      await doGroup(group);
    }
    working = false;
  };

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (waiting.length >= options.most) rest.end();
        if (!working) void run();
      }),
  };
}
