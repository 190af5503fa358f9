import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

const root = join(import.meta.dirname, "../..");
const pictures = join(root, "demo/pictures");

export const program = join(root, "dist/bin/homesec.js");
export const docs = join(root, "docs");
export const address = "http://127.0.0.1:8000";

/**
 * A real daemon at the default address, in a separate folder, with a rule and four cameras that upload for an evening of 36 seconds.
 * `settings`: more configuration variables.
 */
export function openEvening(settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), "homesec-record-"));
  // as root, PostgreSQL runs as another user, so that user needs access to the folder
  chmodSync(folder, 0o755);
  const cameras = join(folder, "cameras");
  const env = { PATH: process.env.PATH, HOME: folder, TERM: "xterm-256color", COLORTERM: "truecolor", LANG: "C.UTF-8" };
  const daemon = spawn(process.execPath, [program, "serve"], {
    env: {
      ...{
        ...env,
        DATA_DIR: join(folder, "data"),
        CAMERA_ROOT: cameras,
        LOG_FORMAT: "json",
        LOG_LEVEL: "warn",
        RATE_LIMIT_ENABLED: "false",
      },
      ...{ BATCH_WINDOW_SECONDS: "12", BATCH_IDLE_TIMEOUT_SECONDS: "6", ...settings },
    },
    stdio: ["ignore", "ignore", "inherit"],
  });

  function upload(camera, names) {
    mkdirSync(join(cameras, camera), { recursive: true });
    for (const name of names) copyFileSync(join(pictures, name), join(cameras, camera, `${randomBytes(3).toString("hex")}-${name}`));
  }

  return {
    env,
    /** Waits until the daemon answers, and creates the rule, with its channels. */
    async start(channels = []) {
      await answers(daemon);
      const rule = { name: "Person at the door", severity: "high", object_types: ["person"], camera_ids: ["front-door"], channels };
      await ask("/api/alerts/rules", rule);
    },
    /** Uploads the pictures of the evening. */
    async run() {
      const names = readdirSync(pictures).filter((name) => name.endsWith(".jpg"));
      mkdirSync(join(cameras, "garage"), { recursive: true });
      for (const [camera, from, to] of [
        ["garden", 0, 1],
        ["front-door", 1, 4],
        ["driveway", 4, 6],
        ["garden", 6, 7],
      ]) {
        upload(camera, names.slice(from, to));
        await sleep(9_000);
      }
    },
    async close() {
      daemon.kill("SIGTERM");
      if (daemon.exitCode === null) await new Promise((resolve) => daemon.once("exit", resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function ask(path, body) {
  const reply = await fetch(address + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${path} was refused: ${await reply.text()}`);
}

async function answers(daemon) {
  for (const giveUpAt = Date.now() + 60_000; Date.now() < giveUpAt; await sleep(200)) {
    const reply = await fetch(`${address}/health`).catch(() => undefined);
    if (reply?.ok) return;
    if (daemon.exitCode !== null) break;
  }
  throw new Error("the daemon does not answer");
}
