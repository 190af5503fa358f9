import { lookup, Resolver } from "node:dns/promises";
import { within } from "../lifecycle/lifecycle.ts";

/** Finds the addresses of a name. Rejects with an error of Node (`ENOTFOUND` and the like) when it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** A name server that does not answer shall not hold up who asks. */
const withinMs = 5_000;
/** From then on name servers are asked directly too. */
const patienceMs = 1_000;

const underWay = new Map<string, Promise<readonly string[]>>();

/**
 * Asks the system, which knows the hosts file and the names of the local network. The system looks up two names at a time
 * only, so a few dead ones would hold up all others: each name is looked up once at a time, and when no answer has come
 * after a second, the name servers are asked directly as well.
 */
export const resolveBySystem: Resolve = async (name) => {
  const bySystem = lookUpOnce(name);
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<"patience">((done) => {
    timer = setTimeout(done, patienceMs, "patience");
  });
  try {
    const first = await Promise.race([bySystem, patience]);
    if (first !== "patience") return first;
    const byServers = askServers(resolver, name);
    const overrun = Object.assign(new Error(`no answer for ${name}`), { code: "EAI_AGAIN" });
    return await within(withinMs, () => Promise.any([bySystem, byServers]).catch(() => bySystem), overrun);
  } finally {
    clearTimeout(timer);
    resolver.cancel();
  }
};

function lookUpOnce(name: string): Promise<readonly string[]> {
  const known = underWay.get(name);
  if (known) return known;
  const found = lookup(name, { all: true })
    .then((addresses) => addresses.map(({ address }) => address))
    .finally(() => underWay.delete(name));
  underWay.set(name, found);
  return found;
}

async function askServers(resolver: Resolver, name: string): Promise<readonly string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length === 0) throw new Error(`the name servers know no address of ${name}`);
  return addresses;
}
