import { spawn } from "node:child_process";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { insideReports, type Lag } from "./measures.ts";

/** An idle program: the delay of its event loop is the machine's. */
export interface Idle {
  /** Restarts the measurement. */
  reset(): void;
  lag(): Promise<Lag>;
  close(): void;
}

/** Starts one that writes its measurements to this file. */
export async function startIdle(file: string): Promise<Idle> {
  const child = spawn(
    process.execPath,
    ["--import", join(import.meta.dirname, "inside.mjs"), "-e", "console.log(1); setInterval(() => {}, 1e6)"],
    {
      env: { ...process.env, NODE_OPTIONS: "", SOAK_INSIDE_FILE: file, SOAK_SNAPSHOTS: "" },
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return {
    reset: () => child.kill("SIGURG"),
    lag: async () => {
      const before = insideReports(file).length;
      child.kill("SIGUSR2");
      await eventually(() => insideReports(file).length > before);
      return (insideReports(file).at(-1) as { lag: Lag }).lag;
    },
    close: () => child.kill("SIGKILL"),
  };
}
