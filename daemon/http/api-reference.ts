import { join } from "node:path";
import type { RequestHandler } from "express";
import { packageRoot } from "../../src/base/version.ts";
import { openPageFiles } from "./page-files.ts";
import { referencePolicy } from "./security-headers.ts";

const ownFile = /^\/docs\/[\w-]+\.(?:js|css)$/;

/** The folder with the built reference of the API. */
export function referenceFolder(): string {
  return join(packageRoot(), "dist", "reference");
}

/**
 * Answers `/docs` with the reference of the API, and the files that belong to it. Other requests go on. Nothing here needs a key: the page
 * reads openapi.json, which does.
 */
export function serveReference(folder: string): RequestHandler {
  const files = openPageFiles(folder);
  return (request, response, next) => {
    if (request.method !== "GET" && request.method !== "HEAD") return next();
    const isDocument = request.path === "/docs";
    const file = isDocument ? "/index.html" : request.path;
    if ((!isDocument && !ownFile.test(file)) || !files.has(file)) return next();
    if (isDocument) response.setHeader("Content-Security-Policy", referencePolicy);
    files.send(file, request, response, next);
  };
}

/**
 * Answers `/openapi.json` with the copy that the build has compressed: 71 kB instead of 600. A client that cannot unpack it, and a request
 * with parameters, go on to the operation, which makes the document.
 */
export function serveDescription(folder: string): RequestHandler {
  const files = openPageFiles(folder);
  return (request, response, next) => {
    if (request.url !== "/openapi.json" || !request.acceptsEncodings("gzip") || !files.has("/openapi.json")) return next();
    response.vary("X-API-Key");
    files.send("/openapi.json", request, response, next);
  };
}
