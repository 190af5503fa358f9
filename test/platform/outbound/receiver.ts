import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A target that stores the requests it receives. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** Number of connections in total, and of the open ones. */
  readonly connections: { total: number; open: number };
  readonly requests: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[];
  /** Its response or behaviour. */
  answer: { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string } | RequestListener;
  close(): Promise<void>;
}

/** Listens on 127.0.0.1 and a free port. */
export async function startReceiver(): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      receiver.requests.push({ method, url, headers, body: Buffer.concat(parts).toString() });
      if (typeof receiver.answer === "function") receiver.answer(request, response);
      else response.writeHead(receiver.answer.status, receiver.answer.headers).end(receiver.answer.body);
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    receiver.connections.total += 1;
    receiver.connections.open += 1;
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      receiver.connections.open -= 1;
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    port,
    connections: { total: 0, open: 0 },
    requests: [],
    answer: { status: 200 },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return receiver;
}
