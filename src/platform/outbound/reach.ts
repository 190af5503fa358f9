import { TLSSocket } from "node:tls";
import { within } from "../../base/lifecycle/lifecycle.ts";
import { refusalOfAddresses } from "./address.ts";
import { allowanceOf } from "./allow.ts";
import { openSocket } from "./exchange.ts";
import { failureText } from "./failure.ts";
import { type Resolve, resolveBySystem } from "./resolve.ts";
import { targetOf } from "./target.ts";

/** Whether a target can be reached, without sending a request. `shown` is host and port. Texts contain no secrets. */
export type Reach =
  | { readonly kind: "reached"; readonly shown: string /** Expiry of its certificate. */; readonly validTo: Date | undefined }
  | { readonly kind: "refused"; readonly error: string }
  | { readonly kind: "unreachable"; readonly error: string };

export interface ReachOptions {
  /** Entries of OUTBOUND_ALLOW. */
  readonly allow: readonly string[];
  readonly timeoutMs: number;
  readonly resolve?: Resolve;
  /** PEM; trusted instead of the system's certificates. */
  readonly ca?: string;
}

/**
 * Performs the steps of a delivery up to the connection and its TLS: name, allowed addresses, connection. Sends no request and never
 * rejects.
 */
export async function reachTarget(url: string, { allow, timeoutMs, resolve = resolveBySystem, ca }: ReachOptions): Promise<Reach> {
  const target = targetOf(url);
  if (typeof target === "string") return { kind: "refused", error: target };
  const { host, shown } = target;
  const overrun = new Error(`no connection within ${timeoutMs / 1000} s`);
  try {
    return await within(
      timeoutMs,
      async () => {
        const addresses = target.isAddress ? [host] : await resolve(host);
        const refused = refusalOfAddresses(host, addresses) ?? allowanceOf(allow).refusal(host, addresses);
        if (refused !== undefined) return { kind: "refused", error: refused } as const;
        const socket = openSocket(target, addresses, ca);
        socket.setTimeout(timeoutMs, () => socket.destroy());
        try {
          await connected(socket);
          const end = socket instanceof TLSSocket ? socket.getPeerCertificate().valid_to : undefined;
          return { kind: "reached", shown, validTo: end === undefined ? undefined : new Date(end) } as const;
        } finally {
          socket.destroy();
        }
      },
      overrun,
    );
  } catch (error) {
    return { kind: "unreachable", error: error === overrun ? `${shown}: ${overrun.message}` : failureText(shown, error) };
  }
}

function connected(socket: ReturnType<typeof openSocket>): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", () => resolve());
    socket.on("error", reject);
    socket.once("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
  });
}
