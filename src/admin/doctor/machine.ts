/** Of a file system, as statfs(2) tells. */
export interface FileSystemFigures {
  readonly bsize: number;
  readonly blocks: number;
  readonly bfree: number;
  readonly bavail: number;
  readonly files: number;
  readonly ffree: number;
}

/** Facts of the machine and the process that are not read from files: given, so that a test can give others. */
export interface Machine {
  /** `20.19.2`. */
  readonly nodeVersion: string;
  /** Version of the time-zone data, such as `2025b`; undefined when this Node.js has none of its own. */
  readonly zoneDataVersion: string | undefined;
  /** The zone of the machine as this process understands it. */
  readonly timeZone: string;
  /** The value of `TZ`. */
  readonly zoneVariable: string | undefined;
  /** User id of this process; undefined where there is none. */
  readonly uid: number | undefined;
  readonly hostName: string;
  /** Addresses of the network interfaces, loopback included. */
  readonly addresses: readonly string[];
  /** The names that are set in the environment. Values may be secrets. */
  readonly environmentNames: readonly string[];
  /** The working folder, whose `.env` is read. */
  readonly cwd: string;
  /** The file of --config. */
  readonly configPath: string | undefined;
  /** Where the system shows itself: /proc. */
  readonly proc: string;
  /** Where running services leave their marks: /run. */
  readonly run: string;
  /** Names or paths of the tools that homesec starts. */
  readonly ffmpeg: string;
  readonly nvidiaSmi: string;
  /** The command that asks a file system in a process of its own. */
  readonly stat: string;
  /** The command that looks names up in a process of its own. */
  readonly getent: string;
  /** Throws when the path is not there. */
  statfs(path: string): Promise<FileSystemFigures>;
}
