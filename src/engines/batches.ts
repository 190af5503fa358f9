import type postgres from "postgres";
import type { Sql } from "./database.ts";

/** A statement whose rows can be had some at a time. */
interface Portioned<Rows> {
  cursor(size: number, take: (rows: Rows) => Promise<unknown>): PromiseLike<unknown>;
}

/** Batches that may wait: while one is worked on, the server gets the next one ready. */
const mostWaiting = 2;

/**
 * The rows of a statement, `size` at a time, as they are asked for, and one batch ahead. Leaving early closes the cursor. In a transaction, for
 * `Database.iterate`. The driver has an iterator of its own, but there old batches keep newer ones from being freed: a long answer needs 60 MB
 * with it, and none with this.
 */
export async function* batchesOf<Rows>(sql: Sql, statement: Portioned<Rows>, size: number): AsyncGenerator<Rows, void, undefined> {
  const arrived: Rows[] = [];
  let outcome: { readonly error?: unknown } | undefined;
  let wake = (): void => {};
  let release = (_answer?: unknown): void => {};
  let left = false;
  const { CLOSE: close } = sql as unknown as postgres.Sql;
  const running = statement
    .cursor(size, async (rows) => {
      if (left) return close;
      arrived.push(rows);
      wake();
      if (arrived.length < mostWaiting) return undefined;
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
