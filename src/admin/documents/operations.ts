import { programVersion } from "../../base/version.ts";
import { routes } from "../../contract/routes/index.ts";
import type { documentRoutes } from "../../contract/routes/system.ts";
import type { Operations } from "../../work/operations/operation.ts";

let made: Promise<Record<string, unknown>> | undefined;

/** The document does not change while the program runs. */
function document(): Promise<Record<string, unknown>> {
  made ??= makeDocument();
  return made;
}

/** Its modules are loaded on the first request: most processes never get one. */
async function makeDocument(): Promise<Record<string, unknown>> {
  const { openapi } = await import("../../contract/openapi.ts");
  return openapi(routes, programVersion());
}

/** The use cases behind the documents of the API. */
export const documentOperations: Pick<Operations, keyof typeof documentRoutes> = {
  getOpenapi: document,
};
