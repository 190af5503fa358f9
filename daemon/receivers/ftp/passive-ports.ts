import { once } from "node:events";
import { type AddressInfo, isIPv4, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { TransferFault } from "./limits.ts";

/** Interval between attempts to find a free port. */
const retryMs = 50;

/** The ports for passive data connections. */
export class PassivePorts {
  readonly #range: readonly [first: number, last: number] | null;
  readonly #taken = new Set<number>();
  #next = 0;

  /** `range`: null for free ports of the system. */
  constructor(range: readonly [first: number, last: number] | null) {
    this.#range = range;
  }

  /** The ports as text for a person. */
  get text(): string {
    return this.#range ? `the ports ${this.#range[0]}-${this.#range[1]}` : "its ports";
  }

  /** Makes the server listen and returns the port. Waits if all ports are in use; throws `TransferFault` if that lasts. */
  async listen(server: Server, host: string, waitMs: number): Promise<number> {
    const deadline = performance.now() + waitMs;
    do {
      for (const port of this.#candidates()) {
        this.#taken.add(port);
        if (await isListening(server, host, port)) return (server.address() as AddressInfo).port;
        this.#taken.delete(port);
      }
      await sleep(retryMs);
    } while (performance.now() < deadline);
    throw new TransferFault(425, `Passive connections use all of ${this.text}; give FTP_PASSIVE_PORTS more of them`);
  }

  /** Gives a port back after its server closed. */
  release(port: number): void {
    this.#taken.delete(port);
  }

  /** Returns the free ports. Each search starts behind the last port, so that a port rests before its next use. */
  #candidates(): readonly number[] {
    if (!this.#range) return [0];
    const [first, last] = this.#range;
    const count = last - first + 1;
    this.#next = (this.#next + 1) % count;
    const start = this.#next;
    return Array.from({ length: count }, (_, at) => first + ((start + at) % count)).filter((port) => !this.#taken.has(port));
  }
}

async function isListening(server: Server, host: string, port: number): Promise<boolean> {
  server.listen({ host, port, backlog: 4 });
  try {
    await once(server, "listening");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw new TransferFault(425, `No port for a passive connection could be opened on ${host}: ${(error as Error).message}`);
  }
}

/**
 * Returns the IPv4 address for the reply to PASV; undefined if there is none. A client on this machine gets the address it came to,
 * because it reaches that one in any case, and its connections must have one source.
 */
export function passiveAddress(address: {
  readonly client: string;
  readonly local: string;
  readonly configured: string | undefined;
}): string | undefined {
  const { client, local, configured } = address;
  if (configured !== undefined && isIPv4(configured) && !client.startsWith("127.")) return configured;
  return isIPv4(local) ? local : undefined;
}
