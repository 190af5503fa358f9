import { type ChildProcess, spawn } from "node:child_process";
import { signalChild } from "../../base/lifecycle/signals.ts";

/** The tool is missing: this machine has no NVIDIA driver. */
export class NvidiaSmiAbsent extends Error {
  override name = "NvidiaSmiAbsent";

  constructor(options?: ErrorOptions) {
    super("nvidia-smi is not installed", options);
  }
}

/** Runs the driver's tool. */
export interface NvidiaSmi {
  /**
   * Returns its output as XML. Throws `NvidiaSmiAbsent` if it is not installed for this user, and an `Error` if it fails, prints too much
   * or hangs: then it is killed, and not started again before it has exited.
   */
  ask(signal: AbortSignal): Promise<string>;
}

const mostBytes = 16 * 1024 * 1024;

/** Creates the runner of the tool; `command` is its name or path. */
export function createNvidiaSmi({
  command = "nvidia-smi",
  timeoutMs = 10_000,
}: {
  readonly command?: string;
  readonly timeoutMs?: number;
} = {}): NvidiaSmi {
  // A tool that hangs in the driver survives even SIGKILL for a while.
  let running: ChildProcess | undefined;

  const ask = (signal: AbortSignal): Promise<string> =>
    new Promise((resolve, reject) => {
      if (running) {
        reject(new Error("nvidia-smi hangs"));
        return;
      }
      const child = spawn(command, ["-q", "-x"], { stdio: ["ignore", "pipe", "ignore"] });
      running = child;
      const chunks: Buffer[] = [];
      let bytes = 0;
      const end = (finish: () => void): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", cancel);
        finish();
      };
      const fail = (error: Error): void => {
        end(() => reject(error));
        signalChild(child, "SIGKILL");
        // A grandchild may hold the pipe open.
        child.stdout?.destroy();
      };
      const cancel = (): void => fail(new Error("cancelled"));
      const timer = setTimeout(() => fail(new Error(`nvidia-smi did not answer within ${timeoutMs / 1000} s`)), timeoutMs);
      signal.addEventListener("abort", cancel, { once: true });
      // Without a free file descriptor there is no pipe, and an error follows.
      child.stdout?.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > mostBytes) fail(new Error("nvidia-smi prints without end"));
        else chunks.push(chunk);
      });
      child.once("error", (cause: NodeJS.ErrnoException) => {
        running = undefined;
        // EACCES also occurs if the tool is missing and a folder of the path is closed to this user.
        const isAbsent = cause.code === "ENOENT" || cause.code === "EACCES";
        end(() => reject(isAbsent ? new NvidiaSmiAbsent({ cause }) : cause));
      });
      child.once("exit", () => {
        running = undefined;
      });
      child.once("close", (code) => {
        end(() => {
          if (code === 0) resolve(Buffer.concat(chunks).toString());
          else reject(new Error(`nvidia-smi failed with exit code ${code}`));
        });
      });
    });

  return { ask };
}
