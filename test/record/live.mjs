// Records docs/live.svg and docs/live-event.svg from a real run: `npm run docs:live`. Needs tmux.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { address, docs, openEvening, program } from "./evening.mjs";
import { screenSvg } from "./screen-svg.mjs";

const size = { columns: 120, rows: 36 };
const evening = openEvening();
const socket = `homesec-record-${randomBytes(4).toString("hex")}`;
const tmux = (...args) => execFileSync("tmux", ["-L", socket, "-f", "/dev/null", "-u", ...args], { env: evening.env, encoding: "utf8" });

/** Waits until the screen shows a text. */
async function shows(pattern) {
  for (const giveUpAt = Date.now() + 60_000; Date.now() < giveUpAt; await sleep(200)) {
    if (pattern.test(tmux("capture-pane", "-p"))) return;
  }
  throw new Error(`${pattern} did not appear:\n${tmux("capture-pane", "-p")}`);
}

function record(file, title) {
  const screen = tmux("capture-pane", "-e", "-p");
  writeFileSync(join(docs, file), screenSvg(screen, { ...size, title }));
}

try {
  await evening.start();
  tmux("new-session", "-d", "-x", String(size.columns), "-y", String(size.rows), process.execPath, program, "live", "--url", address);
  await shows(/● connected/);
  await evening.run();
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
  await evening.close();
  try {
    tmux("kill-server");
  } catch {
    // the session ended with the program
  }
}
