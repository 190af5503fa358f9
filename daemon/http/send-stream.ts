import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Request, Response } from "express";
import type { StreamedBytes } from "../../src/contract/answer.ts";
import { abortAnswer, isDisconnect } from "./connection.ts";
import { monitorThroughput, type ThroughputMonitor } from "./throughput.ts";

/** Cuts off a client that reads nothing for this long, because the answer holds a database snapshot open. */
const stallTimeoutMs = 60_000;
/** Cuts off a client that reads less than this per minute. Even a bad mobile connection is faster. */
const minBytes = 1024 * 1024;
const intervalMs = 60_000;

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
    const abort = (): void => abortAnswer(request, response);
    response.setTimeout(stallTimeoutMs, abort);
    const monitor = monitorThroughput({ intervalMs, minBytes, onSlow: abort });
    try {
      await pipeline(Readable.from(withFirst(first.value, parts, monitor, abort)), response);
    } finally {
      monitor.end();
    }
  } catch (error) {
    if (!isDisconnect(error)) throw error;
  } finally {
    await parts.return?.();
  }
}

async function* withFirst(
  first: Uint8Array,
  others: AsyncIterator<Uint8Array>,
  monitor: ThroughputMonitor,
  abort: () => void,
): AsyncGenerator<Uint8Array> {
  yield first;
  monitor.read(first.length);
  for (;;) {
    const next = await monitor.producing(others.next()).catch((error: unknown) => {
      abort();
      throw error;
    });
    if (next.done) return;
    yield next.value;
    monitor.read(next.value.length);
  }
}
