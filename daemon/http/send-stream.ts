import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Request, Response } from "express";
import type { StreamedBytes } from "../../src/contract/answer.ts";

/** An asker who takes nothing for so long is cut off: a snapshot of the database waits for him. */
const stallMs = 60_000;

/**
 * Sends parts as they are made and taken. Resolves when all are out or the asker has gone; the source is ended then. A failure before the first
 * part is thrown while it can still be answered; a later one breaks the answer off.
 */
export async function sendStream(request: Request, response: Response, { mediaType, content, fileName }: StreamedBytes): Promise<void> {
  const parts = content.stream[Symbol.asyncIterator]();
  try {
    const first = request.method === "HEAD" ? undefined : await parts.next();
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Content-Type", mediaType);
    response.setHeader("Content-Disposition", `attachment; filename="${fileName}"`);
    if (first === undefined || first.done) {
      response.end();
      return;
    }
    response.setTimeout(stallMs, () => response.destroy());
    await pipeline(Readable.from(startingWith(first.value, parts)), response);
  } catch (error) {
    // an asker who leaves early is no failure of ours
    if (!isDeparture(error)) throw error;
  } finally {
    await parts.return?.();
  }
}

async function* startingWith<T>(first: T, others: AsyncIterator<T>): AsyncGenerator<T> {
  yield first;
  for (let next = await others.next(); !next.done; next = await others.next()) yield next.value;
}

function isDeparture(error: unknown): boolean {
  if (error instanceof Error && error.name === "AbortError") return true;
  return error instanceof Error && "code" in error && ["ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_DESTROYED"].includes(String(error.code));
}
