import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Log } from "../src/base/log/log.ts";

/** The variables by which systemd says where it listens, how often it wants to hear from us, and from which process. */
export const serviceManagerVariables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] as const;

export interface ServiceManagerOptions {
  /** What was in these variables when the program started. */
  readonly said: Readonly<Partial<Record<(typeof serviceManagerVariables)[number], string | undefined>>>;
  readonly pid: number;
  /** Where programs are looked for: the PATH of the environment. */
  readonly searchPath: string | undefined;
  readonly log: Log;
}

/** Who started the daemon and wants to know how it is: systemd, for a unit of `Type=notify`. Without one nothing is told. */
export interface ServiceManager {
  /** The start is over. From then on it also hears that the daemon lives, as often as it wants, while `alive` says so. */
  ready(status: string, alive: () => boolean): Promise<void>;
  /** The daemon ends on purpose. */
  stopping(): Promise<void>;
}

const execute = promisify(execFile);
const tellWithinMs = 10_000;

/**
 * Speaks to the service manager through the program `systemd-notify`, since Node.js has no datagram sockets of Unix. That one is a
 * child of ours: the unit needs `NotifyAccess=all`. What cannot be told is a warning in the log, never an error.
 */
export function createServiceManager({ said, pid, searchPath, log }: ServiceManagerOptions): ServiceManager {
  const socket = said.NOTIFY_SOCKET ?? "";
  let timer: NodeJS.Timeout | undefined;
  let failing = false;

  const tell = async (...what: readonly string[]): Promise<void> => {
    if (socket === "") return;
    try {
      await execute("systemd-notify", what, { env: { PATH: searchPath, NOTIFY_SOCKET: socket }, timeout: tellWithinMs });
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ told: what, error: String(error) }, "systemd-notify could not tell the service manager");
      failing = true;
    }
  };

  return {
    async ready(status, alive) {
      await tell("READY=1", `STATUS=${status}`);
      const everyMs = lifeSignEveryMs(said, pid);
      if (socket === "" || everyMs === undefined) return;
      timer = setInterval(() => {
        if (alive()) void tell("WATCHDOG=1");
      }, everyMs);
    },
    async stopping() {
      clearInterval(timer);
      await tell("STOPPING=1");
    },
  };
}

/** A third of the time after which the service manager takes us for dead, so that one sign of life may get lost, at most a minute. Undefined when it does not watch. */
function lifeSignEveryMs({ WATCHDOG_USEC, WATCHDOG_PID }: ServiceManagerOptions["said"], pid: number): number | undefined {
  const limitMs = Number(WATCHDOG_USEC ?? "") / 1_000;
  if (!(limitMs > 0) || (WATCHDOG_PID !== undefined && Number(WATCHDOG_PID) !== pid)) return undefined;
  return Math.min(Math.max(limitMs / 3, 1), 60_000);
}
