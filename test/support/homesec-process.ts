import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { redisOf } from "./redis-for-all.ts";

const program = join(import.meta.dirname, "../../dist/bin/homesec.js");

/** The real program as a child process. */
export interface HomesecProcess {
  readonly pid: number;
  /** Everything printed until now, stdout and stderr together. */
  output(): string;
  readonly exit: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Waits for a pattern in the output and returns the match; fails if the program ends first. */
  printed(pattern: RegExp, timeoutMs?: number): Promise<RegExpMatchArray>;
  kill(signal: NodeJS.Signals): void;
}

/** A failed test does not stop its processes; they are killed at the end of the file. */
const running = new Set<ChildProcess>();

/** Kills the processes that are still running. */
export async function endWhatRuns(): Promise<void> {
  const left = [...running].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const ends = left.map((child) => new Promise((resolve) => child.once("exit", resolve)));
  for (const child of left) child.kill("SIGKILL");
  await Promise.all(ends);
}

/** Environment of a program under test: from the caller's environment only what a program needs to start. */
export function cleanEnvironment(own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: process.env["HOME"], TZ: "UTC", ...own };
}

/** Starts the built program. The caller waits for its end. `outputs` replaces both of its outputs, which are then not captured. */
export function startHomesec(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd?: string,
  outputs: number | "pipe" = "pipe",
): HomesecProcess {
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    env: cleanEnvironment({ ...(args[0] === "serve" && redisOf(env)), ...env }),
    stdio: ["ignore", outputs, outputs],
    ...(cwd !== undefined && { cwd }),
  });
  running.add(child);
  child.once("close", () => running.delete(child));
  let output = "";
  const listeners = new Set<() => void>();
  const take = (chunk: Buffer): void => {
    output += chunk.toString();
    for (const listener of listeners) listener();
  };
  child.stdout?.on("data", take);
  child.stderr?.on("data", take);
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  if (child.pid === undefined) throw new Error("the program could not be started; was it built?");
  return {
    pid: child.pid,
    output: () => output,
    exit,
    kill: (signal) => void child.kill(signal),
    printed: (pattern, timeoutMs = 20_000) =>
      new Promise((resolve, reject) => {
        const done = (finish: () => void): void => {
          clearTimeout(timer);
          listeners.delete(look);
          finish();
        };
        const look = (): void => {
          const match = output.match(pattern);
          if (match) done(() => resolve(match));
        };
        const timer = setTimeout(
          () => done(() => reject(new Error(`${pattern} was not printed within ${timeoutMs} ms:\n${output}`))),
          timeoutMs,
        );
        listeners.add(look);
        exit.then(({ code }) => done(() => reject(new Error(`ended with ${code} before ${pattern} was printed:\n${output}`))));
        look();
      }),
  };
}

/** Starts `homesec serve` on a free port and waits until it answers. */
export async function serveHomesec(env: Readonly<Record<string, string>>): Promise<HomesecProcess & { readonly url: string }> {
  const homesec = startHomesec(["serve"], {
    ...{ PORT: "0", LOG_FORMAT: "json", RATE_LIMIT_ENABLED: "false" },
    // Saves a process in tests about something else.
    ...{ VISION_EXTRACTION_ENABLED: "false", REID_ENABLED: "false" },
    ...{ RECEIVER_HOST: "127.0.0.1", FTP_PORT: "0", FTP_PASSIVE_PORTS: "0", MAIL_PORT: "0" },
    ...env,
  });
  // The first start creates a database, which takes a while on a busy machine.
  const [, url] = await homesec.printed(/API\s+(http:\/\/\S+)/, 120_000);
  return { ...homesec, url: url as string };
}
