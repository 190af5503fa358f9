import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the receiver got it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact text. */
  readonly body: string;
}

/** The reply: a status with headers and a body, or none at all. */
export type ReceiverAnswer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      /** Sends only the beginning of the body, and never its end. */
      readonly held?: true;
      /** Sends nothing before this resolves. */
      readonly after?: Promise<unknown>;
    }
  | "hang"
  | "reset";

/** A real HTTP server in place of a webhook's target. `answer` is called for each request, counted from 0; the default is 200. */
export async function receiver(answer: (request: Received, index: number) => ReceiverAnswer = () => ({ status: 200 })) {
  const received: Received[] = [];
  let reply = answer;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the sender was killed in the middle
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
