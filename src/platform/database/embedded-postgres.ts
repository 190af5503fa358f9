import { realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { minuteMs } from "../../base/clock/clock.ts";
import { pause } from "../../base/lifecycle/pause.ts";
import type { Log } from "../../base/log/log.ts";
import { Problem } from "../../contract/problem.ts";
import { serverAccount } from "./account.ts";
import type { SocketAddress } from "./connection-target.ts";
import { ensureDataFolder } from "./data-folder.ts";
import { ensureCluster, maintenanceDatabase, openTheWay, superuser } from "./embedded/cluster.ts";
import { type GuardedProcess, startGuarded } from "./embedded/guarded-process.ts";
import { disownPostmasterFile, readPostmasterFile } from "./embedded/postmaster-file.ts";
import { logPlace, ServerLog } from "./embedded/server-log.ts";
import { ensureSocketFolder } from "./embedded/socket-folder.ts";
import { findBinaries } from "./embedded-binaries.ts";
import { commandLine } from "./process-identity.ts";

/** An embedded PostgreSQL server that runs as long as this process. */
export interface EmbeddedPostgres extends SocketAddress {
  readonly pid: number;
  /** Resolves with a description of the server's end, intended or not. */
  readonly ended: Promise<string>;
  /**
   * Accepts no new sessions, waits `guestsMs` (0) for the existing ones to end, ends the others and stops the server, within 17 s more in
   * any case and without losing data.
   */
  stop(guestsMs?: number): Promise<void>;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly port?: number;
  /** Number of connections that must be possible. Default 50. */
  readonly connections?: number;
  /**
   * Server settings added to the usual ones (names of postgresql.conf). The tests use them to listen on loopback and to switch fsync off.
   */
  readonly settings?: Readonly<Record<string, string>>;
  /** A start fails when the server logs nothing for this time. Default five minutes. */
  readonly silenceMs?: number;
}

/** For a small machine with one user of the database. A power cut loses nothing that was committed. */
const ourSettings: Readonly<Record<string, string>> = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  shared_buffers: "32MB",
  work_mem: "8MB",
  maintenance_work_mem: "32MB",
  effective_cache_size: "512MB",
  random_page_cost: "1.1",
  jit: "off",
  fsync: "on",
  synchronous_commit: "on",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_logical_replication_workers: "0",
  min_wal_size: "32MB",
  max_wal_size: "256MB",
  timezone: "UTC",
  log_timezone: "UTC",
  log_destination: "stderr",
  logging_collector: "off",
  log_checkpoints: "off",
  log_min_messages: "warning",
  log_line_prefix: "%m [%p] ",
};

const defaultPort = 5432;
const staleLockMs = 10_000;
/** After a power cut the server recovers, on a slow disk for minutes, and logs progress every 10 s except for the last step. */
const longestSilenceMs = 5 * minuteMs;
/** Time to write memory to the disk. If it is cut short, the next start must recover. */
const shutdownMs = 15_000;

/**
 * Starts PostgreSQL on `<dataDir>/postgres`, creating the database first if there is none, and waits until it accepts connections. The
 * caller holds the lock of the data folder, so a server found there is an orphan and is stopped. Throws `Problem` with the fix if this
 * machine or folder cannot run it, otherwise `Error` with the server's message.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log } = options;
  const port = options.port ?? defaultPort;
  await ensureDataFolder(options.dataDir);
  const dataDir = await realpath(options.dataDir);
  const account = await serverAccount();
  await openTheWay(dataDir, account);
  const binaries = await findBinaries(dataDir, account, log);
  const cluster = await ensureCluster(dataDir, binaries, account, log);
  const socketDir = await ensureSocketFolder(dataDir, port, account);
  await clearRemains(cluster, socketDir, port, log);

  const connections = { max_connections: String(Math.max(50, options.connections ?? 0)) };
  const settings = { ...ourSettings, ...connections, unix_socket_directories: socketDir, ...options.settings };
  const args = ["-D", cluster, "-p", String(port), ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  const deadline = performance.now() + staleLockMs;
  for (;;) {
    const place = await logPlace(join(dataDir, "logs", "postgres.log"));
    const server = await startGuarded(binaries.postgres, args, { account, lastSignal: "QUIT", cwd: cluster });
    const serverLog = new ServerLog(place, server.stderr, log);
    const failure = await becomesReady(server, cluster, serverLog, options.silenceMs ?? longestSilenceMs);
    if (failure === undefined) {
      return {
        ...{ socketDir, port, user: superuser, database: maintenanceDatabase },
        pid: server.pid,
        ended: server.ended,
        stop: (guestsMs) => stopServer(server.ended, server.kill, guestsMs),
      };
    }
    const words = await serverLog.lastWords();
    if (!/lock file|shared memory block|Address already in use/.test(words) || performance.now() > deadline) {
      throw new Error(`PostgreSQL in ${cluster} did not start (${failure}): ${words || "it said nothing"}`);
    }
    await sleep(100);
  }
}

/**
 * Finds the server that another process runs on this data folder; undefined if none runs. Throws `Problem("forbidden")` if the folder
 * belongs to another user.
 */
export async function attachEmbeddedPostgres(dataDir: string): Promise<SocketAddress | undefined> {
  const cluster = join(dataDir, "postgres");
  const file = await readPostmasterFile(cluster).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EACCES") throw cause;
    throw new Problem(
      "forbidden",
      `The data folder ${dataDir} belongs to another user; run homesec as that user, or choose another folder with DATA_DIR`,
      { cause },
    );
  });
  if (!file?.ready || !(await serves(file.pid, await realpath(cluster)))) return undefined;
  return { socketDir: file.socketDir, port: file.port, user: superuser, database: maintenanceDatabase };
}

/** Resolves with undefined when the server accepts connections, or with the reason why it never will. */
async function becomesReady(server: GuardedProcess, cluster: string, serverLog: ServerLog, silenceMs: number): Promise<string | undefined> {
  let outcome: string | undefined;
  void server.ended.then((how) => {
    outcome = how;
  });
  for (;;) {
    const file = await readPostmasterFile(cluster);
    if (outcome !== undefined) return outcome;
    if (file?.pid === server.pid && file.ready) return undefined;
    if (performance.now() - serverLog.heardAt > silenceMs) {
      server.kill("SIGQUIT");
      return `not ready, and silent for ${silenceMs / 1000} s, ${await server.ended}`;
    }
    await sleep(4);
  }
}

/** Stops a server that outlived its homesec, and separates lock files from a later process that has the pid of a dead server. */
async function clearRemains(cluster: string, socketDir: string, port: number, log: Log): Promise<void> {
  const file = await readPostmasterFile(cluster);
  if (file && (await serves(file.pid, cluster))) {
    log.warn({ pid: file.pid }, "A PostgreSQL server was left behind in the data folder; stopping it");
    const ended = (async () => {
      while (await serves(file.pid, cluster)) await sleep(10);
      return "gone";
    })();
    await stopServer(ended, (signal) => signalIfAlive(file.pid, signal));
  } else if (file && (await commandLine(file.pid)) !== undefined) {
    await disownPostmasterFile(cluster);
  }
  await rm(join(socketDir, `.s.PGSQL.${port}.lock`), { force: true });
}

async function serves(pid: number, cluster: string): Promise<boolean> {
  return ((await commandLine(pid)) ?? "").includes(`-D ${cluster} `);
}

/**
 * Stops the server in steps: accept no new sessions and end with the last one; end the sessions; abort at once (it recovers at the next
 * start); kill.
 */
async function stopServer(ended: Promise<string>, kill: (signal: NodeJS.Signals) => void, guestsMs = 0): Promise<void> {
  for (const [signal, patienceMs] of [
    ...(guestsMs > 0 ? [["SIGTERM", guestsMs] as const] : []),
    ["SIGINT", shutdownMs],
    ["SIGQUIT", 1_000],
    ["SIGKILL", 1_000],
  ] as const) {
    kill(signal);
    const timer = new AbortController();
    const over = await Promise.race([ended.then(() => true), pause(patienceMs, timer.signal).then(() => false)]);
    timer.abort();
    if (over) return;
  }
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
