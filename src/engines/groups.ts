/** Work on single things that is done for several at once: each statement and each commit is paid once for all that wait. */
export interface Groups<I, O> {
  /** Does it for one thing, together with the others that came meanwhile. */
  add(item: I): Promise<O>;
}

interface Waiter<I, O> {
  readonly item: I;
  readonly resolve: (outcome: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Groups what is asked for while `work` is under way, `most` at a time; what comes alone is done at once. `work` answers
 * in the order given, and has to take effect for all or for none: a group that fails is done again one by one, so that
 * nobody fails for another's fault.
 */
export function createGroups<I, O>(options: {
  readonly most: number;
  readonly work: (items: readonly I[]) => Promise<readonly O[]>;
}): Groups<I, O> {
  let waiting: Waiter<I, O>[] = [];
  let working = false;

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
    while (waiting.length > 0) {
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
        if (!working) void run();
      }),
  };
}
