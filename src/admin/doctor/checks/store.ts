import type { RedisFacts } from "../../../platform/store/redis-facts.ts";
import { type Check, finding, NotPossible, ok } from "../check.ts";
import type { Examination } from "../examination.ts";
import { nameFault } from "../names.ts";
import { bytesText, reasonOf } from "../wording.ts";

const answerMs = 3_000;
/** The limiter waits no longer for the store. */
const patienceMs = 250;

const redis: Check = {
  id: "redis",
  group: "store",
  title: "Redis",
  severity: "error",
  finds: "The server of REDIS_URL does not answer, refuses the login, or answers too late for the rate limits",
  remedy: "Start it, or correct REDIS_URL",
  async run(examination) {
    const where = placeOf(examination);
    try {
      const { product, answerMs: took } = await factsOf(examination);
      if (took <= patienceMs) return ok(product);
      return finding(
        `${product} at ${where} took ${took} ms for an answer; above ${patienceMs} ms homesec goes on without it`,
        "Put Redis nearer, or see what keeps it busy: redis-cli --latency",
        "warning",
      );
    } catch (error) {
      return finding(
        `Redis at ${where} does not answer: ${reasonOf(error)}`,
        "Start it (sudo systemctl start redis-server), or correct REDIS_URL; without REDIS_URL none is needed",
      );
    }
  },
};

const version: Check = {
  id: "redis-version",
  group: "store",
  title: "Version of Redis",
  severity: "error",
  finds: "Redis is older than 6.2, which the queues cannot work with",
  remedy: "Install Redis 6.2 or newer, or any Valkey",
  async run(examination) {
    const { product, version } = await answered(examination);
    const [major = 0, minor = 0] = version.split(".").map(Number);
    if (major > 6 || (major === 6 && minor >= 2)) return ok(product);
    return finding(`${product} is too old for the queues, which need 6.2`, "Install Redis 6.2 or newer, or any Valkey");
  },
};

const memory: Check = {
  id: "redis-memory",
  group: "store",
  title: "Memory of Redis",
  severity: "warning",
  finds: "Redis throws keys away when its memory is full (maxmemory-policy is not noeviction), or its memory is nearly full",
  remedy: "redis-cli config set maxmemory-policy noeviction",
  async run(examination) {
    const { evictionPolicy, mostBytes, usedBytes } = await answered(examination);
    if (evictionPolicy !== "" && evictionPolicy !== "noeviction") {
      return finding(
        `Redis throws keys away when its memory is full (maxmemory-policy ${evictionPolicy}): queues lose pointers and are slow to notice`,
        "redis-cli config set maxmemory-policy noeviction && redis-cli config rewrite",
      );
    }
    if (mostBytes === 0 || usedBytes < mostBytes * 0.9) return ok(`${bytesText(usedBytes)} used`);
    return finding(
      `Redis uses ${bytesText(usedBytes)} of ${bytesText(mostBytes)}`,
      `redis-cli config set maxmemory ${mostBytes * 2} && redis-cli config rewrite`,
    );
  },
};

/** One question serves all three. */
const asked = new WeakMap<Examination, Promise<RedisFacts>>();

async function factsOf(examination: Examination): Promise<RedisFacts> {
  const { redisUrl } = examination.config();
  if (redisUrl === undefined) throw new NotPossible("REDIS_URL is not set: queues and caches are in the process itself");
  const known = asked.get(examination);
  if (known) return await known;
  const ask = async (): Promise<RedisFacts> => {
    const fault = await nameFault(examination.machine, new URL(redisUrl).hostname);
    if (fault !== undefined) throw new Error(fault);
    const { askRedis } = await import("../../../platform/store/redis-facts.ts");
    return await askRedis(redisUrl, answerMs);
  };
  const facts = ask();
  asked.set(examination, facts);
  return await facts;
}

async function answered(examination: Examination): Promise<RedisFacts> {
  try {
    return await factsOf(examination);
  } catch (cause) {
    if (cause instanceof NotPossible) throw cause;
    throw new NotPossible("Redis does not answer", { cause });
  }
}

/** Host and port, without the password. */
function placeOf(examination: Examination): string {
  const { redisUrl } = examination.config();
  if (redisUrl === undefined) throw new NotPossible("REDIS_URL is not set: queues and caches are in the process itself");
  return new URL(redisUrl).host;
}

export const storeChecks: readonly Check[] = [redis, version, memory];
