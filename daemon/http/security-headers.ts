import { createHash } from "node:crypto";
import type { RequestHandler } from "express";
import helmet from "helmet";
import { docsStyle } from "../../src/admin/documents/docs-page.ts";

const styleHash = createHash("sha256").update(docsStyle).digest("base64");

/** Headers that keep a browser from doing anything with an answer but showing it: the one page there is, `/docs`, has no script. */
export function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], styleSrc: [`'sha256-${styleHash}'`], frameAncestors: ["'none'"] },
    },
    // over plain HTTP this header means nothing, and over TLS it would bind other services of the same host name
    strictTransportSecurity: false,
    // data is not even loaded by pages of other sites; pictures, which their dashboards may show, say otherwise
    crossOriginResourcePolicy: { policy: "same-site" },
  });
}
