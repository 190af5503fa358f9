import { type Check, finding, NotPossible, type Outcome, ok } from "../check.ts";
import type { Examination } from "../examination.ts";
import { nameFault } from "../names.ts";
import { bytesText, reasonOf } from "../wording.ts";

const answerTimeoutMs = 3_000;
/** The rate limiter waits this long for Redis. */
const maxAnswerMs = 250;

export const redis: Check = {
  id: "redis",
  replaces: ["redis-version", "redis-memory"],
  group: "store",
  title: "Redis",
  severity: "error",
  finds: "Redis does not answer, rejects the login, or is older than 6.2. A warning when it is slow, evicts keys, or is nearly full",
  fix: "Start it, or correct REDIS_URL; install Redis 6.2 or newer; redis-cli config set maxmemory-policy noeviction",
  async run(examination) {
    const { redisUrl } = examination.config();
    if (redisUrl === undefined) throw new NotPossible("REDIS_URL is not set: homesec keeps queues and caches in its own process");
    const place = new URL(redisUrl).host;
    try {
      const { product, version, answerMs, evictionPolicy, maxBytes, usedBytes } = await factsOf(examination, redisUrl);
      return [latency(product, place, answerMs), supported(product, version), memory(evictionPolicy, usedBytes, maxBytes)];
    } catch (error) {
      return finding(
        `Redis at ${place} does not answer: ${reasonOf(error)}`,
        "Start it (sudo systemctl start redis-server), or correct REDIS_URL. Without REDIS_URL, homesec needs no Redis",
      );
    }
  },
};

async function factsOf(examination: Examination, redisUrl: string) {
  const fault = await nameFault(examination.machine, new URL(redisUrl).hostname);
  if (fault !== undefined) throw new Error(fault);
  const { askRedis } = await import("../../../platform/store/redis-facts.ts");
  return await askRedis(redisUrl, answerTimeoutMs);
}

function latency(product: string, place: string, answerMs: number): Outcome {
  if (answerMs <= maxAnswerMs) return ok(product);
  return finding(
    `${product} at ${place} took ${answerMs} ms to answer; above ${maxAnswerMs} ms homesec continues without it`,
    "Move Redis closer, or find out what keeps it busy: redis-cli --latency",
    "warning",
  );
}

function supported(product: string, version: string): Outcome {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 6 || (major === 6 && minor >= 2)) return ok();
  return finding(`${product} is too old: the queues need 6.2`, "Install Redis 6.2 or newer, or any Valkey");
}

function memory(evictionPolicy: string, usedBytes: number, maxBytes: number): Outcome {
  if (evictionPolicy !== "" && evictionPolicy !== "noeviction") {
    return finding(
      `Redis evicts keys when its memory is full (maxmemory-policy ${evictionPolicy}): queues lose entries and recover slowly`,
      "redis-cli config set maxmemory-policy noeviction && redis-cli config rewrite",
      "warning",
    );
  }
  if (maxBytes === 0 || usedBytes < maxBytes * 0.9) return ok(`${bytesText(usedBytes)} used`);
  return finding(
    `Redis uses ${bytesText(usedBytes)} of ${bytesText(maxBytes)}`,
    `redis-cli config set maxmemory ${maxBytes * 2} && redis-cli config rewrite`,
    "warning",
  );
}
