import { get as getPlain, type IncomingMessage, Agent as PlainAgent } from "node:http";
import type { AgentOptions } from "node:https";
import { get as getTls, Agent as TlsAgent } from "node:https";
import { checkedLookup, refusalOfHost } from "./checked-lookup.ts";
import { failureText } from "./failure.ts";
import { type Resolve, resolveBySystem } from "./resolve.ts";

/** Why no response came, for a person. It names only host and port of the URL, and contains no secrets. */
export class GetFailure extends Error {
  override name = "GetFailure";
}

/** Gets addresses of a device in the house, over connections that stay open in between. */
export interface Getter {
  /**
   * Resolves with the head of the response of any status; the caller reads the body, or destroys it. Does not follow redirects. The signal
   * ends the request and the body. Throws `GetFailure`.
   */
  get(url: URL, options: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal }): Promise<IncomingMessage>;
  /** Closes the connections. */
  close(): void;
}

/** A connection without traffic is closed after this time, since cameras have few. */
const idleMs = 60_000;

/**
 * Creates a getter for one device. It never connects to a link-local address or a metadata service, whatever a name leads to. It accepts
 * headers that break the rules of HTTP, which cheap cameras send.
 */
export function createGetter(resolve: Resolve = resolveBySystem): Getter {
  const options: AgentOptions = { keepAlive: true, maxSockets: 2, maxFreeSockets: 1, timeout: idleMs };
  const lookup = checkedLookup(resolve);
  const plain = new PlainAgent(options);
  const tls = new TlsAgent(options);
  const send = (url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage> =>
    new Promise((done, fail) => {
      const common = { headers, signal, lookup, insecureHTTPParser: true };
      const isTls = url.protocol === "https:";
      const request = isTls ? getTls(url, { ...common, agent: tls }, done) : getPlain(url, { ...common, agent: plain }, done);
      request.on("error", (error: NodeJS.ErrnoException) => {
        if (signal.aborted) return fail(signal.reason);
        // The device closed the connection just before its next use
        if (error.code === "ECONNRESET" && request.reusedSocket) return send(url, headers, signal).then(done, fail);
        fail(new GetFailure(reasonOf(url.host, error), { cause: error }));
      });
    });
  return {
    async get(url, { headers, signal }) {
      const refusal = refusalOfHost(url.hostname);
      if (refusal !== undefined) throw new GetFailure(`${refusal}, which is never called`);
      return await send(url, headers, signal);
    },
    close: () => {
      plain.destroy();
      tls.destroy();
    },
  };
}

/** Names the port even if it is the usual one: it is what to check at the camera. */
function reasonOf(shown: string, error: NodeJS.ErrnoException): string {
  const { code, message } = firstOf(error);
  if (code === "ECONNREFUSED") return `connection refused at ${shown}`;
  if (message.endsWith("which is never called")) return message;
  if (code?.startsWith("HPE_")) return `${shown}: the camera does not answer in HTTP`;
  return failureText(shown, error);
}

/** Of several attempts, one for each address, the first. */
function firstOf(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  return error instanceof AggregateError ? ((error.errors as readonly NodeJS.ErrnoException[])[0] ?? error) : error;
}
