import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";

/** The first answers to wrong keys come at once: a person may have pasted the wrong one. */
const freeTries = 3;
const firstDelayMs = 250;
const longestDelayMs = 4_000;
/** An address without another wrong key for this time starts again. */
const forgetAfterMs = 10 * 60_000;
const mostAddresses = 1_000;

/** Counts wrong API keys or passwords by client address, so that guessing is slow and visible. */
export interface WrongKeys {
  /** Counts a wrong key, and resolves after the delay that its answer has to wait. Logs the 1st, 2nd, 4th, 8th ... of an address. */
  record(address: string): Promise<void>;
  /** All wrong keys since the start. */
  total(): number;
}

/** Creates the counter. It remembers the last thousand addresses. */
export function createWrongKeys({
  clock,
  log,
  what = "API key",
}: {
  readonly clock: Clock;
  readonly log: Log;
  /** What the clients send, for the log. */
  readonly what?: string;
}): WrongKeys {
  const byAddress = new Map<string, { readonly count: number; readonly at: number }>();
  let total = 0;
  return {
    record: async (address) => {
      total += 1;
      const at = clock.now().getTime();
      const before = byAddress.get(address);
      const count = before && Math.abs(at - before.at) < forgetAfterMs ? before.count + 1 : 1;
      // Moves the address to the end, so that the first one is the one to forget.
      byAddress.delete(address);
      byAddress.set(address, { count, at });
      const [oldest] = byAddress.keys();
      if (byAddress.size > mostAddresses && oldest !== undefined) byAddress.delete(oldest);
      if (Number.isInteger(Math.log2(count))) log.info({ client: address, wrong_keys: count }, `a client sent a wrong ${what}`);
      const delayMs = count <= freeTries ? 0 : Math.min(firstDelayMs * 2 ** (count - freeTries - 1), longestDelayMs);
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
    },
    total: () => total,
  };
}
