import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import sharp from "sharp";
import { cleanEnvironment } from "./homesec-process.ts";

const execute = promisify(execFile);

/** Whether a terminal with Sixel can be opened and looked at. Tests that need it are skipped loudly without it. */
export const xtermInstalled = ["xterm", "Xvfb", "import"].every((program) => spawnSync("which", [program]).status === 0);

if (!xtermInstalled) process.stderr.write("xterm, Xvfb or ImageMagick is not installed: the test of Sixel in a real terminal is skipped\n");

/** The pixels of a screen, three bytes each. */
export interface Screenshot {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** A real xterm with Sixel on a screen that no one sees. */
export class Xterm {
  readonly #display: string;
  readonly #processes: readonly ChildProcess[];

  private constructor(display: string, processes: readonly ChildProcess[]) {
    this.#display = display;
    this.#processes = processes;
  }

  /** Opens it with a program in it. Close it at the end. */
  static async open(size: string, command: readonly string[], env: Readonly<Record<string, string>>): Promise<Xterm> {
    const server = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"], {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    });
    const [number] = (await once(server.stdio[3] as NodeJS.ReadableStream, "data")) as [Buffer];
    const display = `:${String(number).trim()}`;
    const looks = ["-ti", "vt340", "-xrm", "*numColorRegisters: 256", "-fn", "6x10", "-bg", "black", "-fg", "white"];
    const terminal = spawn("xterm", [...looks, "-geometry", `${size}+0+0`, "-e", ...command], {
      env: cleanEnvironment({ LANG: "C.UTF-8", ...env, DISPLAY: display }),
      stdio: "ignore",
    });
    return new Xterm(display, [terminal, server]);
  }

  async screenshot(): Promise<Screenshot> {
    const env = { ...process.env, DISPLAY: this.#display };
    const { stdout } = await execute("import", ["-window", "root", "png:-"], { env, encoding: "buffer", maxBuffer: 50_000_000 });
    const { data, info } = await sharp(stdout).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, data };
  }

  async close(): Promise<void> {
    for (const child of this.#processes) {
      const ended = child.exitCode !== null || child.signalCode !== null ? undefined : once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    }
  }
}
