/** A statement that returns its rows in portions. */
interface Portioned<Rows> {
  cursor(size: number, take: (rows: Rows) => Promise<unknown>): PromiseLike<unknown>;
}

/** Portions that may wait: the server prepares the next one while the caller processes the current one. */
const maxWaiting = 2;

/**
 * Yields the rows of a statement in portions of `size`, one portion ahead of the caller. `closing` is the connection in whose transaction
 * the statement runs: its `CLOSE` value ends the cursor, also when the caller stops early. The driver's own iterator keeps all portions
 * in memory until the last one, 60 MB for a long reply; this one keeps none.
 */
export async function* cursorBatches<Rows>(
  closing: object,
  statement: Portioned<Rows>,
  size: number,
): AsyncGenerator<Rows, void, undefined> {
  const arrived: Rows[] = [];
  let outcome: { readonly error?: unknown } | undefined;
  let wake = (): void => {};
  let release = (_answer?: unknown): void => {};
  let left = false;
  const { CLOSE: close } = closing as { readonly CLOSE?: unknown };
  const running = statement
    .cursor(size, async (rows) => {
      if (left) return close;
      arrived.push(rows);
      wake();
      if (arrived.length < maxWaiting) return undefined;
      return await new Promise((resolve) => {
        release = resolve;
      });
    })
    .then(
      () => {
        outcome = {};
        wake();
      },
      (error: unknown) => {
        outcome = { error };
        wake();
      },
    );
  try {
    for (;;) {
      if (arrived.length === 0 && !outcome) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const rows = arrived.shift();
      if (rows === undefined) break;
      release();
      yield rows;
    }
    if (outcome && "error" in outcome) throw outcome.error;
  } finally {
    left = true;
    release(close);
    await running;
  }
}
