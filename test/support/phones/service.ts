import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

/** A request as a service got it. */
export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** An answer: JSON, or a text as it is. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object | string;
  /** Goes on writing after the body; the response stays open. */
  readonly goOn?: (response: ServerResponse) => void;
}

/** What the service does instead of its work. */
export type Trouble = ServiceAnswer | "reset" | "hang";

/** A service for phones on a real HTTP server: `answer` speaks its protocol. */
export async function phoneService(
  answer: (request: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer>,
  certificate?: { readonly cert: string; readonly key: string },
) {
  const requests: ServiceRequest[] = [];
  let trouble: (request: ServiceRequest, index: number) => Trouble | undefined = () => undefined;
  const serve: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the sender was killed in the middle
    }
    const url = new URL(request.url ?? "/", "http://service");
    const { method = "", headers } = request;
    const got = { method, path: url.pathname, query: url.searchParams, headers, body: Buffer.concat(chunks) };
    requests.push(got);
    const wrong = trouble(got, requests.length - 1);
    if (wrong === "hang") return;
    if (wrong === "reset") return void request.socket.destroy();
    const { status, headers: own, body, goOn } = wrong ?? (await answer(got));
    response.writeHead(status, { ...(typeof body === "object" && { "content-type": "application/json" }), ...own });
    if (goOn) {
      response.write(body as string);
      return goOn(response);
    }
    response.end(typeof body === "object" ? JSON.stringify(body) : body);
  };
  const server = certificate ? createTlsServer(certificate, serve) : createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `${certificate ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: requests as readonly ServiceRequest[],
    /** Makes the service fail: undefined lets it work. */
    breakWith: (next: typeof trouble) => {
      trouble = next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
