import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/**
 * The fault of a statement. `lost`: the connection closes before it reaches the server. `unanswered`: the server executes it, and the
 * connection closes before the reply.
 */
export type Fate = "lost" | "unanswered";

/** A proxy between a program and PostgreSQL that counts statements and breaks one of them. */
export interface Wire {
  /** To be used in place of the server's address. */
  readonly url: string;
  /** Breaks the `n`-th statement from now, starting at 1. */
  failNext(n: number, fate: Fate): void;
  /** Text of the statement that broke since `failNext`; undefined if none has. */
  failed(): string | undefined;
  close(): Promise<void>;
}

/** Opens a proxy for a `postgres://` address over TCP. */
export async function cuttingWire(target: string): Promise<Wire> {
  const address = new URL(target);
  const sockets = new Set<Socket>();
  let left = Number.POSITIVE_INFINITY;
  let fate: Fate = "lost";
  let failed: string | undefined;

  /** Whether this statement is the one. */
  const isNext = (text: string): boolean => {
    left -= 1;
    if (left !== 0) return false;
    failed = text.replaceAll(/\s+/g, " ").trim();
    return true;
  };

  const server = createServer((client) => {
    const upstream = connect(Number(address.port), address.hostname);
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    let deaf = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", cut);
      socket.on("close", () => {
        sockets.delete(socket);
        cut();
      });
    }
    upstream.on("data", (chunk) => {
      if (!deaf) client.write(chunk);
      // "Ready for query" ends the server's reply to a statement, if it arrives in one piece.
      else if (chunk.at(-6) === 0x5a) cut();
      else setTimeout(cut, 500);
    });
    const statementsIn = messageReader();
    client.on("data", (chunk) => {
      const isHit = statementsIn(chunk).map(isNext).includes(true);
      if (isHit && fate === "lost") return cut();
      if (isHit) deaf = true;
      upstream.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const here = new URL(target);
  here.searchParams.set("sslmode", "disable");
  here.port = String((server.address() as AddressInfo).port);
  return {
    url: here.href,
    failNext: (n, what) => {
      left = n;
      fate = what;
      failed = undefined;
    },
    failed: () => failed,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Parses a client's messages; returns the texts of the statements that a chunk has executed. */
function messageReader(): (chunk: Buffer) => readonly string[] {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  const prepared = new Map<string, string>();
  let bound = "";
  const textAt = (body: Buffer, from: number): string => body.toString("utf8", from, body.indexOf(0, from));
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const executed: string[] = [];
    for (;;) {
      const head = isStarted ? 1 : 0;
      if (rest.length < head + 4) return executed;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return executed;
      const type = isStarted ? String.fromCharCode(rest[0] as number) : "";
      const body = rest.subarray(head + 4, end);
      rest = rest.subarray(end);
      isStarted = true;
      if (type === "Q") executed.push(textAt(body, 0));
      if (type === "P") prepared.set(textAt(body, 0), textAt(body, body.indexOf(0) + 1));
      if (type === "B") bound = prepared.get(textAt(body, body.indexOf(0) + 1)) ?? "";
      if (type === "E") executed.push(bound);
    }
  };
}
