import { createHash, randomUUID } from "node:crypto";
import { redisServer } from "./redis.ts";

/** Each home uses a separate database of the one server. */
const databases = 10_000;

/** With `npm run test:redis`: starts one Redis for the run, which every daemon of a test uses by default. Returns how to stop it. */
export async function redisForAll(): Promise<() => Promise<void>> {
  if (process.env["TEST_REDIS"] !== "all") return async () => {};
  const redis = await redisServer({ databases });
  // The workers of the run inherit it with their environment.
  process.env["TEST_REDIS_URL"] = redis.url;
  return () => redis.stop();
}

/** Returns `REDIS_URL` for a daemon with this environment if the run has a Redis: daemons on one database share theirs. */
export function redisOf(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const url = process.env["TEST_REDIS_URL"];
  if (url === undefined || env["REDIS_URL"] !== undefined) return {};
  const home = env["DATABASE_URL"] ?? env["DATA_DIR"] ?? randomUUID();
  const number = Number.parseInt(createHash("sha256").update(home).digest("hex").slice(0, 8), 16) % databases;
  return { REDIS_URL: `${url}/${number}` };
}
