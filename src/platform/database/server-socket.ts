import net from "node:net";
import tls from "node:tls";
import type { ConnectionTarget } from "./connection-target.ts";

const tlsRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/**
 * Opens a socket to the server, with TLS if the target requires it. The socket has an error listener, so it can never bring the process
 * down. Rejects with the system's error, or with `CONNECT_TIMEOUT` after `timeoutMs`.
 */
export async function openServerSocket(target: ConnectionTarget, timeoutMs: number): Promise<net.Socket> {
  const raw = target.host.startsWith("/")
    ? net.connect(`${target.host}/.s.PGSQL.${target.port}`)
    : net.connect({ host: target.host, port: target.port, noDelay: true });
  raw.on("error", ignoreLateError);
  const timer = setTimeout(() => raw.destroy(timedOut(target, timeoutMs)), timeoutMs);
  try {
    await once(raw, "connect");
    if (target.tls === "disable") return raw;
    raw.write(tlsRequest);
    const answer = await once(raw, "data");
    if (Buffer.isBuffer(answer) && answer.toString() === "S") return await secure(raw, target);
    if (target.tls === "prefer") return raw;
    throw Object.assign(new Error(`${target.host}:${target.port} does not speak TLS, but DATABASE_URL asks for sslmode=${target.tls}`), {
      code: "NO_TLS",
    });
  } catch (error) {
    raw.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function secure(raw: net.Socket, target: ConnectionTarget): Promise<tls.TLSSocket> {
  const verified = target.tls === "verify-ca" || target.tls === "verify-full";
  const socket = tls.connect({
    socket: raw,
    ...target.certificates,
    ...(net.isIP(target.host) === 0 && { servername: target.host }),
    host: target.host,
    rejectUnauthorized: verified,
    // verify-ca trusts any name that the authority has signed
    ...(target.tls !== "verify-full" && { checkServerIdentity: () => undefined }),
  });
  socket.on("error", ignoreLateError);
  await once(socket, "secureConnect");
  return socket;
}

/** Resolves with the first argument of the event; rejects if the socket fails or closes before it. */
function once(socket: net.Socket, event: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onClose = () => settle(() => reject(Object.assign(new Error("The server closed the connection"), { code: "CONNECTION_CLOSED" })));
    const onError = (error: Error) => settle(() => reject(error));
    const onEvent = (value: unknown) => settle(() => resolve(value));
    const settle = (then: () => void) => {
      socket.off("close", onClose).off("error", onError).off(event, onEvent);
      then();
    };
    socket.on("close", onClose).on("error", onError).on(event, onEvent);
  });
}

/** Every failure also arrives as `close`, which the connection handles. */
function ignoreLateError(): void {}

function timedOut(target: ConnectionTarget, timeoutMs: number): Error {
  return Object.assign(new Error(`No answer from ${target.host}:${target.port} within ${timeoutMs} ms`), { code: "CONNECT_TIMEOUT" });
}
