import type { DiskSpace } from "../../platform/disk/disk.ts";
import type { PeerRow } from "../jobs/processes-repository.ts";
import type { SelftestReport } from "../selftest/report.ts";
import type { BreakerState, CircuitState, UpstreamName, UpstreamState } from "./upstream-state.ts";

/** What the running daemon knows of itself and shares with the operations: the live state that is in no row. */
export interface Runtime {
  readonly startedAt: Date;
  readonly version: string;
  /** All workers by name, those of other daemons included. A worker that should run but does not has `running: false` and says why. */
  workers(): readonly WorkerState[];
  /** All daemons that live on this database. The first is this one. */
  daemons(): readonly DaemonState[];
  /** The supervisor's own heartbeat is fresh. */
  supervisorAlive(): boolean;
  /** Where the API answers. */
  url(): string;
  /** The five breakers, switched-off services included; each as the daemon sees it for which it is worst. */
  breakers(): readonly BreakerState[];
  /** Closes a breaker in all daemons whatever happened, and has what waited for its service taken up. Returns the state it was in. */
  resetBreaker(name: UpstreamName): Promise<CircuitState>;
  /** Upstream services that are switched on, each with the result of a fresh-enough health probe. */
  probeUpstreams(): Promise<readonly UpstreamState[]>;
  watcher(): WatcherState;
  /** How full the disk is that holds the data folder. */
  disk(): Promise<DiskSpace>;
  /** The same of the one that holds the pictures; undefined when it is the same. */
  pictureDisk(): Promise<DiskSpace | undefined>;
  /** The WebSocket hub: its clients, and whether messages go out. */
  live(): LiveStats;
  /** The HTTP requests answered since the start. */
  requests(): RequestStats;
  recentEvents(): readonly { readonly timestamp: Date; readonly service: string; readonly event_type: string; readonly message: string }[];
  /**
   * Sends a picture of its own through all stages, away from all else, and reports on each. Throws `Problem("conflict")`
   * while another self-test of this process runs.
   */
  selftest(options: { readonly timeoutMs: number }): Promise<SelftestReport>;
  /** Prometheus text. */
  metrics(): Promise<string>;
}

export interface WorkerState {
  readonly name: string;
  readonly running: boolean;
  readonly critical: boolean;
  readonly message: string | null;
  /** It is the work of other daemons on this database. */
  readonly elsewhere?: true;
}

/** A living daemon on this database; its singletons are those that it does now. */
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

/** What the daemon tells about the requests that it has answered since its start. */
export interface RequestStats {
  readonly total: number;
  /** Number of answers by status, "0" for those that the asker did not wait for. */
  readonly byStatus: Readonly<Record<string, number>>;
  /** Over the last 1,024 answers; null before the first. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

export interface WatcherState {
  readonly running: boolean;
  readonly cameraRoot: string;
  readonly watchMode: "notify" | "polling";
  readonly pending: number;
  readonly stuck: readonly { readonly path: string; readonly reason: string; readonly since: Date }[];
}
