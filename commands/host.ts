import type { Readable } from "node:stream";
import type { Clock } from "../src/base/clock/clock.ts";
import { shellWord } from "../src/base/text/format.ts";
import type { LoadedConfig } from "../src/platform/config/load.ts";

/** A stream of text, and the terminal behind it. */
export interface TextSink {
  /** Calls `onEnd` when the system has accepted the text or failed to. */
  write(text: string, onEnd?: (error?: Error | null) => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Standard input. */
export type TextSource = Readable & { readonly isTTY?: boolean | undefined };

/** The options of `serve` and `demo`. */
export interface DaemonOptions extends LoadedConfig {
  readonly out: TextSink;
  /** How the user calls homesec, for hints: `homesec`, `./homesec` or `npx homesec`. */
  readonly called: string;
  /** Whether to print colours. */
  readonly colour: boolean;
  /** Aborted to stop the daemon. */
  readonly signal: AbortSignal;
}

/** Everything commands need from the outside. Tests provide their own. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly isRoot: boolean;
  readonly version: string;
  readonly stdin: TextSource;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly clock: Clock;
  /** Aborted by SIGINT, SIGTERM or SIGHUP; the reason is the name of the signal. */
  readonly signal: AbortSignal;
  /** Makes the process exit as soon as the command has finished, without waiting for pending work. */
  leave(): void;
  /** The long-running commands; each resolves to the exit code. */
  readonly daemon: {
    serve(options: DaemonOptions): Promise<number>;
    demo(options: DaemonOptions & { readonly once: boolean }): Promise<number>;
  };
}

/** How the user calls homesec, so that a suggested command can be typed as it is. The script `homesec` of a clone and npx set a variable. */
export function calledAs({ env }: Pick<Host, "env">): string {
  const path = env["CALLED_HOMESEC_AS"] ?? "";
  // A path may contain spaces
  if (path !== "") return path.startsWith("npx ") ? path : shellWord(path);
  return env["npm_command"] === "exec" ? "npx homesec" : "homesec";
}
