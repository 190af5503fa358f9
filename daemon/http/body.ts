import { isUtf8 } from "node:buffer";
import express, { type RequestHandler } from "express";
import { Problem } from "../../src/contract/problem.ts";

/** Maximum size of a request body in bytes. */
export const bodyLimit = 1024 * 1024;

/** Maximum size in bytes of a request body that holds a list of items. */
export const itemwiseBodyLimit = 8 * bodyLimit;

/** Parses the JSON body into `request.body`. Other content types get 415, more than `limit` bytes 413, and invalid JSON 422. */
export function readJsonBody(limit = bodyLimit): RequestHandler {
  // In strict mode, express.json rejects `5` as unreadable, although it is valid JSON and only not an object.
  const parse = express.json({ limit, strict: false, type: () => true, verify: refuseOtherBytes });
  return (request, response, next) => {
    const type = request.headers["content-type"];
    const hasBody = request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
    if (!hasBody) return next();
    if (!/^\s*application\/json\s*(;|$)/i.test(type ?? "")) {
      throw new Problem("media_type", `The body must have the content type application/json, not ${type ?? "none"}`);
    }
    parse(request, response, (error?: unknown) => next(error === undefined ? undefined : bodyProblem(error, limit)));
  };
}

/** Rejects bytes that are not UTF-8. Decoding would silently replace them, and homesec would store the replacements. */
function refuseOtherBytes(_request: unknown, _response: unknown, bytes: Buffer, encoding: string): void {
  if (encoding === "utf-8" && !isUtf8(bytes)) throw new Error("not UTF-8");
}

function bodyProblem(cause: unknown, limit: number): unknown {
  const type = cause instanceof Error && "type" in cause ? cause.type : undefined;
  switch (type) {
    case "entity.too.large":
      return new Problem("too_large", `The body has more than ${limit} bytes; send less at a time`, { cause });
    case "entity.parse.failed": {
      const msg = "The body is not valid JSON";
      return new Problem("invalid", msg, { items: [{ loc: ["body"], msg, type: "json_invalid" }], cause });
    }
    case "entity.verify.failed": {
      const msg = "The body is not valid UTF-8";
      return new Problem("invalid", msg, { items: [{ loc: ["body"], msg, type: "json_invalid" }], cause });
    }
    case "encoding.unsupported":
    case "charset.unsupported":
      return new Problem("media_type", "The body must be JSON in UTF-8, plain or compressed with gzip, deflate or br", { cause });
    default:
      // The body was cut off, is shorter than announced, or has broken compression.
      return new Problem("bad_request", "The body could not be read completely", { cause });
  }
}
