import type { passedOverKinds, ReceiverProtocol, receiverStates } from "../../contract/constants.ts";
import type { LoadedConfig } from "../../platform/config/load.ts";
import type { DiskSpace } from "../../platform/disk/disk.ts";
import type { PeerRow } from "../jobs/processes-repository.ts";
import type { SelftestReport } from "../selftest/stages.ts";
import type { BreakerState, CircuitState, UpstreamName, UpstreamState } from "./upstream-state.ts";

/** The state of the running daemon that operations can read and that is not in the database. */
export interface Runtime {
  readonly startedAt: Date;
  readonly version: string;
  /** Returns the environment variables of this process; those with secrets may be gone. */
  environment(): Readonly<Record<string, string | undefined>>;
  /** Returns the configuration as it was last read without errors; undefined if the daemon follows no files. */
  configuration(): LoadedConfig | undefined;
  /**
   * Returns all workers by name, including those of other daemons. One that should run but does not has `running: false` and a message.
   */
  workers(): readonly WorkerState[];
  /** Returns all live daemons on this database, this one first. */
  daemons(): readonly DaemonState[];
  /** Tells whether the supervisor's own heartbeat is recent. */
  supervisorAlive(): boolean;
  /** Returns the address of the API. */
  url(): string;
  /**
   * Returns the five breakers, including those of disabled services. If several daemons share the database, each is in its worst state.
   */
  breakers(): readonly BreakerState[];
  /** Closes a breaker in all daemons, whatever its state, and resumes the jobs that wait for its service. Returns the previous state. */
  resetBreaker(name: UpstreamName): Promise<CircuitState>;
  /** Returns the enabled upstream services, each with the result of a recent health probe. */
  probeUpstreams(): Promise<readonly UpstreamState[]>;
  watcher(): WatcherState;
  /** Returns the servers that take the pictures of cameras. */
  receivers(): readonly ReceiverState[];
  /** Returns the space of the disk with the data folder. */
  disk(): Promise<DiskSpace>;
  /** Returns the space of the disk with the pictures; undefined if it is the same disk. */
  pictureDisk(): Promise<DiskSpace | undefined>;
  /** Returns the state of the WebSocket hub: its clients, and whether it sends messages. */
  live(): LiveStats;
  /** Returns statistics of the HTTP requests answered since the start. */
  requests(): RequestStats;
  recentEvents(): readonly { readonly timestamp: Date; readonly service: string; readonly event_type: string; readonly message: string }[];
  /**
   * Sends a test picture through all stages, isolated from other work, and reports on each. Throws `Problem("conflict")` while another
   * self-test of this process runs.
   */
  selftest(options: { readonly timeoutMs: number }): Promise<SelftestReport>;
  /** Counts a button that was pressed on a phone, by its outcome. */
  countAnswer(outcome: "done" | "repeated" | "gone" | "late" | "forged" | "foreign"): void;
  /** Returns the metrics in the text format of Prometheus. */
  metrics(): Promise<string>;
}

export interface WorkerState {
  readonly name: string;
  readonly running: boolean;
  readonly critical: boolean;
  readonly message: string | null;
  /** It runs in other daemons on this database. */
  readonly elsewhere?: true;
}

/** A live daemon on this database, with the singletons that it runs now. */
export type DaemonState = Omit<PeerRow, "report">;

/** Counters of the live connections, for health and telemetry. */
export interface LiveStats {
  readonly connectedClients: number;
  readonly messagesSent: number;
  readonly replayed: number;
  readonly cutSlow: number;
  readonly running: boolean;
  readonly lastBroadcast: Date | null;
}

/** Statistics of the requests that the daemon has answered since its start. */
export interface RequestStats {
  readonly total: number;
  /** Number of responses by status; "0" counts clients that disconnected before the response. */
  readonly byStatus: Readonly<Record<string, number>>;
  /** Over the last 1,024 responses; null before the first. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/** A server that takes the pictures of cameras. */
export interface ReceiverState {
  readonly protocol: ReceiverProtocol;
  readonly state: (typeof receiverStates)[number];
  readonly host: string;
  readonly port: number;
  /** Why it does not listen; null unless it failed. */
  readonly fault: string | null;
  readonly connections: number;
  /** Cameras that have a login for it. */
  readonly login_count: number;
}

export interface WatcherState {
  readonly running: boolean;
  readonly cameraRoot: string;
  readonly watchMode: "notify" | "polling";
  readonly pending: number;
  readonly stuck: readonly { readonly path: string; readonly reason: string; readonly since: Date }[];
  /** Folders and files that the watcher does not read, by camera and kind; absent from daemons of earlier versions. */
  readonly passedOver?: readonly PassedOver[];
}

/** Folders or files of one kind that the file watcher does not read. */
export interface PassedOver {
  readonly kind: (typeof passedOverKinds)[number];
  /** The camera whose folder holds them; null for those of no camera. */
  readonly camera_id: string | null;
  readonly count: number;
  /** One of them. */
  readonly path: string;
  /** Why it is not read, with the fix. */
  readonly reason: string;
}
