import { isIP } from "node:net";
import type { KnownLogin } from "../../src/monitoring/receivers/logins-repository.ts";
import { TokenBucket } from "../../src/platform/limits/token-bucket.ts";
import type { WrongKeys } from "../http/wrong-keys.ts";

/** Part of all connections that one address may have. */
const shareOfAddress = 1 / 4;

/** What delivers: a camera by a protocol, or a recorder for the cameras of its rules. */
interface Delivering {
  readonly cameraId: string;
  readonly protocol: string;
  readonly mailRules?: KnownLogin["mailRules"];
}

/** Limits what one client or camera may take from a receiver. */
export class Guard {
  readonly #options: { readonly mostConnections: number; readonly filesPerMinute: number; readonly wrongPasswords: WrongKeys };
  readonly #byAddress = new Map<string, number>();
  readonly #buckets = new Map<string, TokenBucket>();
  #connections = 0;

  constructor(options: { readonly mostConnections: number; readonly filesPerMinute: number; readonly wrongPasswords: WrongKeys }) {
    this.#options = options;
  }

  /** Number of admitted connections. */
  get connections(): number {
    return this.#connections;
  }

  /** Admits a connection and returns the function that releases it; undefined if there are too many, in all or from this address. */
  admit(address: string): (() => void) | undefined {
    const { mostConnections } = this.#options;
    const ofAddress = this.#byAddress.get(address) ?? 0;
    if (this.#connections >= mostConnections || ofAddress >= Math.max(1, Math.ceil(mostConnections * shareOfAddress))) return undefined;
    this.#connections += 1;
    this.#byAddress.set(address, ofAddress + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#connections -= 1;
      const left = (this.#byAddress.get(address) ?? 1) - 1;
      if (left === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, left);
    };
  }

  /** Tells whether the camera may deliver another file now. A recorder that sends for several cameras may deliver as much as they. */
  mayDeliver({ cameraId, protocol, mailRules = [] }: Delivering): boolean {
    const now = performance.now();
    const cameras = Math.max(1, new Set(mailRules.map(({ camera_id }) => camera_id)).size);
    const key = `${protocol} ${cameraId} ${cameras}`;
    const filesPerMinute = this.#options.filesPerMinute * cameras;
    const bucket = this.#buckets.get(key) ?? new TokenBucket({ perSecond: filesPerMinute / 60, burst: filesPerMinute }, now);
    this.#buckets.set(key, bucket);
    return bucket.take(now);
  }

  /** Counts a wrong password, and resolves after the delay that its answer has to wait. */
  wrongPassword(address: string): Promise<void> {
    return this.#options.wrongPasswords.record(address);
  }
}

/** Returns the address of a socket as people write it: an IPv4 address without the prefix of an IPv6 socket. */
export function clientOf(remoteAddress: string | undefined): string {
  const address = remoteAddress ?? "unknown";
  const plain = address.replace(/^::ffff:/i, "");
  return isIP(plain) === 4 ? plain : address;
}
