import { once } from "node:events";
import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import type { Upload } from "../inbox.ts";
import { type FtpLimits, TransferFault } from "./limits.ts";

/** Encrypts a connection as its server. Rejects if the handshake fails or takes too long. */
export async function secured(socket: Socket, secureContext: SecureContext, timeoutMs: number): Promise<TLSSocket> {
  const secure = new TLSSocket(socket, { isServer: true, secureContext });
  const timer = setTimeout(() => secure.destroy(new Error("the TLS handshake took too long")), timeoutMs);
  const closed = new AbortController();
  secure.once("close", () => closed.abort());
  try {
    await once(secure, "secure", { signal: closed.signal });
    secure.on("error", () => {});
    return secure;
  } catch (error) {
    secure.on("error", () => {});
    secure.destroy();
    throw closed.signal.aborted ? new Error("the connection was closed during the TLS handshake", { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Writes everything that arrives to the upload. Resolves at the orderly end of the connection, which is the only sign that a file is
 * complete in FTP. Over TLS the end of the TCP connection counts too: many cameras send no close_notify. Throws `TransferFault` if the
 * connection breaks, stalls, or is too slow.
 */
export async function receiveFile(socket: Socket, upload: Upload, limits: FtpLimits, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  let lastAt = startedAt;
  let isWriting = false;
  const end = (why: string): void => {
    socket.destroy(new TransferFault(426, `${why} after ${bytesText(upload.bytes)}, without a complete file`));
  };
  const timer = setInterval(
    () => {
      // a slow disk is no fault of the camera
      if (isWriting) return;
      const now = performance.now();
      if (now - lastAt > limits.idleDataMs) end(`The data connection was silent for ${limits.idleDataMs / 1_000} s`);
      const seconds = (now - startedAt) / 1_000;
      if (seconds * 1_000 > limits.slowAfterMs && upload.bytes / seconds < limits.bytesPerSecond)
        end(`The upload was ended for being slower than ${limits.bytesPerSecond} bytes per second`);
    },
    Math.min(1_000, limits.idleDataMs / 4, limits.slowAfterMs / 4),
  );
  const abort = (): void => end("The upload was aborted");
  signal.addEventListener("abort", abort, { once: true });
  let wasReset = false;
  socket.once("end", () => {
    wasReset = isReset(socket);
  });
  try {
    if (signal.aborted) abort();
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      isWriting = true;
      await upload.write(chunk);
      isWriting = false;
      lastAt = performance.now();
    }
    if (wasReset) throw new TransferFault(426, `The data connection ended after ${bytesText(upload.bytes)} without a complete file`);
  } catch (error) {
    throw isBroken(error)
      ? new TransferFault(426, `The data connection ended after ${bytesText(upload.bytes)} without a complete file`)
      : error;
  } finally {
    clearInterval(timer);
    signal.removeEventListener("abort", abort);
    socket.destroy();
  }
}

/**
 * Tells whether a connection that seems to have ended in order was reset: libuv reports a reset that arrives together with data as an
 * orderly end. The kernel then knows no peer any more, which Node.js does not offer to ask. Not for TLS, whose end is a message.
 */
function isReset(socket: Socket): boolean {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly getpeername?: (address: object) => number } | null };
  return !(socket instanceof TLSSocket) && handle?.getpeername !== undefined && handle.getpeername({}) !== 0;
}

/** Sends a text and ends the connection. */
export async function sendText(socket: Socket, text: string, limits: FtpLimits, signal: AbortSignal): Promise<void> {
  const stop = (): void => void socket.destroy();
  socket.setTimeout(limits.idleDataMs, stop);
  signal.addEventListener("abort", stop, { once: true });
  const closed = once(socket, "close");
  socket.resume();
  socket.end(text);
  await closed.catch(() => {});
  signal.removeEventListener("abort", stop);
}

/** Tells whether the connection broke, and not the disk. Errors of the inbox have no code. */
function isBroken(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).code === "string" && !(error instanceof TransferFault);
}

function bytesText(bytes: number): string {
  return `${bytes.toLocaleString("en-US")} bytes`;
}
