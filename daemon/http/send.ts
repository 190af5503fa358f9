import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Request, Response } from "express";
import type { Bytes, StreamedBytes } from "../../src/contract/answer.ts";
import type { EncodedAnswer } from "../../src/contract/encode.ts";
import { Problem } from "../../src/contract/problem.ts";
import { shareOf, statWithTimeout } from "../../src/platform/disk/fs-timeout.ts";
import { NoAnswer } from "../../src/platform/disk/no-answer.ts";
import { openReal } from "../../src/platform/disk/open-real.ts";
import { askShare } from "../../src/platform/disk/share-threads.ts";
import { askedRange } from "./byte-range.ts";
import { answerDetail } from "./errors.ts";
import { sendStream } from "./send-stream.ts";

/** As much is read of a file at a time. */
const pieceBytes = 64 * 1024;

/** For how long an asker may show a JSON reply without asking again; after that it asks with the `ETag` of what it has. */
export interface Keeping {
  readonly maxAgeSeconds: number;
}

/** Sends an encoded answer. A JSON reply without `keeping` is not to be kept. Resolves when it is out or the asker has gone. */
export async function send(request: Request, response: Response, answer: EncodedAnswer, keeping: Keeping | undefined): Promise<void> {
  response.statusCode = answer.status;
  if (answer.kind === "nothing") {
    response.end();
  } else if (answer.kind === "json") {
    sendJson(request, response, answer.wire, keeping);
  } else {
    await sendBytes(request, response, answer.bytes, answer.ranges);
  }
}

function sendJson(request: Request, response: Response, wire: unknown, keeping: Keeping | undefined): void {
  if (typeof wire === "object" && wire !== null && "deprecation_warning" in wire) response.setHeader("Deprecation", "true");
  response.setHeader("Cache-Control", keeping ? (keeping.maxAgeSeconds > 0 ? `max-age=${keeping.maxAgeSeconds}` : "no-cache") : "no-store");
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  const content = Buffer.from(JSON.stringify(wire));
  if (keeping && isKnown(request, response, { tag: tagOf(content) })) return;
  sendBuffer(response, content);
}

async function sendBytes(request: Request, response: Response, bytes: Bytes | StreamedBytes, ranges: boolean): Promise<void> {
  if (isStreamed(bytes)) return await sendStream(request, response, bytes);
  const { mediaType, content } = bytes;
  // kept by the asker, but asked about again each time: a camera may overwrite its picture
  response.setHeader("Cache-Control", "private, no-cache");
  response.setHeader("Content-Type", mediaType);
  if (/^(image|video)\//.test(mediaType)) response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
  if ("file" in content) return await sendFile(request, response, content, ranges);
  if (!isKnown(request, response, { tag: tagOf(content.buffer) })) sendBuffer(response, content.buffer);
}

function isStreamed(bytes: Bytes | StreamedBytes): bytes is StreamedBytes {
  return "stream" in bytes.content;
}

function sendBuffer(response: Response, content: Buffer): void {
  response.setHeader("Content-Length", content.length);
  response.end(content);
}

async function sendFile(request: Request, response: Response, content: OnDisk, ranges: boolean): Promise<void> {
  await using file = await openFile(content);
  const { size: bigSize, mtime, mtimeNs } = await file.stat({ bigint: true });
  const size = Number(bigSize);
  const validators = { tag: `"${bigSize.toString(36)}-${mtimeNs.toString(36)}"`, modified: mtime };
  if (isKnown(request, response, validators)) return;
  if (ranges) response.setHeader("Accept-Ranges", "bytes");
  // a range is defined for GET only
  const range = ranges && request.method === "GET" ? askedRange(request.headers, size, validators) : undefined;
  if (range === "unsatisfiable") {
    response.setHeader("Content-Range", `bytes */${size}`);
    answerDetail(response, 416, `There is no such part; the file has ${size} bytes`);
    return;
  }
  // not a byte more than announced, should the file grow meanwhile
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
  try {
    const sent = { bytes: 0 };
    await pipeline(piecesOf(file, shareOf(content.file), { start, end }, sent), response);
    // a camera wrote over it: who waits for the rest is told at once that there is none
    if (sent.bytes < end - start + 1) request.socket.destroy();
  } catch (error) {
    // an asker who leaves early is no failure of ours
    if (!(error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE")) throw error;
  }
}

/** The bytes of a file from `start` to `end`, or to where it ends by now. One on a network share, which may hang, is read as shares may be. */
async function* piecesOf(
  file: FileHandle,
  share: string | undefined,
  { start, end }: { readonly start: number; readonly end: number },
  sent: { bytes: number },
): AsyncGenerator<Buffer> {
  for (let at = start; at <= end; at = start + sent.bytes) {
    const question = () => file.read(Buffer.allocUnsafe(Math.min(pieceBytes, end - at + 1)), 0, null, at);
    const { buffer, bytesRead } = await (share === undefined ? question() : askShare(share, question));
    if (bytesRead === 0) return;
    sent.bytes += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

type OnDisk = Extract<Bytes["content"], { readonly file: string }>;

/** Opens a regular file. Without blocking: a pipe in its place would hold up a thread for good. Nor by a link in place of it. */
async function openFile({ file: path, isReal }: OnDisk): Promise<FileHandle> {
  try {
    const asItLies = () => open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const file = await statWithTimeout(dirname(path), () => (isReal ? openReal(path) : asItLies()));
    if (file && (await file.stat()).isFile()) return file;
    await file?.close();
  } catch (cause) {
    if (cause instanceof NoAnswer) throw new Problem("unavailable", `Just now ${cause.message}`, { cause });
    const code = (cause as NodeJS.ErrnoException).code ?? "";
    if (!["ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG", "ELOOP", "ENXIO"].includes(code)) throw cause;
    throw new Problem("not_found", "The file is gone from the disk of the daemon, or cannot be read", { cause });
  }
  throw new Problem("not_found", "There is no regular file in this place on the disk of the daemon");
}

function tagOf(content: Buffer): string {
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
}

/**
 * Sets the validators of the content, and answers 304 when the asker has exactly this. `request.fresh` of Express would
 * not do: it takes the `Cache-Control: no-cache` that every `fetch` adds beside `If-None-Match` for a wish to be sent all.
 */
function isKnown(request: Request, response: Response, content: { readonly tag: string; readonly modified?: Date }): boolean {
  response.setHeader("ETag", content.tag);
  if (content.modified) response.setHeader("Last-Modified", content.modified.toUTCString());
  const { "if-none-match": tags, "if-modified-since": since } = request.headers;
  const known =
    tags !== undefined
      ? tags.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === content.tag)
      : content.modified !== undefined && since !== undefined && Math.trunc(content.modified.getTime() / 1000) * 1000 <= Date.parse(since);
  if (!known) return false;
  response.removeHeader("Content-Type");
  response.statusCode = 304;
  response.end();
  return true;
}
