// Records docs/live.svg and docs/live-event.svg from a real run: `npm run docs:live`. Needs tmux.
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { screenSvg } from "./screen-svg.mjs";

const root = join(import.meta.dirname, "../..");
const program = join(root, "dist/bin/homesec.js");
const pictures = join(root, "demo/pictures");
const size = { columns: 120, rows: 36 };
const address = "http://127.0.0.1:8000";

const folder = mkdtempSync(join(tmpdir(), "homesec-record-"));
// as root, PostgreSQL runs as another user, so that user needs access to the folder
chmodSync(folder, 0o755);
const cameras = join(folder, "cameras");
const socket = `homesec-record-${randomBytes(4).toString("hex")}`;
const env = { PATH: process.env.PATH, HOME: folder, TERM: "xterm-256color", COLORTERM: "truecolor", LANG: "C.UTF-8" };
const tmux = (...args) => execFileSync("tmux", ["-L", socket, "-f", "/dev/null", "-u", ...args], { env, encoding: "utf8" });
const daemon = spawn(process.execPath, [program, "serve"], {
  env: {
    ...{ ...env, DATA_DIR: join(folder, "data"), CAMERA_ROOT: cameras, LOG_FORMAT: "json", LOG_LEVEL: "warn", RATE_LIMIT_ENABLED: "false" },
    ...{ BATCH_WINDOW_SECONDS: "12", BATCH_IDLE_TIMEOUT_SECONDS: "6" },
  },
  stdio: ["ignore", "ignore", "inherit"],
});

/** Waits until the screen shows a text. */
async function shows(pattern) {
  for (const giveUpAt = Date.now() + 60_000; Date.now() < giveUpAt; await sleep(200)) {
    if (pattern.test(tmux("capture-pane", "-p"))) return;
  }
  throw new Error(`${pattern} did not appear:\n${tmux("capture-pane", "-p")}`);
}

async function answers() {
  for (const giveUpAt = Date.now() + 60_000; Date.now() < giveUpAt; await sleep(200)) {
    const reply = await fetch(`${address}/health`).catch(() => undefined);
    if (reply?.ok) return;
    if (daemon.exitCode !== null) break;
  }
  throw new Error("the daemon does not answer");
}

function upload(camera, names) {
  mkdirSync(join(cameras, camera), { recursive: true });
  for (const name of names) copyFileSync(join(pictures, name), join(cameras, camera, `${randomBytes(3).toString("hex")}-${name}`));
}

function record(file, title) {
  const screen = tmux("capture-pane", "-e", "-p");
  writeFileSync(join(root, "docs", file), screenSvg(screen, { ...size, title }));
}

try {
  await answers();
  const rule = { name: "Person at the door", severity: "high", object_types: ["person"], camera_ids: ["front-door"] };
  const reply = await fetch(`${address}/api/alerts/rules`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(rule),
  });
  if (!reply.ok) throw new Error(`the rule was refused: ${await reply.text()}`);
  tmux("new-session", "-d", "-x", String(size.columns), "-y", String(size.rows), process.execPath, program, "live", "--url", address);
  await shows(/● connected/);
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
  await shows(/open alerts? 1/);
  await shows(/events [3-9]/);
  await sleep(12_000);
  tmux("send-keys", "j");
  await sleep(500);
  record(
    "live.svg",
    "homesec live: cameras with their state and activity, open alerts, events with their risk, and the state of the system",
  );
  tmux("send-keys", "BTab", "Enter");
  await shows(/explanation/);
  await sleep(500);
  record("live-event.svg", "homesec live: an event with its picture, its risk factors and its explanation");
  tmux("send-keys", "q");
} finally {
  daemon.kill("SIGTERM");
  if (daemon.exitCode === null) await new Promise((resolve) => daemon.once("exit", resolve));
  try {
    tmux("kill-server");
  } catch {
    // the session ended with the program
  }
  rmSync(folder, { recursive: true, force: true });
}
