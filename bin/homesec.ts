#!/usr/bin/env node
import { closeSync, openSync } from "node:fs";
import { constants, homedir } from "node:os";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { isatty } from "node:tty";
import type { DaemonOptions } from "../commands/host.ts";
import { systemClock } from "../src/base/clock/clock.ts";
import { exitBySignal, hasPendingFileOperations } from "../src/base/lifecycle/signals.ts";
import { programVersion } from "../src/base/version.ts";
import { writingReason } from "../src/platform/disk/file-reason.ts";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`homesec needs Node.js 20.19 or newer, this is ${process.versions.node}; see https://nodejs.org/\n`);
  process.exit(1);
}

/** How long to wait at exit for pending file system calls. Working file systems answer within milliseconds. */
const fileTimeoutMs = 1_000;

let isDaemon = false;
/** The standard streams that are terminals. */
const terminals = [0, 1, 2].filter((stream) => isatty(stream));

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // A daemon keeps running: its log also goes to files, and it must clean up a full disk
    if (isDaemon) return;
    if (error.code === "EIO" && stream.isTTY) {
      // The terminal is gone without a SIGHUP
      stopping.abort("SIGHUP");
      return;
    }
    // The reader closed the pipe, as in `homesec events list | head`
    if (error.code === "EPIPE") process.exit(0);
    if (stream === process.stdout) process.stderr.write(`homesec: cannot write to stdout: ${writingReason(error)}\n`);
    process.exit(1);
  });
}

let isLeaving = false;
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    // A daemon without a terminal (nohup, systemd, container) ignores SIGHUP
    if (signal === "SIGHUP" && isDaemon && terminals.length === 0) return;
    if (!stopping.signal.aborted) stopping.abort(signal);
    // A closed terminal sends it twice, from the kernel and from the shell: no one has lost patience
    else if (signal === "SIGHUP") return;
    else if (hasPendingFileOperations()) exitBySignal(signal);
    else process.exit(128 + constants.signals[signal]);
  });
}
process.on("exit", () => {
  // Node.js resets terminals at exit and crashes on a closed one
  for (const terminal of terminals.filter((stream) => !isatty(stream))) {
    closeSync(terminal);
    openSync("/dev/null", "r+");
  }
});

/** What only this process can provide. */
interface ProcessServices {
  readonly log: import("../daemon/log.ts").OpenLog;
  readonly serviceManager: import("../daemon/service-manager.ts").ServiceManager;
}

/** Opens the log, runs the daemon and closes the log. */
async function withLog(options: DaemonOptions, work: (services: ProcessServices) => Promise<number>): Promise<number> {
  const [{ createLog }, { secretNames }, { createServiceManager, serviceManagerVariables }] = await Promise.all([
    import("../daemon/log.ts"),
    import("../src/platform/config/environment-variables.ts"),
    import("../daemon/service-manager.ts"),
  ]);
  isDaemon = true;
  // Child processes, such as ffmpeg on untrusted files, inherit the environment: remove the secrets, which are already read
  const serviceManagerEnv = Object.fromEntries(serviceManagerVariables.map((name) => [name, process.env[name]]));
  for (const name of [...secretNames, ...serviceManagerVariables]) delete process.env[name];
  const { logLevel, logFormat, dataDir } = options.config;
  const format = logFormat ?? (process.stderr.isTTY ? "pretty" : "json");
  const colour = options.colour && process.stderr.isTTY === true;
  const output = { format, colour, called: options.called, destination: process.stderr };
  const log = createLog({ level: logLevel, ...output, folder: `${dataDir}/logs`, clock: systemClock });
  try {
    const serviceManager = createServiceManager({ variables: serviceManagerEnv, pid: process.pid, searchPath: process.env["PATH"], log });
    return await work({ log, serviceManager });
  } finally {
    log.close();
  }
}

/** Runs the command line. Resolves to the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const { run } = await import("../commands/run.ts");
  return await run(args, {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    isRoot: process.getuid?.() === 0,
    version: programVersion(),
    // A getter: only commands that read stdin open it
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    clock: systemClock,
    signal: stopping.signal,
    leave: () => {
      isLeaving = true;
    },
    daemon: {
      serve: (options) => withLog(options, async (services) => (await import("../daemon/serve.ts")).serve({ ...options, ...services })),
      demo: (options) => withLog(options, async ({ log }) => (await import("../daemon/demo.ts")).demo({ ...options, log })),
    },
  });
}

/** Prints the version without loading the parser, since scripts ask for it often. */
function printVersion(): number {
  process.stdout.write(`${programVersion()}\n`);
  return 0;
}

const args = process.argv.slice(2);
const asksVersion = args.length === 1 && ["--version", "-V"].includes(args[0] ?? "");
process.exitCode = asksVersion ? printVersion() : await main(args);
// A pending call to an unreachable network share would keep the process alive
setTimeout(() => {
  if (hasPendingFileOperations()) exitBySignal(stopping.signal.aborted ? stopping.signal.reason : "SIGTERM");
}, fileTimeoutMs).unref();
// An interrupted command may have left a request pending
if (stopping.signal.aborted || isLeaving) {
  while (hasPendingFileOperations()) await pause(20);
  process.exit();
}
