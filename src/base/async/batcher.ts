import { setImmediate as nextTurn } from "node:timers/promises";
import { createRest } from "../lifecycle/pause.ts";

/** Groups single items, so that each statement and each commit serves all items that wait. */
export interface Batcher<I, O> {
  /** Processes one item, together with the others that arrive in the meantime. */
  add(item: I): Promise<O>;
}

interface Waiter<I, O> {
  readonly item: I;
  readonly resolve: (outcome: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Groups the items that arrive in one turn of the event loop, or while `work` runs, at most `maxSize` at a time. `work` returns results in
 * the order of its items and must take effect for all or none: after a failure the items are processed one by one, so that an item fails
 * only through its own fault.
 */
export function createBatcher<I, O>(options: {
  readonly maxSize: number;
  /**
   * Minimum time between two groups, unless a group is full: under load each group collects items for this long, and an item that arrives
   * after a pause does not wait.
   */
  readonly everyMs?: number;
  readonly work: (items: readonly I[]) => Promise<readonly O[]>;
}): Batcher<I, O> {
  let waiting: Waiter<I, O>[] = [];
  let working = false;
  const { everyMs = 0 } = options;
  let begunAt = Number.NEGATIVE_INFINITY;
  /** Pause before the next group. */
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
    // Items that arrive in the same turn of the event loop join the group
    await nextTurn();
    while (waiting.length > 0) {
      const restMs = begunAt + everyMs - performance.now();
      if (restMs > 0 && waiting.length < options.maxSize) await rest.sleep(restMs);
      begunAt = performance.now();
      const group = waiting.slice(0, options.maxSize);
      waiting = waiting.slice(options.maxSize);
      await doGroup(group);
    }
    working = false;
  };

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (waiting.length >= options.maxSize) rest.end();
        if (!working) void run();
      }),
  };
}
