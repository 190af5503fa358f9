import { execFile, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { eventually } from "./eventually.ts";
import { cleanEnvironment } from "./homesec-process.ts";

const execute = promisify(execFile);

/** Whether tmux is installed. Tests that need a real terminal are skipped loudly without it. */
export const tmuxInstalled = spawnSync("tmux", ["-V"]).status === 0;

if (!tmuxInstalled) process.stderr.write("tmux is not installed: the tests that need a real terminal are skipped\n");

/** A real terminal with a shell, on a separate tmux server. */
export class Tmux {
  readonly #socket = `homesec-test-${randomBytes(6).toString("hex")}`;

  /** Opens it. The shell has only the environment that `cleanEnvironment` leaves. Close it at the end. */
  static async open(columns: number, rows: number, env: Readonly<Record<string, string>> = {}): Promise<Tmux> {
    const tmux = new Tmux();
    const own = cleanEnvironment({ PS1: "$ ", TERM: "xterm-256color", LANG: "C.UTF-8", ...env });
    const size = ["-x", String(columns), "-y", String(rows)];
    await execute("tmux", ["-L", tmux.#socket, "-f", "/dev/null", "-u", "new-session", "-d", ...size, "/bin/sh"], { env: own });
    return tmux;
  }

  /** Types a line into the shell. */
  async run(line: string): Promise<void> {
    await this.#command("send-keys", "-l", line);
    await this.keys("Enter");
  }

  /** Sends keys by tmux's names, such as Down, Escape, C-c; other texts are typed. */
  async keys(...keys: readonly string[]): Promise<void> {
    await this.#command("send-keys", ...keys);
  }

  /** Returns the lines of the screen; with `colours`, including their codes. */
  async screen(options: { readonly colours?: boolean } = {}): Promise<string> {
    return await this.#command("capture-pane", "-p", ...(options.colours ? ["-e"] : []));
  }

  /** Waits for a pattern and returns the screen. */
  async shows(pattern: RegExp | string, timeoutMs = 15_000): Promise<string> {
    let last = "";
    const fits = (text: string): boolean => (typeof pattern === "string" ? text.includes(pattern) : pattern.test(text));
    try {
      return await eventually(
        async () => {
          last = await this.screen();
          return fits(last) ? last : undefined;
        },
        { timeoutMs },
      );
    } catch (cause) {
      throw new Error(`${pattern} did not come on the screen:\n${last}`, { cause });
    }
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#command("resize-window", "-x", String(columns), "-y", String(rows));
  }

  /** Returns a variable of the pane, such as alternate_on, cursor_flag, pane_pid. */
  async variable(name: string): Promise<string> {
    return (await this.#command("display-message", "-p", `#{${name}}`)).trim();
  }

  /** Returns the process that the shell has started. */
  async childPid(): Promise<number> {
    const shell = await this.variable("pane_pid");
    return await eventually(async () => {
      const { stdout } = await execute("ps", ["-o", "pid=", "--ppid", shell]);
      return Number(stdout.trim().split("\n").at(-1));
    });
  }

  async close(): Promise<void> {
    await this.#command("kill-server");
  }

  async #command(...args: readonly string[]): Promise<string> {
    const { stdout } = await execute("tmux", ["-L", this.#socket, "-u", ...args], { env: cleanEnvironment({ LANG: "C.UTF-8" }) });
    return stdout;
  }
}
