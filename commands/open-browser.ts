import { spawn } from "node:child_process";
import process from "node:process";
import type { Host } from "./host.ts";

/** Longest wait for a program that opens a browser to fail; one that runs on has succeeded. */
const failMs = 1_500;

/** The program that opens an address, by platform. */
const openers: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: "open", linux: "xdg-open", freebsd: "xdg-open" };

/** Opens an address in the browser. Resolves to false where a person would not see it, or when there is no browser. */
export async function openBrowser(
  url: string,
  { env, stdout }: Pick<Host, "env" | "stdout">,
  platform = process.platform,
): Promise<boolean> {
  const program = openers[platform];
  if (program === undefined || stdout.isTTY !== true || !isSeen(env, platform)) return false;
  return await new Promise((resolve) => {
    // Without a shell: nothing in the address can become a command
    const child = spawn(program, [url], { env: { ...env }, stdio: "ignore", detached: true });
    const timer = setTimeout(() => resolve(true), failMs);
    const end = (opened: boolean): void => {
      clearTimeout(timer);
      resolve(opened);
    };
    child.once("error", () => end(false));
    child.once("exit", (code) => end(code === 0));
    child.unref();
  });
}

/** Whether a window would appear in front of the person who types. */
function isSeen(env: Host["env"], platform: NodeJS.Platform): boolean {
  const has = (name: string): boolean => (env[name] ?? "") !== "";
  if (has("SSH_CONNECTION") || has("SSH_TTY") || has("CI")) return false;
  return platform === "darwin" || has("DISPLAY") || has("WAYLAND_DISPLAY");
}
