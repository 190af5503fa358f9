import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { FolderTree } from "./folder-tree.ts";
import { SerialQueue } from "./serial-queue.ts";
import type { Timings } from "./timings.ts";

const tickMs = 1_000;
/** This many events within a tick come close to the number that the kernel keeps for a slow reader (16,384). */
const burstEvents = 4_096;
/** Comparing every file takes at most one part in this many of the time. */
const compareShare = 10;
/** Minimum time between two comparisons of the folders in use. */
const activeEveryMs = 5_000;
/** Polled folders are compared file by file more often, because nothing else shows an overwritten file. */
const polledCompareEveryMs = 60_000;
const stallCheckMs = 50;

/** Dependencies of the schedule. */
export interface ScheduleOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly timings: Timings;
  readonly trees: () => readonly FolderTree[];
  /** Called with each regular rescan. */
  readonly onRescan: () => void;
  /** Called each second. */
  readonly onTick: () => void;
}

/** Decides when folders are read again. Rescans catch every change that the watches missed. */
export class RescanSchedule {
  readonly #options: ScheduleOptions;
  /** One queue per tree: a folder that hangs does not delay the others. */
  readonly #queues = new Map<FolderTree, SerialQueue>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #checking = new Set<FolderTree>();
  #compareAt: number;
  #polledCompareAt: number;
  #earliestCompareAt = 0;
  #comparing = false;
  #lossSuspected = false;
  #activeAt = 0;
  #inBurst = false;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    const now = options.clock.monotonic();
    this.#compareAt = now + options.timings.fullRescanMs;
    this.#polledCompareAt = now + polledCompareEveryMs;
  }

  start(): void {
    const { pollMs, rescanMs } = this.#options.timings;
    this.#timers.push(
      this.#watchForStalls(),
      setInterval(() => this.#tick(), tickMs),
      setInterval(() => this.#checkAll("polled"), pollMs),
      setInterval(() => {
        this.#options.onRescan();
        this.#checkAll("all");
      }, rescanMs),
    );
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([...this.#queues.values()].map((queue) => queue.stop()));
  }

  /** Compares every file with the ledger as soon as the last comparison is long enough ago. */
  compareSoon(): void {
    this.#compareAt = Math.min(this.#compareAt, this.#options.clock.monotonic());
  }

  /** Events may be lost while the event loop blocks for longer than `stallMs`. */
  #watchForStalls(): NodeJS.Timeout {
    let last = performance.now();
    return setInterval(() => {
      const now = performance.now();
      const stalledMs = now - last - stallCheckMs;
      last = now;
      if (stalledMs > this.#options.timings.stallMs) this.#suspectLoss(`the event loop was blocked for ${Math.round(stalledMs)} ms`);
    }, stallCheckMs);
  }

  #tick(): void {
    const { clock, timings, trees } = this.#options;
    const now = clock.monotonic();
    const events = trees().reduce((sum, tree) => sum + tree.takeEvents(), 0);
    if (events >= burstEvents) this.#inBurst = true;
    else if (this.#inBurst) {
      this.#inBurst = false;
      this.#suspectLoss("many events came at once");
    }
    this.#compareActive();
    if (now >= this.#compareAt && now >= this.#earliestCompareAt) {
      this.#compareAt = now + timings.fullRescanMs;
      this.#compareAll(trees());
    } else if (now >= this.#polledCompareAt && now >= this.#earliestCompareAt) {
      this.#polledCompareAt = now + polledCompareEveryMs;
      const polled = trees().filter((tree) => tree.isPolling);
      if (polled.length > 0) this.#compareAll(polled);
    }
    this.#options.onTick();
  }

  #suspectLoss(why: string): void {
    this.#options.log.debug({ why }, "events may be lost; comparing the folders in use");
    this.#lossSuspected = true;
    this.#compareActive();
  }

  #compareActive(): void {
    const now = this.#options.clock.monotonic();
    if (!this.#lossSuspected || now < this.#activeAt) return;
    this.#lossSuspected = false;
    this.#activeAt = now + activeEveryMs;
    for (const tree of this.#options.trees()) tree.compare("active");
    this.#checkAll("at_once");
  }

  #compareAll(trees: readonly FolderTree[]): void {
    if (this.#comparing) return;
    this.#comparing = true;
    const { clock, log } = this.#options;
    const startedAt = clock.monotonic();
    for (const tree of trees) tree.compare("all");
    Promise.all(trees.map((tree) => tree.idle()))
      .catch((error: unknown) => log.error({ error: String(error) }, "comparing all files failed"))
      .finally(() => {
        this.#comparing = false;
        const tookMs = clock.monotonic() - startedAt;
        this.#earliestCompareAt = clock.monotonic() + compareShare * tookMs;
        log.debug({ took_ms: Math.round(tookMs) }, "compared every file with the ledger");
      });
  }

  #checkAll(which: "all" | "polled" | "at_once"): void {
    const trees = this.#options.trees();
    for (const tree of this.#queues.keys()) if (!trees.includes(tree)) this.#queues.delete(tree);
    for (const tree of trees) {
      if (this.#checking.has(tree) && which !== "at_once") continue;
      this.#checking.add(tree);
      this.#queueOf(tree).push(async () => {
        this.#checking.delete(tree);
        await tree.check(which);
      });
    }
  }

  #queueOf(tree: FolderTree): SerialQueue {
    const queue = this.#queues.get(tree) ?? new SerialQueue(this.#options.log, `rescan of ${tree.path}`);
    this.#queues.set(tree, queue);
    return queue;
  }
}
