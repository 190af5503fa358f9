import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Request, Response } from "express";
import type { StreamedBytes } from "../../src/contract/answer.ts";
import { breakOff } from "./break-off.ts";
import { type Pace, watchPace } from "./pace.ts";

/** Cuts off a client that reads nothing for this long, because the answer holds a database snapshot open. */
const stallMs = 60_000;
/** Cuts off a client that reads less than this per minute. Even a bad mobile connection is faster. */
const leastBytes = 1024 * 1024;
const paceMs = 60_000;

/**
 * Streams parts as they are produced and read. Resolves when all are sent or the client has disconnected, and closes the source. Throws if
 * the first part fails, so that the error can still be answered. A later failure aborts the answer.
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
    const cut = (): void => breakOff(request, response);
    response.setTimeout(stallMs, cut);
    const pace = watchPace({ everyMs: paceMs, leastBytes, onSlow: cut });
    try {
      await pipeline(Readable.from(startingWith(first.value, parts, pace, cut)), response);
    } finally {
      pace.end();
    }
  } catch (error) {
    // A client that disconnects early is not an error.
    if (!isDeparture(error)) throw error;
  } finally {
    await parts.return?.();
  }
}

async function* startingWith(
  first: Uint8Array,
  others: AsyncIterator<Uint8Array>,
  pace: Pace,
  cut: () => void,
): AsyncGenerator<Uint8Array> {
  yield first;
  pace.took(first.length);
  for (;;) {
    const next = await pace.making(others.next()).catch((error: unknown) => {
      cut();
      throw error;
    });
    if (next.done) return;
    yield next.value;
    pace.took(next.value.length);
  }
}

function isDeparture(error: unknown): boolean {
  if (error instanceof Error && error.name === "AbortError") return true;
  return error instanceof Error && "code" in error && ["ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_DESTROYED"].includes(String(error.code));
}
