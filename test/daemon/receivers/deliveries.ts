import { execFile, execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestDaemon } from "../../support/daemon.ts";
import { eventually } from "../../support/eventually.ts";

const run = promisify(execFile);

/** Sends a JSON request to a daemon. */
export async function ask(daemon: TestDaemon, method: string, path: string, body?: object) {
  const response = await fetch(`${daemon.url}${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

/** Creates a camera with a login and returns what a person enters in the camera. */
export async function cameraWithLogin(daemon: TestDaemon, camera_id: string, protocol: "http" | "mail") {
  await ask(daemon, "POST", "/api/cameras", { camera_id, name: camera_id });
  const { body } = await ask(daemon, "POST", `/api/cameras/${camera_id}/logins/${protocol}`, {});
  return body.settings as { readonly host: string; readonly port: number; readonly username: string; readonly password: string };
}

/** Waits until a receiver listens, and returns it. */
export async function listening(daemon: TestDaemon, protocol: "http" | "mail") {
  return await eventually(async () => {
    const { body } = await ask(daemon, "GET", "/api/receivers");
    const receiver = body.receivers.find((one: { protocol: string }) => one.protocol === protocol);
    if (receiver?.state !== "listening") throw new Error(`the receiver is ${JSON.stringify(receiver)}`);
    return receiver as { readonly port: number; readonly connections: number; readonly login_count: number };
  });
}

/** Returns the messages of the faults that a person sees, newest first. */
export async function faults(daemon: TestDaemon, cameraId: string): Promise<readonly string[]> {
  const { body } = await ask(daemon, "GET", `/api/receivers?camera_id=${cameraId}`);
  return body.recent_faults.map(({ message }: { message: string }) => message);
}

/** Names of the files below a camera's folder, hidden ones too. */
export function filesOf(daemon: TestDaemon, cameraId: string): readonly string[] {
  return readdirSync(join(daemon.cameraRoot, cameraId), { recursive: true, encoding: "utf8" }).toSorted();
}

/** Runs a program and returns what it printed, whatever its exit code. */
export async function output(command: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(command, [...args], { timeout: 20_000 }).catch((error: { stdout: string; stderr: string }) => error);
  return `${stdout}${stderr}`;
}

/** Waits until assertions hold. */
export async function holds(assertions: () => Promise<void> | void): Promise<void> {
  await eventually(async () => {
    await assertions();
    return true;
  });
}

/** Tells whether a program can be run. */
export function isInstalled(program: string): boolean {
  try {
    execFileSync("which", [program]);
    return true;
  } catch {
    return false;
  }
}
