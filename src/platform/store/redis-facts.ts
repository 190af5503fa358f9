import { Redis } from "ioredis";
import { within } from "../../base/lifecycle/lifecycle.ts";

/** Information that a Redis or Valkey server reports. */
export interface RedisFacts {
  /** `redis 7.0.15`, `valkey 8.1.1`. */
  readonly product: string;
  /** Its version of the Redis protocol: `7.0.15`. */
  readonly version: string;
  /** Its policy when its memory is full: `noeviction`, `allkeys-lru`. */
  readonly evictionPolicy: string;
  /** 0: unlimited. */
  readonly maxBytes: number;
  readonly usedBytes: number;
  /** Duration of one reply. */
  readonly answerMs: number;
}

/** Queries a server once, over a new connection. Rejects with the reason if it does not reply in time. */
export async function askRedis(url: string, timeoutMs: number): Promise<RedisFacts> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectionName: "homesec-doctor",
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: () => null,
  });
  // The first error gives the reason; later ones are ignored
  let reason: Error | undefined;
  redis.on("error", (error: Error) => {
    reason ??= error;
  });
  const ask = async () => {
    await redis.connect();
    const begun = performance.now();
    const info = await redis.info();
    return { info, answerMs: Math.round(performance.now() - begun) };
  };
  try {
    const { info, answerMs } = await within(timeoutMs, ask, new Error(`no answer within ${timeoutMs / 1000} s`));
    const field = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? "";
    const valkey = field("valkey_version");
    const version = field("redis_version");
    return {
      product: valkey === "" ? `redis ${version}` : `valkey ${valkey}`,
      version,
      evictionPolicy: field("maxmemory_policy"),
      maxBytes: Number(field("maxmemory") || 0),
      usedBytes: Number(field("used_memory") || 0),
      answerMs,
    };
  } catch (error) {
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}
