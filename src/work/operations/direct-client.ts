import type { Bytes, StreamedBytes } from "../../contract/answer.ts";
import type { Client, ReceivedBytes, ReceivedStream } from "../../contract/client.ts";
import { decodeReply } from "../../contract/client.ts";
import { encodeAnswer } from "../../contract/encode.ts";
import { Problem } from "../../contract/problem.ts";
import type { Route } from "../../contract/route.ts";
import { routes } from "../../contract/routes/index.ts";
import { type AnyRequest, decodeRequest, encodeRequest } from "../../contract/validate.ts";
import { openReal, openRegular } from "../../platform/disk/open-real.ts";
import type { OperationContext, Operations } from "./operation.ts";

type AnyOperation = (request: unknown, context: OperationContext) => Promise<unknown>;

/** Creates a client that runs the operations in this process: for `--direct`, and when no daemon runs. */
export function createDirectClient(operations: Operations, context: OperationContext): Client {
  return createDirectClientOf(routes, operations, context);
}

/** Does the same with a custom set of routes, or a part of the operations. */
export function createDirectClientOf(
  ownRoutes: Readonly<Record<string, Route>>,
  operations: Partial<Operations> | Readonly<Record<string, AnyOperation>>,
  context: OperationContext,
): Client {
  const ids = new Map(Object.entries(ownRoutes).map(([id, route]) => [route, id]));
  const call = async (route: Route, request: AnyRequest): Promise<unknown> => {
    const operation = (operations as Readonly<Record<string, AnyOperation>>)[ids.get(route) ?? ""];
    if (!operation) throw new Error(`no operation implements ${route.method} ${route.path}`);
    // Through the wire format and back, so that nothing differs from a call over HTTP
    const { params, query, body } = encodeRequest(route, request);
    const decoded = decodeRequest(route, { params, query, body: body === undefined ? undefined : JSON.parse(body) });
    const answer = encodeAnswer(route, await operation(decoded, context));
    if (answer.kind === "nothing") return undefined;
    if (answer.kind === "bytes") return await receive(answer.bytes);
    return decodeReply(route, JSON.parse(JSON.stringify(answer.wire)), "The database");
  };
  return { call: call as Client["call"] };
}

async function receive({ mediaType, content }: Bytes | StreamedBytes): Promise<ReceivedBytes | ReceivedStream> {
  if ("stream" in content) return { mediaType, parts: content.stream };
  if ("buffer" in content) return { mediaType, bytes: new Uint8Array(content.buffer) };
  try {
    await using file = await (content.isReal ? openReal(content.file) : openRegular(content.file));
    if (file) return { mediaType, bytes: new Uint8Array(await file.readFile()) };
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "";
    if (!["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENXIO"].includes(code)) throw cause;
    throw new Problem("not_found", "The file is missing from the daemon's disk, or cannot be read", { cause });
  }
  throw new Problem("not_found", "The path on the daemon's disk is not a regular file");
}
