import type { StatsFs } from "node:fs";

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
