import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync, type Stats } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import express, { type NextFunction, type Request, type Response } from "express";

const year = 31_536_000;

/** Encodings that the build has made of files, the smallest first. */
const encodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

const mediaTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  json: "application/json; charset=utf-8",
  webmanifest: "application/manifest+json",
};

/** Files that the build has written for browsers. */
export interface PageFiles {
  /** Whether the build has written this file, such as `/index.html`. */
  has(file: string): boolean;
  /** Answers with a file. */
  send(file: string, request: Request, response: Response, next: NextFunction): void;
}

/**
 * Opens a folder of such files. The build keeps only compressed copies of texts, so that the package stays small and the daemon compresses
 * nothing. A client that accepts none of them gets the text unpacked.
 */
export function openPageFiles(folder: string): PageFiles {
  const tagOf = contentTags();
  const serve = express.static(folder, {
    ...{ index: false, redirect: false, cacheControl: false, acceptRanges: false, lastModified: false },
    setHeaders: (response, path, file: Stats) => {
      response.setHeader("ETag", tagOf(path, file));
      setHeaders(response, path);
    },
  });
  const has = (file: string): boolean => ["", ".gz"].some((ending) => existsSync(folder + file + ending));
  return {
    has,
    send(file, request, response, next) {
      const encoding = encodings.find(([name, ending]) => request.acceptsEncodings(name) && existsSync(folder + file + ending));
      response.vary("Accept-Encoding");
      if (encoding) response.setHeader("Content-Encoding", encoding[0]);
      else if (!existsSync(folder + file)) return unpack(folder + file, request, response, next);
      // what follows sees the address of the file, and the log the one that was asked for
      request.url = file + (encoding?.[1] ?? "");
      serve(request, response, next);
    },
  };
}

/** Tags by content: the files of a packed release all have the same time, and those of two releases may have the same size. */
function contentTags(): (path: string, file: Pick<Stats, "ctimeMs" | "size">) => string {
  const tags = new Map<string, { readonly version: string; readonly tag: string }>();
  return (path, { ctimeMs, size }) => {
    const version = `${ctimeMs} ${size}`;
    const known = tags.get(path);
    if (known?.version === version) return known.tag;
    const tag = `"${createHash("sha256").update(readFileSync(path)).digest("base64url").slice(0, 22)}"`;
    tags.set(path, { version, tag });
    return tag;
  };
}

function unpack(path: string, request: Request, response: Response, next: NextFunction): void {
  setHeaders(response, path);
  if (request.method === "HEAD") response.end();
  else pipeline(createReadStream(`${path}.gz`), createGunzip(), response).catch(next);
}

/** Files with a hash in their name never change; the others may with the next version. The description of the API may need a key. */
function setHeaders(response: Response, path: string): void {
  const name = path.replace(/\.(?:br|gz)$/, "");
  const mayChange = name.endsWith("openapi.json") ? "no-cache, private" : "no-cache";
  response.setHeader("Cache-Control", /[/\\](?:assets|docs)[/\\][^/\\]+$/.test(path) ? `public, max-age=${year}, immutable` : mayChange);
  const type = mediaTypes[name.slice(name.lastIndexOf(".") + 1)];
  if (type) response.setHeader("Content-Type", type);
}
