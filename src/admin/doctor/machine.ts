import type { StatsFs } from "node:fs";
import { statfs } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import process from "node:process";
import { localTimeZone } from "../../base/clock/time-zone.ts";
import { isLoopback } from "../../platform/config/cross-checks.ts";
import { plainHost } from "../../platform/outbound/address.ts";

/** Facts of the machine and the process that checks do not read from files. Tests pass others. */
export interface Machine {
  /** `20.19.2`. */
  readonly nodeVersion: string;
  /** The time zone of this process. */
  readonly timeZone: string;
  /** The value of `TZ`. */
  readonly zoneVariable: string | undefined;
  /** User id of this process; undefined on systems without user ids. */
  readonly uid: number | undefined;
  readonly hostName: string;
  /** Addresses of the network interfaces, loopback included. */
  readonly addresses: readonly string[];
  /** Names of the environment variables. Their values may be secrets. */
  readonly environmentNames: readonly string[];
  /** The working folder, whose `.env` homesec reads. */
  readonly cwd: string;
  /** The file of --config. */
  readonly configPath: string | undefined;
  /** Path of /proc. */
  readonly proc: string;
  /** Path of /run. */
  readonly run: string;
  /** Path of /sys/fs/cgroup. */
  readonly cgroup: string;
  /** Commands that homesec runs. */
  readonly ffmpeg: string;
  readonly nvidiaSmi: string;
  /** Command that probes a file system in a child process. */
  readonly stat: string;
  /** Command that resolves names in a child process. */
  readonly getent: string;
  /** Rejects when the path does not exist. */
  statfs(path: string): Promise<Pick<StatsFs, "bsize" | "blocks" | "bfree" | "bavail">>;
}

/** Where a process runs, and what it was started with. */
interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly configPath: string | undefined;
}

/** The machine of this process. */
export function thisMachine({ env, cwd, configPath }: Place): Machine {
  return {
    nodeVersion: process.versions.node,
    timeZone: localTimeZone(),
    zoneVariable: env["TZ"],
    uid: process.getuid?.(),
    hostName: hostname(),
    addresses: Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []),
    environmentNames: Object.keys(env),
    cwd,
    configPath,
    proc: "/proc",
    run: "/run",
    cgroup: "/sys/fs/cgroup",
    ffmpeg: "ffmpeg",
    nvidiaSmi: "nvidia-smi",
    stat: "stat",
    getent: "getent",
    statfs,
  };
}

/** Whether the host of a URL is an address of this machine. A tunnel to another machine has one, too. */
export function isNear(url: string, { addresses }: Pick<Machine, "addresses">): boolean {
  const host = plainHost(new URL(url).hostname);
  return isLoopback(host) || addresses.includes(host);
}
