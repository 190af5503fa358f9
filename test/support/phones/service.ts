import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A request as a service got it. */
export interface ServiceRequest {
  readonly method: string;
  /** The path with the query, as it was sent. */
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Resolves when the exchange is over: whether the answer left completely. */
  readonly isAnswered: Promise<boolean>;
}

/** An answer: JSON, or a text as it is. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object | string;
  /** Goes on writing after the body; the response stays open. */
  readonly goOn?: (response: ServerResponse) => void;
}

/** The service does its work, but its answer is lost: it comes late, is replaced by that of a proxy, or breaks off. */
export interface LostAnswer {
  readonly lost: "late" | "cut" | ServiceAnswer;
  readonly lateMs?: number;
}

/** What the service does instead of its work. `cut` breaks off in the middle of the answer. */
export type Trouble = ServiceAnswer | { readonly cut: ServiceAnswer } | LostAnswer | "reset" | "hang";

/** A service on a real HTTP server: `answer` speaks its protocol. */
export async function phoneService(
  answer: (request: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer>,
  certificate?: { readonly cert: string; readonly key: string },
) {
  const requests: ServiceRequest[] = [];
  let trouble: (request: ServiceRequest, index: number) => Trouble | undefined | Promise<Trouble | undefined> = () => undefined;
  const serve: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the sender was killed in the middle
    }
    const target = request.url ?? "/";
    const url = new URL(target, "http://service");
    const { method = "", headers } = request;
    const isAnswered = new Promise<boolean>((resolve) => response.once("close", () => resolve(response.writableFinished)));
    const own = { method, target, path: url.pathname, query: url.searchParams };
    const got = { ...own, headers, body: Buffer.concat(chunks), isAnswered };
    const wrong = await trouble(got, requests.push(got) - 1);
    if (wrong === "hang") return;
    if (wrong === "reset") return void request.socket.destroy();
    if (wrong === undefined || "status" in wrong) return write(response, wrong ?? (await answer(got)));
    if ("cut" in wrong) return breakOff(response, wrong.cut);
    const right = await answer(got);
    if (wrong.lost === "cut") return breakOff(response, right);
    if (wrong.lost === "late") await sleep(wrong.lateMs);
    write(response, wrong.lost === "late" ? right : wrong.lost);
  };
  const server = certificate ? createTlsServer(certificate, serve) : createServer(serve);
  const listen = async (port: number): Promise<void> => await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `${certificate ? "https" : "http"}://127.0.0.1:${port}`,
    requests: requests as readonly ServiceRequest[],
    /** Makes the service fail: undefined lets it work. */
    breakWith: (next: typeof trouble) => {
      trouble = next;
    },
    /** Stops listening, or listens again at the same port. */
    setDown: async (isDown: boolean): Promise<void> => {
      if (isDown === !server.listening) return;
      await (isDown ? close() : listen(port));
    },
    close: async () => {
      if (server.listening) await close();
    },
  };
}

function write(response: ServerResponse, { status, headers, body, goOn }: ServiceAnswer): void {
  response.writeHead(status, { ...(typeof body === "object" && { "content-type": "application/json" }), ...headers });
  if (!goOn) return void response.end(textOf(body));
  response.write(textOf(body));
  goOn(response);
}

/** Sends the head and half of the body, and ends the connection. */
function breakOff(response: ServerResponse, { status, headers, body }: ServiceAnswer): void {
  const text = textOf(body);
  response.writeHead(status, { ...headers, "content-length": String(Buffer.byteLength(text) + 1) });
  response.write(text.slice(0, Math.ceil(text.length / 2)), () => response.socket?.destroy());
}

const textOf = (body: object | string): string => (typeof body === "object" ? JSON.stringify(body) : body);
