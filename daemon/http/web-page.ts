import { join } from "node:path";
import type { RequestHandler } from "express";
import { packageRoot } from "../../src/base/version.ts";
import { pagePaths } from "../../src/contract/pages.ts";
import { openPageFiles } from "./page-files.ts";
import { pagePolicy, workerPolicy } from "./security-headers.ts";
import { setPageCookie } from "./session-cookie.ts";

/** The files of the page, without their compressed copies. */
const ownFile = /^\/(?:assets\/)?[\w-]+\.(?:html|js|css|svg|png|webmanifest|json)$/;

/** The folder with the built web page. */
export function pageFolder(): string {
  return join(packageRoot(), "dist", "web");
}

/**
 * Answers the addresses of the web page with its document, and the files that belong to it. Other requests go on. Nothing here needs a key:
 * these files are the same for everyone. Returns undefined when the page is not built.
 */
export function servePage(folder: string): RequestHandler | undefined {
  const files = openPageFiles(folder);
  if (!files.has("/index.html")) return undefined;
  const isPage = matcher(pagePaths);
  return (request, response, next) => {
    if (request.method !== "GET" && request.method !== "HEAD") return next();
    const isDocument = isPage(request.path);
    const file = isDocument ? "/index.html" : request.path;
    if (!ownFile.test(file) || !files.has(file)) return next();
    if (isDocument) {
      response.setHeader("Content-Security-Policy", pagePolicy);
      setPageCookie(request, response);
      // Shared addresses are pasted into places that search engines read.
      response.setHeader("X-Robots-Tag", "noindex");
    }
    // The worker of the page is held to its own policy, not to that of the document
    if (file === "/service-worker.js") response.setHeader("Content-Security-Policy", workerPolicy);
    files.send(file, request, response, next);
  };
}

function matcher(paths: readonly string[]): (path: string) => boolean {
  const patterns = paths.map((path) => new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}/?$`));
  return (path) => patterns.some((pattern) => pattern.test(path));
}
