#!/usr/bin/env node
import { closeSync, openSync } from "node:fs";
import { constants, homedir } from "node:os";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { isatty } from "node:tty";
import type { DaemonOptions } from "../commands/host.ts";
import { asksFiles, exitBySignal } from "../src/base/lifecycle/exit.ts";
import { programVersion } from "../src/base/version.ts";
import { writingReason } from "../src/platform/disk/file-reason.ts";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`homesec needs Node.js 20.19 or newer, this is ${process.versions.node}; see https://nodejs.org/\n`);
  process.exit(1);
}

/** For how long the end waits for files. Those that answer do so within milliseconds. */
const filesAnswerMs = 1_000;

let isDaemon = false;
/** The standard streams that lead to a terminal. */
const terminals = [0, 1, 2].filter((stream) => isatty(stream));

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // a daemon goes on unread: its log has files, and it is what makes room on a disk that is full
    if (isDaemon) return;
    if (error.code === "EIO" && stream.isTTY) {
      // the terminal is gone, and nobody sent SIGHUP; what nobody sees any more ends
      stopping.abort("SIGHUP");
      return;
    }
    // whoever reads a command's output has seen enough (`homesec events list | head`)
    if (error.code === "EPIPE") process.exit(0);
    if (stream === process.stdout) process.stderr.write(`homesec: what it prints cannot be written: ${writingReason(error)}\n`);
    process.exit(1);
  });
}

let isLeaving = false;
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    // a daemon without a terminal (nohup, systemd, a container) has none to lose, and nothing to read again
    if (signal === "SIGHUP" && isDaemon && terminals.length === 0) return;
    if (!stopping.signal.aborted) stopping.abort(signal);
    else if (asksFiles()) exitBySignal(signal);
    else process.exit(128 + constants.signals[signal]);
  });
}
process.on("exit", () => {
  // at its end Node.js sets terminals back to how they were, and dies of one that is gone
  for (const terminal of terminals.filter((stream) => !isatty(stream))) {
    closeSync(terminal);
    openSync("/dev/null", "r+");
  }
});

/** What only the program itself can give to its work. */
interface Inside {
  readonly log: import("../src/base/log/log.ts").Log;
  readonly serviceManager: import("../daemon/service-manager.ts").ServiceManager;
}

/** Runs the work of the daemon with its log open. */
async function withLog(options: DaemonOptions, work: (inside: Inside) => Promise<number>): Promise<number> {
  const [{ createLog }, { systemClock }, { secretNames }, { createServiceManager, serviceManagerVariables }] = await Promise.all([
    import("../daemon/log.ts"),
    import("../src/base/clock/clock.ts"),
    import("../src/platform/config/secret-names.ts"),
    import("../daemon/service-manager.ts"),
  ]);
  isDaemon = true;
  // the configuration has been read; programs that the daemon starts (ffmpeg on files of strangers, for one) get our environment
  const said = Object.fromEntries(serviceManagerVariables.map((name) => [name, process.env[name]]));
  for (const name of [...secretNames, ...serviceManagerVariables]) delete process.env[name];
  const { logLevel, logFormat, dataDir } = options.config;
  const format = logFormat ?? (process.stderr.isTTY ? "pretty" : "json");
  const colour = options.colour && process.stderr.isTTY === true;
  const log = createLog({ level: logLevel, format, colour, destination: process.stderr, folder: `${dataDir}/logs`, clock: systemClock });
  try {
    const serviceManager = createServiceManager({ said, pid: process.pid, searchPath: process.env["PATH"], log });
    return await work({ log, serviceManager });
  } finally {
    log.close();
  }
}

/** Reads the command line and does what it says. Resolves to the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const [{ run }, { systemClock }] = await Promise.all([import("../commands/run.ts"), import("../src/base/clock/clock.ts")]);
  return await run(args, {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    isRoot: process.getuid?.() === 0,
    version: programVersion(),
    // opened only by commands that read it
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
      serve: (options) => withLog(options, async (inside) => (await import("../daemon/serve.ts")).serve({ ...options, ...inside })),
      demo: (options) => withLog(options, async ({ log }) => (await import("../daemon/demo.ts")).demo({ ...options, log })),
    },
  });
}

/** Scripts ask for it all the time, and the answer needs no parser. */
function printVersion(): number {
  process.stdout.write(`${programVersion()}\n`);
  return 0;
}

const args = process.argv.slice(2);
const asksVersion = args.length === 1 && ["--version", "-V"].includes(args[0] ?? "");
process.exitCode = asksVersion ? printVersion() : await main(args);
// all is done, and a question to a share whose server is away would keep the process for as long as the server is
setTimeout(() => {
  if (asksFiles()) exitBySignal(stopping.signal.aborted ? stopping.signal.reason : "SIGTERM");
}, filesAnswerMs).unref();
// an interrupted command may have left a request behind that nobody waits for any more
if (stopping.signal.aborted || isLeaving) {
  while (asksFiles()) await pause(20);
  process.exit();
}
