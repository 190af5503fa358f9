import { createReadStream, existsSync } from "node:fs";
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
  const serve = express.static(folder, { index: false, redirect: false, cacheControl: false, setHeaders });
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

function unpack(path: string, request: Request, response: Response, next: NextFunction): void {
  setHeaders(response, path);
  if (request.method === "HEAD") response.end();
  else pipeline(createReadStream(`${path}.gz`), createGunzip(), response).catch(next);
}

/** Files with a hash in their name never change; the others may with the next version. */
function setHeaders(response: Response, path: string): void {
  response.setHeader("Cache-Control", /[/\\](?:assets|docs)[/\\][^/\\]+$/.test(path) ? `public, max-age=${year}, immutable` : "no-cache");
  const name = path.replace(/\.(?:br|gz)$/, "");
  const type = mediaTypes[name.slice(name.lastIndexOf(".") + 1)];
  if (type) response.setHeader("Content-Type", type);
}
