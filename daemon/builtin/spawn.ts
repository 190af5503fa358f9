import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { signalChild } from "../../src/base/lifecycle/signals.ts";
import type { Log } from "../../src/base/log/log.ts";
import { type Condition, ConditionTracker, type Message, readMessage } from "./condition.ts";
import { killedText, memoryLimit, shortageOf } from "./memory-plan.ts";

export type BuiltinName = "detector" | "language_model" | "enrichment";

export interface BuiltinOptions {
  readonly log: Log;
  /** Settings for the service. From the daemon's environment it gets only the variables that a program needs to start. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called with each new condition. Must not throw. */
  readonly onCondition?: (condition: Condition) => void;
  /** Memory in bytes that homesec may use. Default: the limit of this process. */
  readonly memoryBytes?: number;
}

const inheritedVariables = ["PATH", "HOME", "TMPDIR", "TZ", "LANG", "LD_LIBRARY_PATH"];
/** Makes the C library return freed memory to the system, which it keeps otherwise: 140 instead of 390 MB for the detector. */
const allocatorSettings = { MALLOC_TRIM_THRESHOLD_: "65536", MALLOC_MMAP_THRESHOLD_: "32768" };
/** The detector makes many short-lived buffers. With a small heap for young objects they are freed at once: 207 instead of 235 MB. */
const nodeOptions: Readonly<Record<BuiltinName, readonly string[]>> = {
  detector: ["--max-semi-space-size=2"],
  language_model: [],
  enrichment: [],
};
const minBackoffMs = 200;
const maxBackoffMs = 30_000;
/** A process that ran this long did not die of the previous fault, so the backoff starts again. */
const stableAfterMs = 60_000;
const stopTimeoutMs = 2_000;
/** Nice value, added to the daemon's own. Detection uses a whole core, so everything else on the machine comes first. */
const niceness: Readonly<Record<BuiltinName, number>> = { detector: 5, language_model: 0, enrichment: 7 };

/**
 * Starts a built-in service as a child process. It has a separate process group, so that only the daemon handles Ctrl-C in a terminal. It
 * exits when the daemon is gone. Throws if homesec has not been built.
 */
export function startBuiltin(name: BuiltinName, options: BuiltinOptions): Builtin {
  const service = new Builtin(name, options);
  service.start();
  return service;
}

/** A built-in upstream service in a separate process, restarted when it exits until `stop` is called. */
export class Builtin {
  /** Resolves when the service is listening. Rejects if it is stopped before that. */
  readonly ready: Promise<void>;
  readonly #name: BuiltinName;
  readonly #program: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #log: Log;
  readonly #condition: ConditionTracker;
  readonly #memoryBytes: number;
  #resolveReady = () => {};
  #rejectReady = (_: Error) => {};
  #stopped = false;
  #child: ChildProcess | undefined;
  #port: number | undefined;
  #restart: NodeJS.Timeout | undefined;
  #backoffMs = minBackoffMs;

  constructor(name: BuiltinName, { log, env = {}, onCondition = () => {}, memoryBytes = memoryLimit() }: BuiltinOptions) {
    this.#name = name;
    this.#memoryBytes = memoryBytes;
    this.#program = programOf(name);
    this.#env = env;
    this.#log = log.child({ service: name });
    this.#condition = new ConditionTracker(onCondition);
    this.ready = new Promise<void>((resolve, reject) => {
      this.#resolveReady = resolve;
      this.#rejectReady = reject;
    });
    this.ready.catch((error: Error) => this.#log.debug({ err: error }, "built-in service was stopped before it was ready"));
  }

  /** Starts the process, unless it does not fit into the memory: the kernel would end it, or the daemon, again and again. */
  start(): void {
    const shortage = shortageOf(this.#name, this.#memoryBytes);
    if (shortage !== undefined) {
      this.#log.error({ memory_mib: Math.floor(this.#memoryBytes / 1024 / 1024) }, `built-in service: ${shortage}`);
      this.#condition.refused(shortage);
      return;
    }
    const startedAt = performance.now();
    const inherited = inheritedVariables.flatMap((key) => (process.env[key] === undefined ? [] : [[key, process.env[key]]]));
    const child = fork(this.#program, [], {
      env: {
        ...allocatorSettings,
        ...Object.fromEntries(inherited),
        ...this.#env,
        ...(this.#port !== undefined && { BUILTIN_PORT: String(this.#port) }),
      },
      execArgv: [...nodeOptions[this.#name]],
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#child = child;
    lowerPriority(child, this.#name, this.#log);
    if (child.stderr) createInterface({ input: child.stderr }).on("line", (line) => this.#log.warn({}, line));
    child.on("message", (message) => this.#receive(readMessage(message), child.pid));
    child.on("error", (error) => this.#log.error({ err: error }, "built-in service process failed"));
    child.once("close", (code, signal) => {
      this.#child = undefined;
      if (this.#stopped) return;
      if (performance.now() - startedAt > stableAfterMs) this.#backoffMs = minBackoffMs;
      const killed = signal === "SIGKILL" ? killedText(this.#name, this.#memoryBytes) : undefined;
      const text = killed === undefined ? "built-in service exited; restarting it" : `built-in service: ${killed}; restarting it`;
      this.#log.warn({ code, signal, restart_ms: this.#backoffMs }, text);
      this.#condition.exited(signal ?? `exit code ${code}`, killed);
      this.#startLater();
    });
  }

  /** URL of the service. Stays the same across restarts if possible. Throws before `ready`. */
  url(): string {
    if (this.#port === undefined) throw new Error(`the built-in ${this.#name} is not listening yet`);
    return `http://127.0.0.1:${this.#port}`;
  }

  condition(): Condition {
    return this.#condition.current();
  }

  /** Undefined while the service restarts. */
  pid(): number | undefined {
    return this.#child?.pid;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#restart);
    this.#rejectReady(new Error(`the built-in ${this.#name} was stopped before it was listening`));
    if (this.#child) await terminate(this.#child);
  }

  #receive(message: Message | undefined, pid: number | undefined): void {
    if (!message) return;
    if (message.kind === "listening") {
      this.#port = message.port;
      this.#log.debug({ port: message.port, pid }, "built-in service is listening");
      this.#resolveReady();
    } else if (message.fault === null) {
      this.#log.info({ ...message.about }, "built-in service is ready");
    } else {
      this.#log.error({ fault: message.fault }, "built-in service cannot work");
    }
    if (!this.#stopped) this.#condition.receive(message);
  }

  #startLater(): void {
    this.#restart = setTimeout(() => {
      try {
        this.start();
      } catch (error) {
        this.#log.error({ err: error }, "built-in service could not be started; retrying");
        this.#startLater();
      }
    }, this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, maxBackoffMs);
  }
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

async function terminate(child: ChildProcess): Promise<void> {
  const closed = new Promise((resolve) => child.once("close", resolve));
  // The service has nothing to save.
  signalChild(child, "SIGTERM");
  const timeout = setTimeout(() => signalChild(child, "SIGKILL"), stopTimeoutMs);
  await closed;
  clearTimeout(timeout);
}
