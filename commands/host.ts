import type { Readable } from "node:stream";
import type { Clock } from "../src/base/clock/clock.ts";
import type { ParsedConfig } from "../src/platform/config/config.ts";

/** A stream of text, and the terminal behind it. */
export interface TextSink {
  /** `onEnd` hears when the system has taken the text, or cannot. */
  write(text: string, onEnd?: (error?: Error | null) => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** What is typed or piped in. */
export type TextSource = Readable & { readonly isTTY?: boolean | undefined };

/** What the daemon is started with. */
export interface DaemonOptions extends ParsedConfig {
  readonly out: TextSink;
  /** How the person calls homesec, for what to do next: `homesec`, or `npx homesec`. */
  readonly called: string;
  /** Whether the person has a terminal with colours and wants them. */
  readonly colour: boolean;
  /** Aborted when it shall stop. */
  readonly signal: AbortSignal;
}

/** Everything outside that commands depend on: a test gives its own. */
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
  /** Has the program end as soon as the command has: what is still under way by then is not waited for. */
  leave(): void;
  /** The long-running commands; each resolves to the exit code. */
  readonly daemon: {
    serve(options: DaemonOptions): Promise<number>;
    demo(options: DaemonOptions & { readonly once: boolean }): Promise<number>;
  };
}

/** How the person calls homesec: npx says so in the environment. */
export function calledAs({ env }: Pick<Host, "env">): string {
  return env["npm_command"] === "exec" ? "npx homesec" : "homesec";
}
