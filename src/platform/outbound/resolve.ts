import { lookup, Resolver } from "node:dns/promises";
import { within } from "../../base/lifecycle/lifecycle.ts";

/** Finds the addresses of a name. Rejects with an error of Node (`ENOTFOUND` and the like) when it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Two ways to ask for the addresses of a name, and how long they are waited for. */
export interface Sources {
  /** Knows the hosts file and the names of the local network; cannot be called off. */
  readonly system: Resolve;
  /** The name servers themselves; called off by the signal. */
  readonly servers: (name: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** From then on the name servers are asked too. */
  readonly patienceMs: number;
  /** Then there is no answer. */
  readonly timeoutMs: number;
}

/**
 * The system looks up two names at a time only, so a few that nobody answers for would hold up all others: each name is
 * looked up once at a time, and when no answer has come for a while, the name servers are asked as well.
 */
export function resolveBy({ system, servers, patienceMs, timeoutMs }: Sources): Resolve {
  const underWay = new Map<string, Promise<readonly string[]>>();
  const bySystemOnce = (name: string): Promise<readonly string[]> => {
    const known = underWay.get(name);
    if (known) return known;
    const found = system(name).finally(() => underWay.delete(name));
    underWay.set(name, found);
    return found;
  };
  return async (name) => {
    const bySystem = bySystemOnce(name);
    const stop = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const byServers = new Promise<readonly string[]>((done, fail) => {
      timer = setTimeout(() => servers(name, stop.signal).then(done, fail), patienceMs);
    });
    // what the system says of a name beats what the servers do not know
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

/** How this machine finds addresses. */
export const resolveBySystem: Resolve = resolveBy({
  system: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  servers: askServers,
  patienceMs: 1_000,
  timeoutMs: 5_000,
});
