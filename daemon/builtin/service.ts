import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An answer from a built-in service. */
export interface Answer {
  readonly status: number;
  readonly body: object;
}

export interface Call {
  readonly contentType: string;
  readonly body: Buffer;
  /** Whether the client has disconnected and will not read the answer. */
  disconnected(): boolean;
}

/** The operations of a built-in service, by method and path. */
export type Operations = Readonly<Record<`${"GET" | "POST"} /${string}`, (call: Call) => Answer | Promise<Answer>>>;

/** A request that cannot be served. Becomes an answer with this status and `{detail}`. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** Outcome of loading, reported to the parent process: the fault or null, and details of the service. */
export interface Report {
  readonly fault: string | null;
  readonly about?: Readonly<Record<string, string>>;
}

/** Enough for a 50 megapixel picture as PNG or base64. */
const maxBodyBytes = 128 * 1024 * 1024;

/**
 * Runs a built-in service: listens on a free port of 127.0.0.1 (on `BUILTIN_PORT` if that is free), reports the port to the parent process
 * and exits when the parent exits. With `loading`, the parent sends no requests until `report` is called.
 */
export function serve(operations: Operations, { loading = false }: { readonly loading?: boolean } = {}): void {
  // A parent killed with SIGKILL leaves no other sign.
  process.once("disconnect", () => process.exit(0));
  if (!process.connected) process.exit(0);
  const server = createServer((request, response) => {
    respond(operations, request, response).catch((error: unknown) => logError(error));
  });
  server.keepAliveTimeout = 60_000;
  const preferred = Number(process.env["BUILTIN_PORT"] ?? 0);
  server.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE" || preferred === 0) throw error;
    server.listen(0, "127.0.0.1");
  });
  server.once("listening", markListening);
  server.once("listening", () => process.send?.({ port: (server.address() as AddressInfo).port, loading }));
  server.listen(preferred, "127.0.0.1");
}

let markListening = (): void => {};
const listening = new Promise<void>((resolve) => {
  markListening = resolve;
});

/** Reports the outcome of loading to the parent process, after the port. */
export async function report(outcome: Report): Promise<void> {
  await listening;
  process.send?.(outcome);
}

async function respond(operations: Operations, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await run(operations, request, response).catch((error: unknown): Answer => {
    if (error instanceof Refusal) return { status: error.status, body: { detail: error.message } };
    logError(error);
    return { status: 500, body: { detail: "The service failed on this request" } };
  });
  if (response.destroyed) return;
  const text = JSON.stringify(answer.body);
  response.writeHead(answer.status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

/**
 * Refuses requests from web pages in a browser on this machine, including pages whose host name was pointed at 127.0.0.1 (DNS rebinding).
 * homesec itself uses the address and sends none of these headers.
 */
function refuseWebPages({ host = "", origin, "sec-fetch-site": site }: IncomingMessage["headers"]): void {
  if (origin === undefined && site === undefined && /^127\.0\.0\.1(:\d+)?$/.test(host)) return;
  throw new Refusal(403, "This service is internal to homesec and refuses web pages; call it at 127.0.0.1 from a program");
}

async function run(operations: Operations, request: IncomingMessage, response: ServerResponse): Promise<Answer> {
  refuseWebPages(request.headers);
  const path = (request.url ?? "/").split("?", 1)[0];
  const operation = Object.entries(operations).find(([name]) => name === `${request.method} ${path}`)?.[1];
  if (!operation) throw new Refusal(404, `Unknown operation ${request.method} ${path}; known are ${Object.keys(operations).join(", ")}`);
  const body = await readBody(request);
  return operation({ contentType: request.headers["content-type"] ?? "", body, disconnected: () => response.destroyed });
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) throw new Refusal(413, `The body is larger than ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Logs an error in the parent's log, through standard error. */
function logError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message).replaceAll("\n", " | ") : String(error)}\n`);
}
