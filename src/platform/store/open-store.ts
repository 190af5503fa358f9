import type { Log } from "../../base/log/log.ts";
import { HitWindows } from "./hit-windows.ts";
import type { Store } from "./store.ts";

/** Opens the store: on Redis or Valkey with `REDIS_URL`, otherwise in this process. An unreachable server is not an error here. */
export async function openStore(options: { readonly redisUrl?: string | undefined; readonly log: Log }): Promise<Store> {
  if (options.redisUrl === undefined) return inProcessStore();
  // Loaded on demand: the client costs start time and memory
  const { openRedisStore } = await import("./redis-store.ts");
  return openRedisStore(options.redisUrl, options.log);
}

/** Creates the store of a single process, which lasts as long as the process. */
export function inProcessStore(): Store {
  const windows = new HitWindows();
  return {
    kind: "in-process",
    version: async () => "in-process",
    hit: async (key, at, rule) => windows.hit(key, at, rule),
    close: async () => {},
  };
}
