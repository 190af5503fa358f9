import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { signalChild } from "../../src/base/lifecycle/signal-child.ts";
import type { Log } from "../../src/base/log/log.ts";
import { type Condition, ConditionKeeper, readMessage } from "./condition.ts";

export type BuiltinName = "detector" | "language_model" | "enrichment";

/** A built-in upstream service in a separate process, restarted when it exits until `stop` is called. */
export interface Builtin {
  /** URL of the service. Stays the same across restarts if possible. Throws before `ready`. */
  url(): string;
  condition(): Condition;
  /** Undefined while the service restarts. */
  pid(): number | undefined;
  /** Resolves when the service is listening. Rejects if it is stopped before that. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

export interface BuiltinOptions {
  readonly log: Log;
  /** Settings for the service. From the daemon's environment it gets only the variables that a program needs to start. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called with each new condition. Must not throw. */
  readonly onCondition?: (condition: Condition) => void;
}

const inherited = ["PATH", "HOME", "TMPDIR", "TZ", "LANG", "LD_LIBRARY_PATH"];
const firstRestartMs = 200;
const lastRestartMs = 30_000;
/** A process that ran this long did not die of the previous fault, so the backoff starts again. */
const stableAfterMs = 60_000;
const stopPatienceMs = 2_000;
/** Nice value, added to the daemon's own. Detection uses a whole core, so everything else on the machine comes first. */
const niceness: Readonly<Record<BuiltinName, number>> = { detector: 5, language_model: 0, enrichment: 7 };

/**
 * Starts a built-in service as a child process. It has a separate process group, so that only the daemon handles Ctrl-C in a terminal. It
 * exits when the daemon is gone. Throws if homesec has not been built.
 */
export function startBuiltin(name: BuiltinName, { log: parentLog, env = {}, onCondition = () => {} }: BuiltinOptions): Builtin {
  const log = parentLog.child({ service: name });
  const program = programOf(name);
  let listens = () => {};
  let neverListens = (_: Error) => {};
  const ready = new Promise<void>((resolve, reject) => {
    listens = resolve;
    neverListens = reject;
  });
  ready.catch((error: Error) => log.debug({ err: error }, "built-in service was stopped before it was ready"));
  const keeper = new ConditionKeeper(onCondition);
  let wanted = true;
  let child: ChildProcess | undefined;
  let port: number | undefined;
  let restart: NodeJS.Timeout | undefined;
  let restartMs = firstRestartMs;

  const start = () => {
    const startedAt = performance.now();
    const own = process.env;
    const base = Object.fromEntries(inherited.flatMap((key) => (own[key] === undefined ? [] : [[key, own[key]]])));
    const started = fork(program, [], {
      env: { ...base, ...env, ...(port !== undefined && { BUILTIN_PORT: String(port) }) },
      execArgv: [],
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    child = started;
    lowerPriority(started, name, log);
    if (started.stderr) {
      createInterface({ input: started.stderr }).on("line", (line) => log.warn({}, line));
    }
    started.on("message", (message) => {
      const told = readMessage(message);
      if (told?.kind === "listens") {
        port = told.port;
        log.debug({ port, pid: started.pid }, "built-in service is listening");
        listens();
      } else if (told?.fault === null) {
        log.info({ ...told.about }, "built-in service is ready");
      } else if (told) {
        log.error({ fault: told.fault }, "built-in service cannot work");
      }
      if (told && wanted) keeper.heard(told);
    });
    started.on("error", (error) => log.error({ err: error }, "built-in service process failed"));
    started.once("close", (code, signal) => {
      child = undefined;
      if (!wanted) return;
      if (performance.now() - startedAt > stableAfterMs) restartMs = firstRestartMs;
      log.warn({ code, signal, restart_ms: restartMs }, "built-in service exited; restarting it");
      keeper.ended(signal ?? `exit code ${code}`);
      startLater();
    });
  };
  const startLater = () => {
    restart = setTimeout(() => {
      try {
        start();
      } catch (error) {
        log.error({ err: error }, "built-in service could not be started; retrying");
        startLater();
      }
    }, restartMs);
    restartMs = Math.min(restartMs * 2, lastRestartMs);
  };
  start();

  return {
    url: () => {
      if (port === undefined) throw new Error(`the built-in ${name} is not listening yet`);
      return `http://127.0.0.1:${port}`;
    },
    condition: () => keeper.current(),
    pid: () => child?.pid,
    ready,
    stop: async () => {
      wanted = false;
      clearTimeout(restart);
      neverListens(new Error(`the built-in ${name} was stopped before it was listening`));
      if (child) await end(child);
    },
  };
}

function programOf(name: BuiltinName): string {
  let root = import.meta.dirname;
  while (!existsSync(join(root, "package.json")) && root !== dirname(root)) root = dirname(root);
  const program = join(root, "dist", "daemon", "builtin", name, "main.js");
  if (!existsSync(program)) throw new Error(`The built-in ${name} is missing at ${program}. Build homesec first: npm run build`);
  return program;
}

function lowerPriority({ pid }: ChildProcess, name: BuiltinName, log: Log): void {
  if (pid === undefined || niceness[name] === 0) return;
  try {
    // 19 is the lowest priority.
    setPriority(pid, Math.min(19, getPriority() + niceness[name]));
  } catch (error) {
    log.debug({ err: error }, "built-in service keeps its normal priority");
  }
}

async function end(child: ChildProcess): Promise<void> {
  const closed = new Promise((resolve) => child.once("close", resolve));
  // The service has nothing to save.
  signalChild(child, "SIGTERM");
  const patience = setTimeout(() => signalChild(child, "SIGKILL"), stopPatienceMs);
  await closed;
  clearTimeout(patience);
}
