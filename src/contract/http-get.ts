import { type IncomingMessage, request as openHttp, type RequestOptions } from "node:http";
import { buffer } from "node:stream/consumers";

/** A whole reply. */
export interface ReceivedReply {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly bytes: Uint8Array;
}

const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Reads an address with the HTTP client of Node, and refuses redirects like `fetch` with `redirect: "error"`. A command that only reads
 * starts sooner with it, because `fetch` and everything around it are compiled again in each process. Calls `onReply` when the
 * reply begins. Throws the error of the connection, or an `AbortError` with the reason of the signal as its cause.
 */
export async function getOverHttp(
  url: string,
  { headers, signal, onReply }: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal; onReply(): void },
): Promise<ReceivedReply> {
  const open = url.startsWith("https:") ? (await import("node:https")).request : openHttp;
  const reply = await replyTo(open, url, { headers, signal });
  const status = reply.statusCode ?? 0;
  if (redirects.has(status)) {
    reply.destroy();
    throw new TypeError("fetch failed", { cause: new Error("unexpected redirect") });
  }
  onReply();
  const bytes = await buffer(reply).catch((error: unknown) => {
    // A reply that the signal ends only reports that it was cut off
    signal.throwIfAborted();
    throw error;
  });
  const get = (name: string): string | null => [reply.headers[name] ?? []].flat()[0] ?? null;
  return { status, headers: { get }, bytes: new Uint8Array(bytes) };
}

type Open = (url: string, options: RequestOptions) => ReturnType<typeof openHttp>;

/** Sends the request. A connection that was kept open may have been closed meanwhile: then it is sent again over another one. */
async function replyTo(open: Open, url: string, options: RequestOptions): Promise<IncomingMessage> {
  for (;;) {
    const request = open(url, options);
    try {
      return await new Promise<IncomingMessage>((resolve, reject) => {
        request.once("response", resolve).on("error", reject).end();
      });
    } catch (error) {
      const wasClosed = request.reusedSocket && error instanceof Error && "code" in error && error.code === "ECONNRESET";
      if (!wasClosed || options.signal?.aborted) throw error;
    }
  }
}

/** The media type of a reply. */
export function mediaTypeOf({ headers }: Pick<ReceivedReply, "headers">): string {
  return headers.get("content-type") ?? "application/octet-stream";
}

/** The JSON of a reply; undefined for other texts, which fit no schema and are refused with the same message. */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
