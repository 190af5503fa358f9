import { Redis } from "ioredis";
import { within } from "../../base/lifecycle/lifecycle.ts";

/** What a Redis or Valkey server says of itself. */
export interface RedisFacts {
  /** `redis 7.0.15`, `valkey 8.1.1`. */
  readonly product: string;
  /** Of the protocol of Redis that it speaks: `7.0.15`. */
  readonly version: string;
  /** What it does when its memory is full: `noeviction`, `allkeys-lru`. */
  readonly evictionPolicy: string;
  /** 0: as much as there is. */
  readonly mostBytes: number;
  readonly usedBytes: number;
  /** Of one answer. */
  readonly answerMs: number;
}

/** Asks a server once, over a connection of its own. Rejects with the reason when it does not answer within the time. */
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
  // the first error says why; what comes after it is nobody's
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
      mostBytes: Number(field("maxmemory") || 0),
      usedBytes: Number(field("used_memory") || 0),
      answerMs,
    };
  } catch (error) {
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}
