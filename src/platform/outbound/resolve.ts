import { lookup, Resolver } from "node:dns/promises";
import { within } from "../../base/lifecycle/lifecycle.ts";

/** Resolves a name to its addresses. Rejects with an error of Node.js (`ENOTFOUND` and the like) if it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Two ways to resolve a name, and their timeouts. */
export interface Sources {
  /** Uses the hosts file and the names of the local network; cannot be cancelled. */
  readonly system: Resolve;
  /** Queries the name servers directly; the signal cancels it. */
  readonly servers: (name: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** After this time, the name servers are queried too. */
  readonly fallbackAfterMs: number;
  /** After this time, the lookup fails. */
  readonly timeoutMs: number;
}

/**
 * Resolves names. Node.js runs only two system lookups at a time, so a few names without a reply would delay all others. Therefore
 * concurrent lookups of one name share a call, and if no reply has come after `fallbackAfterMs`, the name servers are queried too.
 */
export function resolveBy({ system, servers, fallbackAfterMs, timeoutMs }: Sources): Resolve {
  const pending = new Map<string, Promise<readonly string[]>>();
  const bySystemOnce = (name: string): Promise<readonly string[]> => {
    const known = pending.get(name);
    if (known) return known;
    const found = system(name).finally(() => pending.delete(name));
    pending.set(name, found);
    return found;
  };
  return async (name) => {
    const bySystem = bySystemOnce(name);
    const stop = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const byServers = new Promise<readonly string[]>((done, fail) => {
      timer = setTimeout(() => servers(name, stop.signal).then(done, fail), fallbackAfterMs);
    });
    // If the name servers fail, the system's result decides
    const addresses = Promise.race([bySystem, byServers.catch(() => bySystem)]);
    try {
      const overrun = Object.assign(new Error(`no answer for ${name}`), { code: "EAI_AGAIN" });
      return await within(timeoutMs, () => addresses, overrun);
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  };
}

async function askServers(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  signal.addEventListener("abort", () => resolver.cancel(), { once: true });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length === 0) throw new Error(`the name servers know no address of ${name}`);
  return addresses;
}

/** Resolves names the way this machine does. */
export const resolveBySystem: Resolve = resolveBy({
  system: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  servers: askServers,
  fallbackAfterMs: 1_000,
  timeoutMs: 5_000,
});
