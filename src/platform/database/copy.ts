import type { Readable, Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import type { SqlFragment } from "./database.ts";

/**
 * Yields the output of a `copy ... to stdout` statement as it arrives: chunks of one or more rows, or parts of one, only slightly ahead of
 * the reader. If the reader stops early, this function calls `cancel`, which must cancel the statement from another connection, so that
 * the rest of a long table is not sent.
 */
export async function* copyOut(statement: SqlFragment, cancel: () => Promise<unknown>): AsyncGenerator<Buffer, void, undefined> {
  const rows = (await (statement as unknown as Streaming).readable()) as Readable;
  let over = false;
  try {
    // A destroyed stream would leave the connection paused forever
    for await (const chunk of rows.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
    over = true;
  } catch (error) {
    over = true;
    throw error;
  } finally {
    if (!over) await discard(rows, cancel);
    // The driver pauses the connection when rows arrive too fast, and does not resume it if those were the last
    rows._read(0);
  }
}

/** Sends chunks as the rows of a `copy ... from stdin` statement. Rejects with the server's error, and with the reason of the signal. */
export async function copyIn(statement: SqlFragment, chunks: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<void> {
  const query = statement as unknown as Streaming;
  const rows = (await query.writable()) as Writable;
  // If the server refuses a row after the last one was sent, the driver only rejects the statement, which has already resolved. Without
  // this line the stream would never end
  query.reject = (error) => void rows.destroy(error);
  await pipeline(chunks, rows, signal ? { signal } : {});
}

interface Streaming {
  readable(): PromiseLike<unknown>;
  writable(): PromiseLike<unknown>;
  /** Internal to the driver, called when the statement fails. */
  reject: (error: Error) => void;
}

async function discard(rows: Readable, cancel: () => Promise<unknown>): Promise<void> {
  const ended = finished(rows).catch(() => {
    // The cancelled statement's error
  });
  // Without a listener, a flowing stream sometimes stalls while the driver has paused the connection
  rows.on("data", () => {});
  await cancel();
  await ended;
}
