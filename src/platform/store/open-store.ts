import type { Log } from "../../base/log/log.ts";
import { inProcessStore } from "./in-process-store.ts";
import type { Store } from "./store.ts";

/** Opens the store: on Redis or Valkey with `REDIS_URL`, else in this process. An unreachable server is no error here. */
export async function openStore(options: { readonly redisUrl?: string | undefined; readonly log: Log }): Promise<Store> {
  if (options.redisUrl === undefined) return inProcessStore();
  // loaded where it is used: the client costs time at the start, and memory
  const { openRedisStore } = await import("./redis-store.ts");
  return openRedisStore(options.redisUrl, options.log);
}
