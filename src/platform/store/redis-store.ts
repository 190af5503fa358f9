import { Redis } from "ioredis";
import type { Log } from "../../base/log/log.ts";
import type { Store } from "./store.ts";

const answerMs = 250;
const longestRetryMs = 1_000;
/** Interval between pings to a server that did not reply. */
const probeMs = 500;

/** `Store.hit` in one round trip: a list of the newest hits; the oldest one that counts decides. */
const hitScript = `
local at, window, max = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local decisive = redis.call('lindex', KEYS[1], max - 1)
redis.call('lpush', KEYS[1], ARGV[1])
redis.call('ltrim', KEYS[1], 0, max - 1)
redis.call('pexpire', KEYS[1], ARGV[4])
return (not decisive or math.abs(at - tonumber(decisive)) >= window) and 1 or 0
`;

/**
 * The store on Redis or Valkey. It fails open: a command without a reply within 250 ms, or without a connection, is rejected and never
 * queued; reconnecting continues all the time. Resolves when connected, or after the first attempt has failed.
 */
export async function openRedisStore(redisUrl: string, log: Log): Promise<Store> {
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectionName: "homesec",
    commandTimeout: answerMs,
    connectTimeout: 2_000,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: (attempt) => Math.min(50 * attempt, longestRetryMs),
  });
  let reachable: boolean | undefined;
  redis.on("error", (error: Error) => {
    if (reachable !== false) log.warn({ err: error }, "The store (REDIS_URL) cannot be reached; going on without it");
    reachable = false;
  });
  redis.on("ready", () => {
    if (reachable === false) log.info({}, "The store (REDIS_URL) is back");
    reachable = true;
  });
  // The failure has been logged as an error event, and the client keeps trying
  await redis.connect().catch(() => {});

  // A slow server would delay every request: after one failure, commands are rejected until a ping is answered
  let probe: NodeJS.Timeout | undefined;
  const rest = (): void => {
    probe = setTimeout(() => {
      redis.ping().then(() => {
        probe = undefined;
      }, rest);
    }, probeMs).unref();
  };

  return {
    kind: "redis",
    version: async () => {
      const info = await redis.info("server");
      const field = (name: string) => new RegExp(`^${name}:(.+?)\\r?$`, "m").exec(info)?.[1];
      const valkey = field("valkey_version");
      return valkey ? `valkey ${valkey}` : `redis ${field("redis_version") ?? "of unknown version"}`;
    },
    hit: async (key, at, { windowMs, max, keepMs }) => {
      if (probe) throw new Error("The store gave no answer a moment ago");
      try {
        return (await redis.eval(hitScript, 1, `homesec:hits:${key}`, at, windowMs, max, keepMs)) === 1;
      } catch (error) {
        if (!probe) rest();
        throw error;
      }
    },
    close: async () => {
      redis.disconnect();
      clearTimeout(probe);
    },
  };
}
