import { type ChildProcess, spawn } from "node:child_process";
import type { Server as HttpServer } from "node:http";
import { createServer, type Server, type Socket } from "node:net";

/** Number of handles beside the server's. */
const furtherHandles = 15;
/** After a connection in each of this many turns in a row, connections wait for each other. A browser opens six. */
const busyTurns = 50;
/** Copies the handle that it receives, because it arrives in either direction as another file descriptor. */
const echo = "process.on('message', (message, handle) => process.send(message, handle))";
/** How long the copies may take. */
const copyTimeoutMs = 10_000;

/**
 * Listens on further handles of the server's socket once connections wait for each other. Node.js accepts one connection per handle and turn
 * of the event loop. A thousand clients that connect again and again make its turns long and keep a thousand connections waiting, so that
 * everyone else waits for a thousand turns: 12 s were measured. With 16 handles it is a sixteenth of that.
 *
 * Only a process that receives a handle from another one gets a copy of it, so a small process sends the handle back and ends. A home
 * without such a flood never starts it. Without the copies, the server's own handle does everything. Returns the function that closes the
 * copies; the socket accepts connections until all handles are closed.
 */
export function acceptMoreWhenBusy(server: HttpServer, backlog: number): () => void {
  const further: Server[] = [];
  let copying: ChildProcess | undefined;
  let isClosed = false;
  let connections = 0;
  let turnsInARow = 0;

  const take = (handle: unknown): void => {
    if (!handle || isClosed) return;
    const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket & { server?: HttpServer }) => {
      // `node:http` reports faults of a connection to the server of its socket.
      socket.server = server;
      server.emit("connection", socket);
    });
    other.on("error", () => other.close());
    other.listen(handle, backlog);
    other.unref();
    further.push(other);
    if (further.length === furtherHandles) copying?.disconnect();
  };

  const copy = (): void => {
    // `child.send` accepts it as it is; a server would accept connections in the child as well.
    const { _handle: own } = server as unknown as { readonly _handle?: Server };
    if (!own) return;
    const child = spawn(process.execPath, ["-e", echo], { env: {}, stdio: ["ignore", "ignore", "ignore", "ipc"], timeout: copyTimeoutMs });
    copying = child;
    child.on("error", () => undefined);
    child.on("message", (_, handle) => take(handle));
    for (let count = 0; count < furtherHandles; count += 1) child.send("", own, () => undefined);
    child.unref();
  };

  server.on("connection", () => {
    if (copying) return;
    connections += 1;
    turnsInARow += 1;
    if (turnsInARow > busyTurns && !isClosed) return copy();
    const before = connections;
    // the second one runs at the end of the next turn, after its connection
    setImmediate(() =>
      setImmediate(() => {
        if (connections === before) turnsInARow = 0;
      }),
    );
  });

  return () => {
    isClosed = true;
    copying?.kill();
    for (const other of further.splice(0)) other.close();
  };
}
