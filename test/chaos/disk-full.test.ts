import { execFileSync } from "node:child_process";
import { closeSync, ftruncateSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { receiver } from "../support/receiver.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";
import { allDone, judge } from "./invariants/invariants.ts";
import { keepPosting } from "./support/events.ts";
import { report } from "./support/report.ts";
import { isLong, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";
import { create } from "./support/send.ts";
import { keepUploading } from "./support/uploads.ts";

const fillings = scale("CHAOS_DISK_FILLINGS", { short: 1, long: 12 });
const chance = chanceOf("disk full");
const disk = temporaryFolder("disk");
const cameras = temporaryFolder("disk-cameras");
let whyNot: string | undefined;

beforeAll(() => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=400m,mode=700", "tmpfs", disk.path], { stdio: "pipe" });
  } catch (error) {
    whyNot = String(error).split("\n")[1] ?? String(error);
    process.stderr.write(`NOT TESTED: no disk can be mounted here (${whyNot}), so none can be filled\n`);
  }
});
afterAll(async () => {
  if (whyNot === undefined) execFileSync("umount", [disk.path]);
  await Promise.all([disk.remove(), cameras.remove()]);
});

/** Fills all free space to the last byte, including space that is freed later; returns how to release it. */
function fill(): () => void {
  const path = join(disk.path, "ballast");
  const file = openSync(path, "w");
  const block = Buffer.alloc(1024 * 1024);
  const take = (): void => {
    for (let size = block.length; size >= 1; ) {
      try {
        writeSync(file, block, 0, size);
      } catch {
        size = Math.floor(size / 2);
      }
    }
  };
  take();
  const again = setInterval(take, 200);
  return () => {
    clearInterval(again);
    ftruncateSync(file, 0);
    closeSync(file);
    rmSync(path);
  };
}

test(`chaos: the data disk is full ${fillings} times under load: the program stays, loses nothing acknowledged, and continues when there is space`, {
  timeout: 3_600_000,
}, async ({ skip }) => {
  if (whyNot !== undefined) skip(`no disk can be mounted here, so none can be filled: ${whyNot}`);
  const [detector, model, hook] = await Promise.all([detectorStandIn({ delayMs: 5 }), languageModelStandIn(), receiver()]);
  const daemon = await serveHomesec({
    ...{ DATA_DIR: disk.path, CAMERA_ROOT: cameras.path, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
    ...{ BATCH_WINDOW_SECONDS: "3", BATCH_IDLE_TIMEOUT_SECONDS: "1", DEFAULT_WEBHOOK_URL: hook.url },
  });
  const rule = { name: "Each", severity: "high", risk_threshold: 10, channels: ["webhook"], cooldown_seconds: 0 };
  await create(`${daemon.url}/api/alerts/rules`, rule);
  const posts = await keepPosting(() => daemon.url);
  const uploads = keepUploading(cameras.path, chance, 25);
  const stores = async (): Promise<boolean> => {
    const answer = await fetch(`${daemon.url}/api/events/bulk`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ events: [{ camera_id: "posted", started_at: new Date().toISOString() }] }),
    });
    return answer.status === 207 && ((await answer.json()) as { succeeded: number }).succeeded === 1;
  };
  for (let round = 0; round < fillings; round += 1) {
    await sleep(chance.between(500, 1_500));
    const giveBack = fill();
    expect(statfsSync(disk.path).bfree).toBe(0);
    // In the end nothing can be written, whatever free space the database files had inside.
    const refused = eventually(async () => !(await stores().catch(() => false)), { timeoutMs: 60_000, what: "a refusal" });
    await refused.finally(() => sleep(chance.between(500, isLong ? 8_000 : 1_500)).then(giveBack));
    expect((await fetch(`${daemon.url}/health`)).status).toBe(200);
    await eventually(stores, { timeoutMs: 60_000, what: "an event that is stored again" });
  }
  const [uploaded, acknowledged] = [await uploads.stop(), await posts.stop()];

  const rows = { dataDir: disk.path };
  await allDone(rows, { cameraRoot: cameras.path });
  const arrived = hook.received.map(({ headers }) => String(headers["webhook-id"]));
  const { violations, figures } = await judge(rows, { cameraRoot: cameras.path, acknowledged, arrived });
  expect(violations).toEqual([]);
  expect(daemon.output()).not.toMatch(/uncaught|unhandled/i);
  report("disk full", { times: fillings, uploads: uploaded, acknowledged: acknowledged.size, ...figures });
  daemon.kill("SIGTERM");
  expect((await daemon.exit).code).toBe(0);
  await Promise.all([detector.close(), model.close(), hook.close()]);
});
