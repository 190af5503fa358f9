import { createHash } from "node:crypto";
import type { RequestHandler } from "express";
import helmet from "helmet";
import { docsStyle } from "../../src/admin/documents/docs-page.ts";

const styleHash = createHash("sha256").update(docsStyle).digest("base64");

/** Sets headers that let a browser only display an answer. The only page, `/docs`, has no scripts. */
export function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], styleSrc: [`'sha256-${styleHash}'`], frameAncestors: ["'none'"] },
    },
    // Has no effect over HTTP. Over TLS it would also bind other services on the same host name.
    strictTransportSecurity: false,
    // Pages of other sites cannot load anything, and so cannot tell by an `<img>` when a camera has a new picture. `allowOrigins` makes
    // exceptions for the pages of CORS_ORIGINS.
    crossOriginResourcePolicy: { policy: "same-site" },
  });
}
