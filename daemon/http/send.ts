import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Request, Response } from "express";
import type { Bytes, StreamedBytes } from "../../src/contract/answer.ts";
import type { EncodedAnswer } from "../../src/contract/encode.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { BinaryReply } from "../../src/contract/route.ts";
import { formatOf, headBytes } from "../../src/monitoring/images/format.ts";
import { textLength } from "../../src/platform/database/keyset.ts";
import { NoAnswer } from "../../src/platform/disk/files.ts";
import { shareOf, statWithTimeout } from "../../src/platform/disk/fs-timeout.ts";
import { openReal, openRegular } from "../../src/platform/disk/open-real.ts";
import { runOnShare } from "../../src/platform/disk/share-threads.ts";
import { requestedRange } from "./byte-range.ts";
import { isDisconnect } from "./connection.ts";
import { answerDetail } from "./errors.ts";
import { hasLongList, serializeJson } from "./json-steps.ts";
import { idleTimeoutMs } from "./listen.ts";
import { sendStream } from "./send-stream.ts";
import { monitorThroughput } from "./throughput.ts";
import type { LongReply } from "./unsent.ts";

/** Number of bytes to read from a file at once. */
const chunkBytes = 64 * 1024;
/** Cuts off a client that reads less of a file than this within the idle timeout, because each one holds an open file. */
const minBytes = 256 * 1024;

/** How long a client may reuse a JSON reply without asking. After that it sends the `ETag` of its copy. */
export interface Caching {
  readonly maxAgeSeconds: number;
}

export interface Sending {
  /** Without it, a JSON reply must not be stored. */
  readonly caching: Caching | undefined;
  /** Sends a body from memory. */
  readonly sendBuffer: (content: Buffer | LongReply) => Promise<void>;
}

/** Sends a reply that is ready. Resolves when it is sent or the client has disconnected. */
export type ReplySender = () => Promise<void>;

/** Prepares the reply to an encoded answer. While the client reads, the function that sends it keeps the bytes and nothing else. */
export function prepareReply(request: Request, response: Response, answer: EncodedAnswer, sending: Sending): ReplySender {
  response.statusCode = answer.status;
  if (answer.kind === "json") return prepareJson(request, response, answer.wire, sending);
  if (answer.kind === "bytes") return () => sendBytes(request, response, answer, sending);
  return async () => void response.end();
}

function prepareJson(request: Request, response: Response, wire: unknown, { caching, sendBuffer }: Sending): ReplySender {
  if (typeof wire === "object" && wire !== null && "deprecation_warning" in wire) response.setHeader("Deprecation", "true");
  response.setHeader("Cache-Control", cacheControl(caching));
  if (caching) response.vary("X-API-Key");
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  if (hasLongList(wire) && !caching) {
    const reply = longReplyOf(wire);
    return () => sendBuffer(reply);
  }
  const content = Buffer.from(JSON.stringify(wire));
  return async () => {
    if (caching && answerIfUnchanged(request, response, { tag: tagOf(content) })) return;
    await sendBuffer(content);
  };
}

function longReplyOf(wire: object): LongReply {
  let value: object | undefined = wire;
  return {
    bytes: textLength(wire),
    serialize: () => {
      const steps = serializeJson(value ?? {});
      value = undefined;
      return steps;
    },
  };
}

/** Replies about a home must never lie in a cache that several people share. */
function cacheControl(caching: Caching | undefined): string {
  if (!caching) return "no-store";
  return caching.maxAgeSeconds > 0 ? `max-age=${caching.maxAgeSeconds}, private` : "no-cache, private";
}

type BinaryAnswer = Extract<EncodedAnswer, { readonly kind: "bytes" }>;

async function sendBytes(request: Request, response: Response, { bytes, reply }: BinaryAnswer, { sendBuffer }: Sending): Promise<void> {
  if (isStreamed(bytes)) return await sendStream(request, response, bytes);
  const { mediaType, content, isImmutable = false } = bytes;
  // The client may store a picture but must ask again each time, because a camera may overwrite it.
  response.setHeader("Cache-Control", isImmutable ? "private, max-age=31536000, immutable" : "private, no-cache");
  response.setHeader("Content-Type", mediaType);
  if ("file" in content) return await sendFile(request, response, content, reply);
  if (!answerIfUnchanged(request, response, { tag: tagOf(content.buffer) })) await sendBuffer(content.buffer);
}

function isStreamed(bytes: Bytes | StreamedBytes): bytes is StreamedBytes {
  return "stream" in bytes.content;
}

async function sendFile(request: Request, response: Response, content: OnDisk, reply: BinaryReply): Promise<void> {
  const ranges = reply.ranges === true;
  await using file = await openFile(content);
  const { size: bigSize, mtime, mtimeNs } = await file.stat({ bigint: true });
  const size = Number(bigSize);
  const validators = { tag: `"${bigSize.toString(36)}-${mtimeNs.toString(36)}"`, modified: mtime };
  if (answerIfUnchanged(request, response, validators)) return;
  if (size > 0) response.setHeader("Content-Type", await servedType(file, shareOf(content.file), reply.mediaTypes));
  if (ranges) response.setHeader("Accept-Ranges", "bytes");
  // Ranges are defined for GET only.
  const range = ranges && request.method === "GET" ? requestedRange(request.headers, size, validators) : undefined;
  if (range === "unsatisfiable") {
    response.setHeader("Content-Range", `bytes */${size}`);
    answerDetail(response, 416, `The range is outside the file, which has ${size} bytes`);
    return;
  }
  // Never sends more bytes than announced, even if the file grows meanwhile.
  const { start, end } = range ?? { start: 0, end: size - 1 };
  if (range) {
    response.statusCode = 206;
    response.setHeader("Content-Range", `bytes ${start}-${end}/${size}`);
  }
  response.setHeader("Content-Length", end - start + 1);
  if (request.method === "HEAD" || size === 0) {
    response.end();
    return;
  }
  await sendPart(request, response, content, { file, start, end });
}

async function sendPart(
  { socket }: Request,
  response: Response,
  content: OnDisk,
  part: { readonly file: FileHandle; readonly start: number; readonly end: number },
): Promise<void> {
  const sent = { bytes: 0 };
  const monitor = monitorThroughput({ intervalMs: idleTimeoutMs, minBytes, onSlow: () => socket.destroy() });
  try {
    await pipeline(chunksOf(part.file, shareOf(content.file), part, sent, monitor.read), response);
    // A camera overwrote the file. Cutting the connection shows the client that the rest is missing.
    if (sent.bytes < part.end - part.start + 1) socket.destroy();
  } catch (error) {
    if (!isDisconnect(error)) throw error;
  } finally {
    monitor.end();
  }
}

/** Returns the media type of the content, whatever the row or the name of the file says. Throws if this route does not send such files. */
async function servedType(file: FileHandle, share: string | undefined, types: readonly string[]): Promise<string> {
  const readHead = () => file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  const { buffer, bytesRead } = await (share === undefined ? readHead() : runOnShare(share, readHead));
  const type = formatOf(buffer.subarray(0, bytesRead))?.mediaType;
  if (type !== undefined && types.includes(type)) return type;
  throw new Problem("not_found", `The content of the file on the daemon's disk is not shown here, only ${types.join(", ")}`);
}

/** Yields the bytes of a file from `start` to `end`, or to its current end. Reads from network shares have a time limit. */
async function* chunksOf(
  file: FileHandle,
  share: string | undefined,
  { start, end }: { readonly start: number; readonly end: number },
  sent: { bytes: number },
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for (let at = start; at <= end; at = start + sent.bytes) {
    const readChunk = () => file.read(Buffer.allocUnsafe(Math.min(chunkBytes, end - at + 1)), 0, null, at);
    const { buffer, bytesRead } = await (share === undefined ? readChunk() : runOnShare(share, readChunk));
    if (bytesRead === 0) return;
    sent.bytes += bytesRead;
    yield buffer.subarray(0, bytesRead);
    onRead(bytesRead);
  }
}

type OnDisk = Extract<Bytes["content"], { readonly file: string }>;

/** Opens a regular file. Does not follow links. */
async function openFile({ file: path, isReal }: OnDisk): Promise<FileHandle> {
  try {
    const file = await statWithTimeout(dirname(path), () => (isReal ? openReal(path) : openRegular(path)));
    if (file) return file;
  } catch (cause) {
    if (cause instanceof NoAnswer) throw new Problem("unavailable", `Just now ${cause.message}`, { cause });
    const code = (cause as NodeJS.ErrnoException).code ?? "";
    if (!["ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG", "ELOOP", "ENXIO"].includes(code)) throw cause;
    throw new Problem("not_found", "The file is missing from the daemon's disk, or cannot be read", { cause });
  }
  throw new Problem("not_found", "The path on the daemon's disk is not a regular file");
}

function tagOf(content: Buffer): string {
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
}

/**
 * Sets the validators of the content and answers 304 if the client already has it. `request.fresh` of Express does not work here: `fetch`
 * adds `Cache-Control: no-cache` to `If-None-Match`, which Express takes as a request for the full content.
 */
function answerIfUnchanged(request: Request, response: Response, content: { readonly tag: string; readonly modified?: Date }): boolean {
  response.setHeader("ETag", content.tag);
  if (content.modified) response.setHeader("Last-Modified", content.modified.toUTCString());
  const { "if-none-match": tags, "if-modified-since": since } = request.headers;
  const isUnchanged =
    tags !== undefined
      ? tags.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === content.tag)
      : content.modified !== undefined && since !== undefined && Math.trunc(content.modified.getTime() / 1000) * 1000 <= Date.parse(since);
  if (!isUnchanged) return false;
  response.removeHeader("Content-Type");
  response.statusCode = 304;
  response.end();
  return true;
}
