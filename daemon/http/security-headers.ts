import type { RequestHandler } from "express";
import helmet from "helmet";

/** Only this origin's own files: no inline script or style, no other site, and no text that becomes a script. */
const ownFilesOnly = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
];

/** The policy of the web page. */
export const pagePolicy = [...ownFilesOnly, "media-src 'self'", "manifest-src 'self'", "worker-src 'self'", "form-action 'self'"].join(
  "; ",
);

/** The policy of the service worker, which keeps this origin's own files. */
export const workerPolicy = ["default-src 'none'", "connect-src 'self'"].join("; ");

/** The policy of `/docs`, which Swagger UI works with; see docs/decisions/0029-api-reference.md. */
export const referencePolicy = [...ownFilesOnly, "form-action 'none'"].join("; ");

/** Sets headers that let a browser only display an answer. The pages replace the policy with their own. */
export function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // Has no effect over HTTP. Over TLS it would also bind other services on the same host name.
    strictTransportSecurity: false,
    // Pages of other sites cannot load anything, and so cannot tell by an `<img>` when a camera has a new picture. `allowOrigins` makes
    // exceptions for the pages of CORS_ORIGINS.
    crossOriginResourcePolicy: { policy: "same-site" },
  });
}
