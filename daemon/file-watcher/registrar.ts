import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { type FoundFile, type Registered, registerFiles } from "../../src/monitoring/images/register.ts";
import type { Database } from "../../src/platform/database/database.ts";

/** Rows per transaction. Many make each row cheaper, few keep a live picture from waiting behind them. */
const liveChunk = 200;
const backlogChunk = 500;
/** Time to gather backlog into one transaction. */
const backlogGatherMs = 50;
/** Beyond this number the files stay on disk until a full scan finds them again. */
const mostWaiting = 20_000;
/** Transactions at once. Further cameras wait a moment and gather files meanwhile. */
const mostFlushes = 2;
const firstRetryMs = 100;
const longestRetryMs = 5_000;

/** Hints for the rest of the daemon: rows were written. */
export interface RegisteredHint extends Registered {
  readonly cameraId: string;
  /** Paths of the registered files, new or known. */
  readonly paths: readonly string[];
  /** How long each live picture took from its arrival to the ledger. */
  readonly watchedMs: readonly number[];
}

/** Dependencies of the registrar. */
export interface RegistrarOptions {
  readonly context: { readonly db: Database; readonly clock: Clock; readonly log: Log };
  readonly onRegistered: (hint: RegisteredHint) => void;
  /** Returns the other cameras that share the folder of a camera now. */
  readonly sharersOf: (cameraId: string) => readonly string[];
  /** These files are in the ledger, new or known. */
  readonly onStored: (cameraId: string, files: readonly FoundFile[]) => void;
  /** Too many files wait, and one was dropped. */
  readonly onOverflow: () => void;
}

/** Files of one camera that wait to be registered. */
interface CameraQueue {
  readonly cameraId: string;
  live: FoundFile[];
  backlog: FoundFile[];
  busy: boolean;
  timer: NodeJS.Timeout | undefined;
  failures: number;
}

/**
 * Registers found files in the ledger, camera by camera: a live picture at once, and files that arrive meanwhile together in the next
 * transaction; backlog in chunks, when no live picture waits. While the database is away, files wait here.
 */
export class Registrar {
  readonly #options: RegistrarOptions;
  readonly #cameras = new Map<string, CameraQueue>();
  readonly #running = new Set<Promise<void>>();
  /** Cameras with files to register that wait for a free transaction, the longest waiting first. */
  readonly #ready = new Set<CameraQueue>();
  #stopped = false;

  constructor(options: RegistrarOptions) {
    this.#options = options;
  }

  push(cameraId: string, file: FoundFile): void {
    if (this.#stopped) return;
    const queue = this.#queueOf(cameraId);
    if (queue.failures > 0 && this.size >= mostWaiting) {
      this.#options.onOverflow();
      return;
    }
    queue[file.live ? "live" : "backlog"].push(file);
    // while registering fails, the retry timer decides
    if (queue.failures === 0 && (file.live || queue.backlog.length >= backlogChunk)) this.#pump(queue);
    else if (!queue.busy) this.#pumpLater(queue, backlogGatherMs);
  }

  /** Number of files that wait. */
  get size(): number {
    return [...this.#cameras.values()].reduce((sum, { live, backlog }) => sum + live.length + backlog.length, 0);
  }

  /** Resolves when the transactions that run now have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { timer } of this.#cameras.values()) clearTimeout(timer);
    await Promise.all(this.#running);
  }

  #queueOf(cameraId: string): CameraQueue {
    const empty = { cameraId, live: [], backlog: [], busy: false, timer: undefined, failures: 0 };
    const queue = this.#cameras.get(cameraId) ?? empty;
    this.#cameras.set(cameraId, queue);
    return queue;
  }

  #pump(queue: CameraQueue): void {
    if (queue.busy || this.#stopped || queue.live.length + queue.backlog.length === 0) return;
    if (this.#running.size >= mostFlushes) {
      this.#ready.add(queue);
      return;
    }
    clearTimeout(queue.timer);
    queue.timer = undefined;
    queue.busy = true;
    const run = this.#flush(queue).finally(() => {
      this.#running.delete(run);
      queue.busy = false;
      if (queue.failures === 0) this.#ready.add(queue);
      else this.#pumpLater(queue, Math.min(firstRetryMs * 2 ** queue.failures, longestRetryMs));
      this.#pumpNext();
    });
    this.#running.add(run);
  }

  #pumpNext(): void {
    for (const queue of this.#ready) {
      if (this.#running.size >= mostFlushes) return;
      this.#ready.delete(queue);
      this.#pump(queue);
    }
  }

  #pumpLater(queue: CameraQueue, ms: number): void {
    queue.timer ??= setTimeout(() => {
      queue.timer = undefined;
      this.#pump(queue);
    }, ms);
  }

  async #flush(queue: CameraQueue): Promise<void> {
    const { context, sharersOf, onStored, onRegistered } = this.#options;
    const which = queue.live.length > 0 ? "live" : "backlog";
    // one by one after a failure, so that a row that cannot be stored does not block the others
    const most = queue.failures > 0 ? 1 : which === "live" ? liveChunk : backlogChunk;
    const files = queue[which].slice(0, most);
    // the patterns may have changed since the files were found
    const sharedWith = sharersOf(queue.cameraId);
    try {
      const registered = await registerFiles(
        context,
        queue.cameraId,
        files.map((file) => ({ ...file, sharedWith })),
      );
      queue[which] = queue[which].slice(files.length);
      if (queue.failures > 0) context.log.info({ camera: queue.cameraId }, "pictures are registered again");
      queue.failures = 0;
      onStored(queue.cameraId, files);
      if (registered.added > 0) {
        const now = context.clock.now().getTime();
        const watchedMs = files.flatMap(({ live, takenAt }) => (live ? Math.max(0, now - takenAt.getTime()) : []));
        onRegistered({ cameraId: queue.cameraId, paths: files.map((file) => file.path), watchedMs, ...registered });
      }
    } catch (error) {
      // moved to the end of the queue, so that the files that can be stored are
      queue[which] = [...queue[which].slice(files.length), ...files];
      if (queue.failures === 0)
        context.log.warn({ camera: queue.cameraId, error: String(error) }, "pictures could not be registered; trying again");
      queue.failures += 1;
    }
  }
}
