import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pause } from "../../src/base/lifecycle/pause.ts";
import { Problem } from "../../src/contract/problem.ts";
import { isLoopback } from "../../src/platform/config/cross-checks.ts";
import { setInEnvFile } from "../../src/platform/config/env-file.ts";
import { calledAs } from "../host.ts";
import type { Io } from "../io.ts";
import { openIo } from "../open-io.ts";
import type { Setup } from "./questions.ts";

const pollMs = 1000;

/** Whether the daemon runs on this machine, so that it can read the files here. */
export async function isHere(io: Io): Promise<boolean> {
  return isLoopback(new URL((await io.endpoint()).url).hostname.replace(/^\[|\]$/g, ""));
}

/**
 * Waits until a daemon answers. If none does, asks first for the cameras' folder, which a daemon reads only at its start, and says how
 * to start one. Throws `Stopped`, and `Problem` if a daemon refuses the key.
 */
export async function waitForDaemon(setup: Setup): Promise<void> {
  const { io, say } = setup;
  if (await setup.unlessStopped(answers(io))) return;
  const { url } = await io.endpoint();
  say(`No homesec daemon answers at ${url}.`);
  if (!(await isHere(io))) throw new Problem("unreachable", `no homesec daemon answers at ${url}; start it on that machine`);
  await askForCameraRoot(setup);
  say("Start the daemon in another terminal and leave it running:");
  say(`\n  cd ${shellWord(io.host.cwd)} && ${calledAs(io.host)} serve\n`);
  say("Waiting for it ... (Ctrl-C ends the setup)");
  while (!(await setup.unlessStopped(answers(io)))) await setup.unlessStopped(pause(pollMs, io.host.signal));
  say("The daemon answers.");
}

/** Connects anew each time: the certificate of a daemon may not exist before its first start. */
async function answers({ host, global }: Io): Promise<boolean> {
  const attempt = openIo(host, global);
  try {
    await attempt.call("getNotificationConfig", {});
    return true;
  } catch (error) {
    if (error instanceof Problem && ["unreachable", "unavailable"].includes(error.kind)) return false;
    throw error;
  } finally {
    await attempt.close();
  }
}

async function askForCameraRoot({ io, envFile, saved, text, say }: Setup): Promise<void> {
  const { config, sources } = await io.configuration();
  if (sources.CAMERA_ROOT === "environment") return;
  const { cwd, home } = io.host;
  const absolute = (path: string): string => resolve(cwd, path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path);
  say("Your cameras upload to one folder that has a folder for each camera.");
  for (;;) {
    const root = absolute(await text("Which folder?", config.cameraRoot));
    if (root === config.cameraRoot) return;
    const found = await stat(root).catch(() => undefined);
    if (found && !found.isDirectory()) {
      say(`${root} is not a folder.`);
      continue;
    }
    await io.configuration({ CAMERA_ROOT: root });
    await setInEnvFile(envFile, { CAMERA_ROOT: root });
    saved.push(`CAMERA_ROOT in ${envFile}`);
    return;
  }
}

const shellWord = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
