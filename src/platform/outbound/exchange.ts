import type { LookupFunction } from "node:net";
import { connect as connectPlain, isIPv6, type Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { connect as connectTls } from "node:tls";
import type { buildConnector, Dispatcher } from "undici";
import type { Target } from "./target.ts";

/** Of an answer so many bytes are read, and no more. */
const bodyLimit = 16 * 1024;
/** Once the status is there the rest is waited for no longer: the next message wants to go out. */
const bodyMs = 2_000;
/** Of several addresses the next is tried when one has not taken the connection for so long. */
const nextAddressAfterMs = 1_000;

/** What is sent, and to which of the checked addresses. */
export interface Exchange {
  readonly target: Target;
  /** All of them were checked. No other one is connected to. */
  readonly addresses: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Ends everything at once, a connection that is being made included. */
  readonly signal: AbortSignal;
  /** PEM; trusted instead of the certificates of the system. */
  readonly ca?: string | undefined;
}

/** An answer as it came. */
export interface Reply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

/**
 * Posts over a connection of its own, which is closed afterwards: nothing that a check said of one request is ever used
 * for another. Redirects are answers like others, proxies of the environment are not asked. Once the status is there the
 * exchange has succeeded, whatever becomes of the body. Throws what Node or undici throw, and the reason of the signal.
 */
export async function exchange({ target, addresses, headers, body, signal, ca }: Exchange): Promise<Reply> {
  let socket: Socket | undefined;
  // loaded where it is used: a daemon without webhooks needs none
  const { Client } = await import("undici");
  signal.throwIfAborted();
  const client = new Client(target.url.origin, {
    pipelining: 0,
    // the signal is the one deadline
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) => {
      // whatever undici makes of a lost connection, the request is sent once
      if (socket) return callback(Object.assign(new Error("closed"), { code: "ECONNRESET" }), null);
      socket = openSocket(target, addresses, ca);
      hand(socket, options.protocol === "https:" ? "secureConnect" : "connect", callback);
    },
  });
  const stop = (): void => void socket?.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const answer = await client.request({ method: "POST", path: `${target.url.pathname}${target.url.search}`, headers, body, signal });
    const after = answer.headers["retry-after"];
    return {
      status: answer.statusCode,
      retryAfter: (Array.isArray(after) ? after[0] : after) ?? null,
      body: await beginningOf(answer.body),
    };
  } finally {
    signal.removeEventListener("abort", stop);
    socket?.destroy();
    await client.destroy();
  }
}

/** Starts a connection to one of the addresses. Name and certificate stay those of the URL. */
export function openSocket({ url, host, isAddress }: Target, addresses: readonly string[], ca?: string): Socket {
  const lookup: LookupFunction = (_, { all }, callback) => {
    const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    const [first] = found;
    if (!first) callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "");
    else if (all) callback(null, found);
    else callback(null, first.address, first.family);
  };
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

/** Gives a socket to undici when it is connected, or the error that it came to. */
function hand(socket: Socket, ready: "connect" | "secureConnect", callback: buildConnector.Callback): void {
  let isDone = false;
  const once = (give: () => void): void => {
    if (isDone) return;
    isDone = true;
    give();
  };
  socket.setNoDelay(true);
  socket.once(ready, () => once(() => callback(null, socket)));
  // stays for the life of the socket: an error after the end is nobody's
  socket.on("error", (error) => once(() => callback(error, null)));
  socket.once("close", () => once(() => callback(Object.assign(new Error("closed"), { code: "ECONNRESET" }), null)));
}

/** The first bytes of a body as text, without those that text in a database cannot hold. What comes after them, or later than in 2 s, is not read. */
async function beginningOf(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const timer = setTimeout(() => body.destroy(), bodyMs);
  const decoder = new StringDecoder("utf8");
  let text = "";
  let left = bodyLimit;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      text += decoder.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) break;
    }
  } catch {
    // cut off by the other side or a deadline: what came is there
  } finally {
    clearTimeout(timer);
  }
  return text.replaceAll("\0", "\uFFFD");
}
