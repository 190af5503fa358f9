import { openapi } from "../../src/contract/openapi.ts";
import { routes } from "../../src/contract/routes/index.ts";

type Json = Record<string, unknown>;

/** The description of the API with each response where it is given, instead of a reference to a shared one. */
export function openapiInFull(): unknown {
  const document = openapi(routes, "0") as {
    readonly paths: Record<string, Record<string, { responses: Record<string, Json> }>>;
    readonly components: { readonly responses: Record<string, Json> };
  };
  for (const { responses } of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, { $ref }] of Object.entries(responses)) {
      const shared = typeof $ref === "string" ? document.components.responses[$ref.split("/").at(-1) ?? ""] : undefined;
      if (shared) responses[status] = shared;
    }
  }
  return document;
}
