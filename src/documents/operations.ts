import { openapi } from "../contract/openapi.ts";
import type { documentRoutes } from "../contract/routes/documents.ts";
import { routes } from "../contract/routes/index.ts";
import type { Operations } from "../operations/operation.ts";
import { programVersion } from "../version.ts";
import { type ApiDocument, docsPage } from "./docs-page.ts";

let made: Record<string, unknown> | undefined;

/** The document never changes while the program runs. */
function document(): Record<string, unknown> {
  made ??= openapi(routes, programVersion());
  return made;
}

/** The use cases behind the documents of the API. */
export const documentOperations: Pick<Operations, keyof typeof documentRoutes> = {
  getOpenapi: async () => document(),
  getDocs: async () => ({
    mediaType: "text/html; charset=utf-8",
    content: { buffer: Buffer.from(docsPage(document() as unknown as ApiDocument)) },
  }),
};
