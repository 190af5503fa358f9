import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Log } from "../src/base/log/log.ts";

/** The variables that hold systemd's socket, the watchdog interval and the watched process. */
export const serviceManagerVariables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] as const;

export interface ServiceManagerOptions {
  /** Values of these variables when the program started. */
  readonly variables: Readonly<Partial<Record<(typeof serviceManagerVariables)[number], string | undefined>>>;
  readonly pid: number;
  /** Folders to search for programs: the PATH of the environment. */
  readonly searchPath: string | undefined;
  readonly log: Log;
}

/** The service manager that started the daemon: systemd, for a unit of `Type=notify`. Without one, every call does nothing. */
export interface ServiceManager {
  /** Reports that the start is complete. From then on also sends watchdog heartbeats while `alive` returns true. */
  ready(status: string, alive: () => boolean): Promise<void>;
  /** Reports that the daemon stops on purpose. */
  stopping(): Promise<void>;
}

const execute = promisify(execFile);
const notifyTimeoutMs = 10_000;

/**
 * Talks to the service manager with the program `systemd-notify`, since Node.js has no Unix datagram sockets. The program is a child
 * process, so the unit needs `NotifyAccess=all`. A failed report is a warning in the log, never an error.
 */
export function createServiceManager({ variables, pid, searchPath, log }: ServiceManagerOptions): ServiceManager {
  const socket = variables.NOTIFY_SOCKET ?? "";
  let timer: NodeJS.Timeout | undefined;
  let failing = false;

  const notify = async (...what: readonly string[]): Promise<void> => {
    if (socket === "") return;
    try {
      await execute("systemd-notify", what, { env: { PATH: searchPath, NOTIFY_SOCKET: socket }, timeout: notifyTimeoutMs });
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ sent: what, error: String(error) }, "systemd-notify could not notify the service manager");
      failing = true;
    }
  };

  return {
    async ready(status, alive) {
      await notify("READY=1", `STATUS=${status}`);
      const everyMs = watchdogIntervalMs(variables, pid);
      if (socket === "" || everyMs === undefined) return;
      timer = setInterval(() => {
        if (alive()) void notify("WATCHDOG=1");
      }, everyMs);
    },
    async stopping() {
      clearInterval(timer);
      await notify("STOPPING=1");
    },
  };
}

/** Interval of heartbeats: a third of the watchdog timeout, so that one may be lost; at most a minute. Undefined without a watchdog. */
function watchdogIntervalMs({ WATCHDOG_USEC, WATCHDOG_PID }: ServiceManagerOptions["variables"], pid: number): number | undefined {
  const limitMs = Number(WATCHDOG_USEC ?? "") / 1_000;
  if (!(limitMs > 0) || (WATCHDOG_PID !== undefined && Number(WATCHDOG_PID) !== pid)) return undefined;
  return Math.min(Math.max(limitMs / 3, 1), 60_000);
}
