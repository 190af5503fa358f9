import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { passedOverText } from "../../src/monitoring/cameras/passed-over.ts";
import type { FreshContent } from "../../src/monitoring/images/fresh-content.ts";
import { hasFfmpeg } from "../../src/monitoring/images/video.ts";
import type { Database } from "../../src/platform/database/database.ts";
import type { WatcherState } from "../../src/work/operations/runtime.ts";
import type { Worker } from "../workers/loop.ts";
import type { WatchedCamera } from "./camera-folders.ts";
import type { RegisteredHint } from "./registrar.ts";
import { defaultTimings, type Timings } from "./timings.ts";
import { WatchRun } from "./watch-run.ts";

/** Dependencies of the watcher. */
export interface FileWatcherOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly cameraRoot: string;
  readonly extraRoots: readonly string[];
  /** Folders with homesec's own files, which no camera owns. */
  readonly ownFolders?: readonly string[];
  /** All cameras, deleted ones included, except those watched by daemons with other roots. */
  readonly cameras: () => Promise<readonly WatchedCamera[]>;
  /** Registers a camera for a folder of the camera root that holds pictures and has none. Rejects with a reason that is logged. */
  readonly ensureCamera: (folderName: string) => Promise<unknown>;
  /** Keeps the content of live pictures in memory for their first reader. */
  readonly fresh?: FreshContent;
  /** Rows were written: hand over detect jobs, number the journal. */
  readonly onRegistered: (hint: RegisteredHint) => void;
  /** The folder of a camera cannot be read, with reason and fix. */
  readonly onCameraProblem: (cameraId: string, reason: string) => Promise<void>;
  /** The folder can be read again, or can be read although the camera's status says otherwise. */
  readonly onCameraOk: (cameraId: string) => Promise<void>;
  /** Never watch, always poll. */
  readonly polling?: boolean;
  readonly timings?: Partial<Timings>;
  /** Whether the detect stage runs in this daemon too: without ffmpeg it could process no video, so videos are skipped. */
  readonly detects: boolean;
  /** Path of ffmpeg, for videos. */
  readonly ffmpeg?: string;
}

/**
 * The worker that sees each picture that arrives in a camera's folder and writes it into the ledger: by watches, which may lose events, and by
 * listings, which lose none (docs/decisions/0002-finding-files.md).
 */
export class FileWatcher implements Worker {
  readonly name = "file_watcher";
  readonly critical = false;
  readonly stuckAfterMs = 90_000;
  readonly #options: FileWatcherOptions;
  readonly #warned = new Set<string>();
  #run: WatchRun | undefined;
  #beat: number;

  constructor(options: FileWatcherOptions) {
    this.#options = options;
    this.#beat = options.clock.monotonic();
  }

  async start(): Promise<void> {
    const { detects, ffmpeg, timings } = this.#options;
    const run = new WatchRun({
      ...this.#options,
      timings: { ...defaultTimings, ...timings },
      refuseVideos: detects && !(await hasFfmpeg(ffmpeg)),
      warnOnce: (key, fields, message) => this.#warnOnce(key, fields, message),
      onBeat: () => {
        this.#beat = this.#options.clock.monotonic();
      },
    });
    await run.start();
    this.#beat = this.#options.clock.monotonic();
    this.#run = run;
  }

  async stop(): Promise<void> {
    const run = this.#run;
    this.#run = undefined;
    await run?.stop();
  }

  /** Tells the watcher that the camera table changed. */
  wake(): void {
    this.#run?.requestPlan();
  }

  heartbeat(): number {
    return this.#beat;
  }

  message(): string | null {
    const silent = this.#run?.silent ?? [];
    const faults = (this.#run?.passedOver() ?? []).filter(({ kind }) => kind === "unreadable_folder" || kind === "unregistered_folder");
    const parts = [
      ...(silent.length === 0 ? [] : [`waits for ${silent.join(" and ")}, which does not answer: its disk or share is away`]),
      ...faults.map(passedOverText),
    ];
    return parts.length === 0 ? null : parts.join("; ");
  }

  /** Number of folders without a watch because they are empty. */
  get idleFolders(): number {
    return this.#run?.idleFolders ?? 0;
  }

  state(): WatcherState {
    const run = this.#run;
    return {
      running: run !== undefined,
      cameraRoot: this.#options.cameraRoot,
      watchMode: this.#options.polling || run?.isPolling ? "polling" : "notify",
      pending: run?.pending ?? 0,
      stuck: run?.stuck() ?? [],
      passedOver: run?.passedOver() ?? [],
    };
  }

  #warnOnce(key: string, fields: object, message: string): void {
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    this.#options.log.warn(fields, message);
  }
}
