import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the receiver got it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact text. */
  readonly body: string;
}

/** How to answer: a status with headers and a body, or not at all. */
export type ReceiverAnswer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      /** Only the beginning of the body comes, and never its end. */
      readonly held?: true;
      /** Nothing comes before this. */
      readonly after?: Promise<unknown>;
    }
  | "hang"
  | "reset";

/** A real HTTP server in place of the target of a webhook. `answer` is asked for each request, counted from 0; 200 without one. */
export async function receiver(answer: (request: Received, index: number) => ReceiverAnswer = () => ({ status: 200 })) {
  const received: Received[] = [];
  let reply = answer;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // whoever sent was killed in the middle
    }
    const got = { path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() };
    received.push(got);
    const how = reply(got, received.length - 1);
    if (how === "hang") return;
    if (how === "reset") {
      request.socket.destroy();
      return;
    }
    await how.after;
    response.writeHead(how.status, how.headers);
    if (how.held) response.write(how.body ?? "");
    else response.end(how.body ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received: received as readonly Received[],
    answerWith: (next: typeof answer) => {
      reply = next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
export type Receiver = Awaited<ReturnType<typeof receiver>>;
