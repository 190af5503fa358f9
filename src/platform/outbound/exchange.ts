import type { LookupFunction } from "node:net";
import { connect as connectPlain, type Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { connect as connectTls } from "node:tls";
import type { buildConnector, Dispatcher } from "undici";
import { giveAddresses } from "./checked-lookup.ts";
import type { Target } from "./target.ts";

/** Default maximum number of bytes read from a response. */
const bodyLimit = 16 * 1024;
/** Maximum wait for the body once the status has arrived, since the next message is waiting. */
const bodyMs = 2_000;
/** The next of several addresses is tried after this time. */
const nextAddressAfterMs = 1_000;

/** A request and the checked addresses of its target. */
export interface Exchange {
  readonly target: Target;
  /** All of them are checked. No other address is connected to. */
  readonly addresses: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Null: a GET. */
  readonly body: string | Buffer | null;
  /** Reads the body of a success instead of its first bytes. */
  readonly read?: ((body: AsyncIterable<Buffer>) => Promise<void>) | undefined;
  /** Maximum number of bytes read from the response. */
  readonly mostBytes?: number | undefined;
  /** Aborts everything at once, even a connection in progress. */
  readonly signal: AbortSignal;
  /** PEM; trusted instead of the system's certificates. */
  readonly ca?: string | undefined;
}

/** A response in its original form. */
export interface Reply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

/**
 * Posts or gets over a new connection, which is closed afterwards, so that the check of one request never applies to another. Redirects are
 * ordinary responses, and proxies of the environment are not used. Once the status has arrived, the exchange has succeeded regardless of
 * the body. Throws the errors of Node.js or undici, and the reason of the signal.
 */
export async function exchange(request: Exchange): Promise<Reply> {
  const { target, addresses, headers, body, read, mostBytes = bodyLimit, signal, ca } = request;
  let socket: Socket | undefined;
  // Loaded on demand: a daemon without webhooks does not need it
  const { Client } = await import("undici");
  signal.throwIfAborted();
  const client = new Client(target.url.origin, {
    pipelining: 0,
    // The signal is the only deadline
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) => {
      // The request is sent once, however undici handles a lost connection
      if (socket) return callback(Object.assign(new Error("closed"), { code: "ECONNRESET" }), null);
      socket = openSocket(target, addresses, ca);
      hand(socket, options.protocol === "https:" ? "secureConnect" : "connect", callback);
    },
  });
  const stop = (): void => void socket?.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const method = body === null ? "GET" : "POST";
    const answer = await client.request({ method, path: `${target.url.pathname}${target.url.search}`, headers, body, signal });
    const after = answer.headers["retry-after"];
    if (read && answer.statusCode === 200) {
      await read(answer.body as AsyncIterable<Buffer>);
      return { status: answer.statusCode, retryAfter: null, body: "" };
    }
    return {
      status: answer.statusCode,
      retryAfter: (Array.isArray(after) ? after[0] : after) ?? null,
      body: await beginningOf(answer.body, mostBytes),
    };
  } finally {
    signal.removeEventListener("abort", stop);
    socket?.destroy();
    await client.destroy();
  }
}

/** Starts a connection to one of the addresses. Name and certificate stay those of the URL. */
export function openSocket({ url, host, isAddress }: Target, addresses: readonly string[], ca?: string): Socket {
  const lookup: LookupFunction = (_, options, callback) => giveAddresses(addresses, options, callback);
  const where = { host, lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: nextAddressAfterMs };
  if (url.protocol !== "https:") return connectPlain({ ...where, port: Number(url.port || 80) });
  return connectTls({
    ...where,
    port: Number(url.port || 443),
    ...(!isAddress && { servername: host }),
    ...(ca !== undefined && { ca }),
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: true,
  });
}

/** Passes a connected socket, or its error, to undici. */
function hand(socket: Socket, ready: "connect" | "secureConnect", callback: buildConnector.Callback): void {
  let isDone = false;
  const once = (give: () => void): void => {
    if (isDone) return;
    isDone = true;
    give();
  };
  socket.setNoDelay(true);
  socket.once(ready, () => once(() => callback(null, socket)));
  // Stays for the life of the socket: errors after the end are ignored
  socket.on("error", (error) => once(() => callback(error, null)));
  socket.once("close", () => once(() => callback(Object.assign(new Error("closed"), { code: "ECONNRESET" }), null)));
}

/**
 * Returns the first bytes of a body as text, without characters that the database cannot store. It does not read further bytes, or bytes
 * that arrive after 2 s.
 */
async function beginningOf(body: Dispatcher.ResponseData["body"], mostBytes: number): Promise<string> {
  const timer = setTimeout(() => body.destroy(), bodyMs);
  const decoder = new StringDecoder("utf8");
  let text = "";
  let left = mostBytes;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      text += decoder.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) break;
    }
  } catch {
    // Cut off by the other side or a deadline: the part that arrived is kept
  } finally {
    clearTimeout(timer);
  }
  return text.replaceAll("\0", "\uFFFD");
}
