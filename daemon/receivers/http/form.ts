import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyHeaders } from "@fastify/busboy";
import { Problem } from "../../../src/contract/problem.ts";

/** Limits of a form. Cameras send a picture or two, and perhaps a part with the cause. */
const limits = { files: 20, fields: 50, fieldSize: 64 * 1024, parts: 70, headerPairs: 50 };

/** Receives a file of a request. */
export type Save = (chunks: AsyncIterable<Uint8Array>, name: string | undefined) => Promise<void>;

/** Tells whether the body is a form, as from a browser or `curl -F`. */
export function isForm({ headers }: IncomingMessage): boolean {
  return /^\s*multipart\/form-data\b/i.test(headers["content-type"] ?? "");
}

/** Yields the body. Stopping early leaves the connection open, so that the client can receive the refusal. */
export async function* bodyOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* request.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new Problem("bad_request", "The upload broke off before its end", { cause });
  }
}

/** Reads a form and passes on its files, one after the other. Throws `Problem("bad_request")` if it cannot be read. */
export async function readForm(request: IncomingMessage, save: Save): Promise<void> {
  const form = openForm(request);
  let saving: Promise<void> = Promise.resolve();
  const open = new Set<Readable>();
  form.on("file", (_field, stream, filename: string | undefined) => {
    open.add(stream);
    // An upload that breaks off destroys the stream, maybe before anything reads it; without a listener, the error would end the daemon
    stream.on("error", () => {});
    saving = saving
      .then(() => save(stream, filename))
      .then(() => void open.delete(stream))
      .catch((error: unknown) => void form.destroy(error as Error));
  });
  try {
    await pipeline(Readable.from(bodyOf(request)), form);
  } catch (error) {
    for (const stream of open) stream.destroy(error as Error);
    throw isOurs(error) ? error : new Problem("bad_request", "The form cannot be read; check how the client builds it", { cause: error });
  } finally {
    await saving;
  }
}

function openForm(request: IncomingMessage): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits,
      isPartAFile: (_field, contentType, fileName) =>
        fileName !== undefined || (contentType !== undefined && !contentType.startsWith("text/")),
    });
  } catch (cause) {
    throw new Problem("bad_request", "The form has no boundary; leave the Content-Type to the client", { cause });
  }
}

function isOurs(error: unknown): boolean {
  return error instanceof Error && ["Problem", "DeliveryRefused", "NotAPicture"].includes(error.name);
}
