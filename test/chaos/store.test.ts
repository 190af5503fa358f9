import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { testDatabase } from "../support/database.ts";
import { freePort } from "../support/free-port.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { receiver } from "../support/receiver.ts";
import { redisInstalled, redisServer } from "../support/redis.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";
import { allDone, judge } from "./invariants/invariants.ts";
import { keepPosting } from "./support/events.ts";
import { report } from "./support/report.ts";
import { isLong, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";
import { create } from "./support/send.ts";
import { keepUploading } from "./support/uploads.ts";

const faults = scale("CHAOS_STORE_FAULTS", { short: 3, long: 60 });
const chance = chanceOf("store");
const folder = temporaryFolder("store");
const cameraRoot = join(folder.path, "cameras");
afterAll(() => folder.remove());

/** Deletes everything in Redis, as when its memory is needed. */
async function flush(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.end("FLUSHALL\r\n"));
    socket.on("error", reject).on("close", () => resolve());
    socket.resume();
  });
}

test.skipIf(!redisInstalled)(
  `chaos: Redis killed, hung and emptied under load ${faults} times: nothing is lost or done twice`,
  { timeout: 3_600_000 },
  async () => {
    const port = await freePort();
    const [database, detector, model, hook] = await Promise.all([
      testDatabase(),
      detectorStandIn({ delayMs: 5 }),
      languageModelStandIn(),
      receiver(),
    ]);
    let redis = await redisServer({ port });
    const env = {
      ...{ DATA_DIR: folder.path, DATABASE_URL: database.url, REDIS_URL: redis.url },
      ...{ DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, DEFAULT_WEBHOOK_URL: hook.url },
      ...{ BATCH_WINDOW_SECONDS: "3", BATCH_IDLE_TIMEOUT_SECONDS: "1" },
    };
    const daemon = await serveHomesec(env);
    const rule = { name: "Each", severity: "high", risk_threshold: 10, channels: ["webhook"], cooldown_seconds: 0 };
    await create(`${daemon.url}/api/alerts/rules`, rule);
    const posts = await keepPosting(() => daemon.url);
    const uploads = keepUploading(cameraRoot, chance, 20);
    const kinds = {
      killed: async () => {
        process.kill(redis.pid, "SIGKILL");
        await sleep(chance.between(0, 3_000));
        await redis.stop();
        redis = await redisServer({ port });
      },
      hung: async () => {
        process.kill(redis.pid, "SIGSTOP");
        await sleep(chance.between(500, isLong ? 8_000 : 2_000));
        process.kill(redis.pid, "SIGCONT");
      },
      emptied: async () => {
        for (let times = 0; times < 5; times += 1) {
          await flush(port);
          await sleep(chance.between(0, 300));
        }
      },
    };
    for (let round = 0; round < faults; round += 1) {
      await sleep(chance.between(200, 1_000));
      await Object.values(kinds)[round % 3]?.();
    }
    const [uploaded, acknowledged] = [await uploads.stop(), await posts.stop()];

    await allDone({ url: database.url }, { cameraRoot });
    const arrived = hook.received.map(({ headers }) => String(headers["webhook-id"]));
    const { violations, figures } = await judge({ url: database.url }, { cameraRoot, acknowledged, arrived });
    expect(violations).toEqual([]);
    expect(daemon.output()).not.toMatch(/uncaught|unhandled/i);
    report("Redis killed, hung, emptied", { faults, uploads: uploaded, acknowledged: acknowledged.size, ...figures });
    daemon.kill("SIGTERM");
    expect((await daemon.exit).code).toBe(0);
    await Promise.all([detector.close(), model.close(), hook.close(), redis.stop()]);
    await database.close();
  },
);
