import { type Check, finding, NotPossible, type Outcome, ok } from "../check.ts";
import type { Examination } from "../examination.ts";
import { nameFault } from "../names.ts";
import { reasonOf } from "../wording.ts";

const answerTimeoutMs = 3_000;

export const redis: Check = {
  id: "redis",
  replaces: ["redis-version", "redis-memory"],
  group: "store",
  title: "Redis",
  severity: "error",
  finds: "Redis does not answer, rejects the login, or is older than 6.2. A warning when it evicts keys",
  async run(examination) {
    const { redisUrl } = examination.config();
    if (redisUrl === undefined) throw new NotPossible("REDIS_URL is not set: homesec keeps queues and caches in its own process");
    const place = new URL(redisUrl).host;
    try {
      const { product, version, evictionPolicy } = await factsOf(examination, redisUrl);
      return [ok(product), supported(product, version), noEviction(evictionPolicy)];
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

function supported(product: string, version: string): Outcome {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 6 || (major === 6 && minor >= 2)) return ok();
  return finding(`${product} is too old: the queues need 6.2`, "Install Redis 6.2 or newer, or any Valkey");
}

function noEviction(policy: string): Outcome {
  if (policy === "" || policy === "noeviction") return ok();
  return finding(
    `Redis evicts keys when its memory is full (maxmemory-policy ${policy}): queues lose entries and recover slowly`,
    "redis-cli config set maxmemory-policy noeviction && redis-cli config rewrite",
    "warning",
  );
}
