import type { Readable, Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import type { SqlFragment } from "./database.ts";

/**
 * What a `copy ... to stdout` statement sends, as it comes: some rows or parts of one at a time, and no more than a little ahead. Whoever leaves
 * early has `cancel` called, which has to cancel the statement from another connection: the rest of a long table is not worth waiting for.
 */
export async function* copyOut(statement: SqlFragment, cancel: () => Promise<unknown>): AsyncGenerator<Buffer, void, undefined> {
  const rows = (await (statement as unknown as Streaming).readable()) as Readable;
  let over = false;
  try {
    // destroyed, the stream would leave the connection paused for ever
    for await (const chunk of rows.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
    over = true;
  } catch (error) {
    over = true;
    throw error;
  } finally {
    if (!over) await discard(rows, cancel);
    // the driver pauses the connection when rows come too fast, and forgets to go on when those were the last
    rows._read(0);
  }
}

/** Sends chunks as the rows of a `copy ... from stdin` statement. Rejects with the server's error, and with the reason of the signal. */
export async function copyIn(statement: SqlFragment, chunks: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<void> {
  const query = statement as unknown as Streaming;
  const rows = (await query.writable()) as Writable;
  // that a row is refused after the last one was sent, the driver tells to the statement alone, which was kept long ago: the stream would never end
  query.reject = (error) => void rows.destroy(error);
  await pipeline(chunks, rows, signal ? { signal } : {});
}

interface Streaming {
  readable(): PromiseLike<unknown>;
  writable(): PromiseLike<unknown>;
  /** The driver's own, called when the statement fails. */
  reject: (error: Error) => void;
}

async function discard(rows: Readable, cancel: () => Promise<unknown>): Promise<void> {
  const ended = finished(rows).catch(() => {
    // the cancelled statement's error
  });
  // a stream that only flows, with nobody who listens, stands still now and then while the driver has paused the connection
  rows.on("data", () => {});
  await cancel();
  await ended;
}
