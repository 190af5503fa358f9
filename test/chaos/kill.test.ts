import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { receiver } from "../support/receiver.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";
import { wrongSequences } from "./invariants/followed.ts";
import { allDone, judge } from "./invariants/invariants.ts";
import { follow } from "./support/follower.ts";
import { report } from "./support/report.ts";
import { isLong, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";
import { create } from "./support/send.ts";
import { keepUploading } from "./support/uploads.ts";

const kills = scale("CHAOS_KILLS", { short: 1, long: 200 });
/** The long form continues uploading and killing until there are this many. */
const pictures = scale("CHAOS_KILLED_PICTURES", { short: 0, long: 20_000 });
const chance = chanceOf("kill");
const folder = temporaryFolder("kill");
const cameraRoot = join(folder.path, "cameras");
afterAll(() => folder.remove());

/** Behaviour of the services between two kills. With a garbage reply, skipping the picture would be correct. */
const moods = isLong ? (["ok", "ok", "ok", "ok", "reset", "down", "hang", "slow"] as const) : (["ok"] as const);

test.skipIf(!isLong)(
  `chaos: ${kills} kill -9 under load: every picture once, every event analysed, every recipient notified`,
  {
    timeout: 7_200_000,
  },
  async () => {
    const hook = await receiver();
    const detector = await detectorStandIn({ delayMs: 20 });
    const model = await languageModelStandIn({ delayMs: 20 });
    const env = {
      DATA_DIR: folder.path,
      DETECTOR_URL: detector.url,
      LANGUAGE_MODEL_URL: model.url,
      BATCH_WINDOW_SECONDS: "3",
      BATCH_IDLE_TIMEOUT_SECONDS: "1",
      PORT: String(await freePort()),
      DEFAULT_WEBHOOK_URL: hook.url,
    };
    await mkdir(cameraRoot, { recursive: true });
    const readyAfter: number[] = [];
    let daemon = await serveHomesec(env);
    const client = follow(daemon.url);
    const rule = { severity: "high", channels: ["webhook"], cooldown_seconds: 0 };
    await create(`${daemon.url}/api/alerts/rules`, { ...rule, name: "At once", immediate: true });
    // Of the other cameras, the messages after the judgement are updates
    await create(`${daemon.url}/api/alerts/rules`, { ...rule, name: "Scored", risk_threshold: 10, camera_ids: ["front", "back"] });
    await create(`${daemon.url}/api/outbound-webhooks`, { name: "All", url: hook.url, event_types: ["event_created", "alert_fired"] });
    const uploads = keepUploading(cameraRoot, chance, 15);
    let round = 0;
    for (; round < kills || uploads.count() < pictures; round += 1) {
      await Promise.all([detector.setMode(chance.pick(moods)), model.setMode(chance.pick(moods))]);
      await sleep(chance.between(100, 1_000));
      daemon.kill("SIGKILL");
      await daemon.exit;
      const startedAt = performance.now();
      daemon = await serveHomesec(env);
      await eventually(async () => (await fetch(`${daemon.url}/api/system/health/ready`)).status === 200, {
        timeoutMs: 60_000,
        what: "readiness",
      });
      readyAfter.push(performance.now() - startedAt);
    }
    await Promise.all([detector.setMode("ok"), model.setMode("ok")]);
    const uploaded = await uploads.stop();

    const rows = { dataDir: folder.path };
    await allDone(rows, { cameraRoot });
    const arrived = hook.received.map(({ headers }) => String(headers["webhook-id"]));
    const { violations, figures } = await judge(rows, { cameraRoot, arrived });
    expect([...violations, ...(await wrongSequences(rows, client))]).toEqual([]);
    await client.stop();
    expect(daemon.output()).not.toMatch(/uncaught|unhandled/i);
    const middle = readyAfter.toSorted((a, b) => a - b)[Math.floor(readyAfter.length / 2)] ?? 0;
    report("kill -9", {
      kills: round,
      uploads: uploaded,
      ...figures,
      followed: client.sequences.length,
      "ms until ready again, in the middle": Math.round(middle),
    });
    daemon.kill("SIGTERM");
    expect((await daemon.exit).code).toBe(0);
    await Promise.all([detector.close(), model.close(), hook.close()]);
  },
);
