import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A reply of the stand-in: a status and a JSON body. */
export interface StandInAnswer {
  readonly status?: number;
  readonly body?: unknown;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

/** A real HTTP server in place of a daemon. `answer` handles each request; without an answer the reply is 404. Close it when done. */
export async function apiStandIn(answer: (request: SeenRequest) => StandInAnswer | undefined) {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const url = new URL(request.url ?? "/", "http://localhost");
    const known: SeenRequest = {
      method: request.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
    seen.push(known);
    const { status = 200, body } = answer(known) ?? { status: 404, body: { detail: `${url.pathname} does not exist` } };
    response.writeHead(status, body === undefined ? {} : { "Content-Type": "application/json" });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: seen as readonly SeenRequest[],
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
