import { Readable } from "node:stream";
import { execa } from "execa";
import type { Host, TextSink } from "../../commands/host.ts";
import { run } from "../../commands/run.ts";
import { systemClock } from "../../src/base/clock/clock.ts";

export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface CliOptions extends Partial<Omit<Host, "stdout" | "stderr">> {
  /** Simulates a terminal of this width on both outputs. */
  readonly terminal?: number;
  /** Receives the output while the command runs. */
  readonly onOut?: (text: string) => void;
  readonly onErr?: (text: string) => void;
  /** Piped input; with `terminal`, typed input. */
  readonly input?: string;
}

/** Runs a command in this process with an isolated environment: only the variables in `env` are set. */
export async function cli(args: readonly string[], { terminal, onOut, onErr, input, ...host }: CliOptions = {}): Promise<CliResult> {
  let out = "";
  let err = "";
  const sink = (take: (text: string) => void): TextSink => ({
    write: (text, onEnd) => {
      onEnd?.();
      take(text);
    },
    isTTY: terminal !== undefined,
    columns: terminal,
  });
  const noDaemon = (): Promise<number> => Promise.reject(new Error("this test starts no daemon"));
  const code = await run(args, {
    env: {},
    cwd: "/nonexistent",
    home: "/home/somebody",
    isRoot: false,
    version: "1.2.3",
    clock: systemClock,
    signal: new AbortController().signal,
    leave: () => {},
    daemon: { serve: noDaemon, demo: noDaemon },
    stdin: Object.assign(Readable.from(input === undefined ? [] : [input]), { isTTY: terminal !== undefined && input !== undefined }),
    ...host,
    stdout: sink((text) => {
      out += text;
      onOut?.(text);
    }),
    stderr: sink((text) => {
      err += text;
      onErr?.(text);
    }),
  });
  return { code, out, err };
}

const binary = new URL("../../dist/bin/homesec.js", import.meta.url).pathname;

/** Starts the built program as a child process. Its environment is `env` plus what Node needs. */
export function startBinary(args: readonly string[], options: { readonly env?: Record<string, string>; readonly cwd?: string } = {}) {
  return execa(process.execPath, [binary, ...args], {
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...options.env },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
}
