/** What only so many may do at a time; the others wait, first come, first served. */
export interface Places {
  /** Does it as soon as there is a place, and resolves or rejects as it does. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Makes room for `most` at a time. */
export function createPlaces(most: number): Places {
  const waiting: (() => void)[] = [];
  let free = most;

  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };

  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        const begin = (): void => {
          work().then(resolve, reject).finally(leave);
        };
        if (free === 0) {
          waiting.push(begin);
          return;
        }
        free -= 1;
        begin();
      }),
  };
}
