import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";

/** A service's answer, byte for byte. */
export interface RawAnswer {
  /** Sent in order, each after the pause. */
  readonly pieces: readonly (Buffer | string)[];
  readonly pauseMs?: number;
  /** Repeats the last piece until the connection is closed. */
  readonly endless?: boolean;
  /** Keeps the connection open at the end. */
  readonly stays?: boolean;
}

/** A service that answers every request with given bytes, whether they are HTTP or not. */
export async function rawService() {
  let answer: RawAnswer = { pieces: [] };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // a client closes the connection when it has read enough
    socket.on("error", () => socket.destroy());
    let asked = "";
    let answering = false;
    socket.on("data", (chunk: Buffer) => {
      asked += chunk.toString("latin1");
      const length = Number(/content-length: (\d+)/i.exec(asked)?.[1] ?? 0);
      const bodyAt = asked.indexOf("\r\n\r\n") + 4;
      if (answering || bodyAt < 4 || asked.length - bodyAt < length) return;
      answering = true;
      asked = "";
      send(socket, answer).then(
        () => {
          answering = false;
        },
        () => socket.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answerWith: (next: RawAnswer): void => {
      answer = next;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function send(socket: Socket, { pieces, pauseMs = 0, endless = false, stays = false }: RawAnswer): Promise<void> {
  const write = (piece: Buffer | string): Promise<void> =>
    new Promise((resolve) => {
      if (socket.destroyed) return resolve();
      // a client that does not read must not delay the test
      const waited = setTimeout(resolve, 1_000);
      socket.write(piece, () => {
        clearTimeout(waited);
        resolve();
      });
    });
  for (const piece of pieces) {
    await write(piece);
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  const last = pieces.at(-1);
  while (endless && last !== undefined && !socket.destroyed) {
    await write(last);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  if (!stays && !endless) socket.end();
}

/** A complete answer with a JSON content type. The connection stays open, as with a real service. */
export function jsonAnswer(
  body: string | Buffer,
  { status = "200 OK", headers = [] }: { status?: string; headers?: readonly string[] } = {},
): RawAnswer {
  const bytes = Buffer.from(body);
  const head = [`HTTP/1.1 ${status}`, "content-type: application/json", `content-length: ${bytes.length}`, ...headers, "", ""].join("\r\n");
  return { pieces: [Buffer.concat([Buffer.from(head, "latin1"), bytes])], stays: true };
}
