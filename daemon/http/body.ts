import { isUtf8 } from "node:buffer";
import express, { type RequestHandler } from "express";
import { Problem } from "../../src/contract/problem.ts";

/** Maximum size of a request body in bytes. */
export const bodyLimit = 1024 * 1024;

/** Maximum size in bytes of a request body that holds a list of items. */
export const itemwiseBodyLimit = 8 * bodyLimit;

const onlyJson = "The body must be JSON in UTF-8, plain or compressed with gzip, deflate or br";

/**
 * Reads a JSON body into `request.body` as bytes in UTF-8, not yet parsed; it stays undefined without a body. Other content types and
 * encodings get 415, more than `limit` bytes 413, and bytes that are not UTF-8 422.
 */
export function readBody(limit = bodyLimit): RequestHandler {
  const read = express.raw({ limit, type: () => true, verify: refuseOtherBytes });
  return (request, response, next) => {
    const type = request.headers["content-type"] ?? "";
    const hasBody = request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
    if (!hasBody) return next();
    if (!/^\s*application\/json\s*(;|$)/i.test(type)) {
      throw new Problem("media_type", `The body must have the content type application/json, not ${type === "" ? "none" : type}`);
    }
    const [, charset = "utf-8"] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type) ?? [];
    if (!/^utf-?8$/i.test(charset)) throw new Problem("media_type", onlyJson);
    read(request, response, (error?: unknown) => {
      if (error !== undefined) return next(bodyProblem(error, limit));
      request.body = withoutMark(request.body as Buffer);
      next();
    });
  };
}

/** Rejects bytes that are not UTF-8. Decoding would silently replace them, and homesec would store the replacements. */
function refuseOtherBytes(_request: unknown, _response: unknown, bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new Error("not UTF-8");
}

/** Removes a byte order mark, which some programs write and JSON does not know. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function bodyProblem(cause: unknown, limit: number): unknown {
  const type = cause instanceof Error && "type" in cause ? cause.type : undefined;
  switch (type) {
    case "entity.too.large":
      return new Problem("too_large", `The body has more than ${limit} bytes; send less at a time`, { cause });
    case "entity.verify.failed": {
      const msg = "The body is not valid UTF-8";
      return new Problem("invalid", msg, { items: [{ loc: ["body"], msg, type: "json_invalid" }], cause });
    }
    case "encoding.unsupported":
      return new Problem("media_type", onlyJson, { cause });
    default:
      // The body was cut off, is shorter than announced, or has broken compression.
      return new Problem("bad_request", "The body could not be read completely", { cause });
  }
}
