import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An answer of a built-in service. */
export interface Answer {
  readonly status: number;
  readonly body: object;
}

export interface Call {
  readonly contentType: string;
  readonly body: Buffer;
  /** The asker has gone; nobody will read the answer. */
  gone(): boolean;
}

/** What a built-in service answers to, by method and path. */
export type Operations = Readonly<Record<`${"GET" | "POST"} /${string}`, (call: Call) => Answer | Promise<Answer>>>;

/** What was wrong with a request. Becomes its status and `{detail}`. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** What a service that was loading tells the parent process when it knows: why it cannot work, or null, and what it is. */
export interface Report {
  readonly fault: string | null;
  readonly about?: Readonly<Record<string, string>>;
}

/** A picture of 50 megapixels as PNG, or in base64, fits. */
const maxBodyBytes = 128 * 1024 * 1024;

/**
 * The main program of a built-in service: listens on a free port of 127.0.0.1 (on `BUILTIN_PORT` if that is free), tells
 * the parent process the port and ends when the parent is gone. While `loading` it is not asked; `report` ends that.
 */
export function serve(operations: Operations, { loading = false }: { readonly loading?: boolean } = {}): void {
  // a kill -9 of the parent leaves no other sign
  process.once("disconnect", () => process.exit(0));
  if (!process.connected) process.exit(0);
  const server = createServer((request, response) => {
    respond(operations, request, response).catch((error: unknown) => complain(error));
  });
  server.keepAliveTimeout = 60_000;
  const preferred = Number(process.env["BUILTIN_PORT"] ?? 0);
  server.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE" || preferred === 0) throw error;
    server.listen(0, "127.0.0.1");
  });
  server.once("listening", listens);
  server.once("listening", () => process.send?.({ port: (server.address() as AddressInfo).port, loading }));
  server.listen(preferred, "127.0.0.1");
}

let listens = (): void => {};
const listening = new Promise<void>((resolve) => {
  listens = resolve;
});

/** Tells the parent process how loading ended, once it knows where to ask. */
export async function report(outcome: Report): Promise<void> {
  await listening;
  process.send?.(outcome);
}

async function respond(operations: Operations, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await run(operations, request, response).catch((error: unknown): Answer => {
    if (error instanceof Refusal) return { status: error.status, body: { detail: error.message } };
    complain(error);
    return { status: 500, body: { detail: "The service failed on this request" } };
  });
  if (response.destroyed) return;
  const text = JSON.stringify(answer.body);
  response.writeHead(answer.status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

/**
 * Refuses what a page in a browser on this machine asks, also one whose name was made to lead here. homesec asks the address itself and
 * sends none of these headers.
 */
function refusePages({ host = "", origin, "sec-fetch-site": site }: IncomingMessage["headers"]): void {
  if (origin === undefined && site === undefined && /^127\.0\.0\.1(:\d+)?$/.test(host)) return;
  throw new Refusal(403, "This service is homesec's own and is not for pages in a browser; ask it as 127.0.0.1 from a program");
}

async function run(operations: Operations, request: IncomingMessage, response: ServerResponse): Promise<Answer> {
  refusePages(request.headers);
  const path = (request.url ?? "/").split("?", 1)[0];
  const operation = Object.entries(operations).find(([name]) => name === `${request.method} ${path}`)?.[1];
  if (!operation) throw new Refusal(404, `There is no ${request.method} ${path} here; there is ${Object.keys(operations).join(", ")}`);
  const body = await readBody(request);
  return operation({ contentType: request.headers["content-type"] ?? "", body, gone: () => response.destroyed });
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

/** To the parent's log, by way of the standard error output. */
function complain(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message).replaceAll("\n", " | ") : String(error)}\n`);
}
