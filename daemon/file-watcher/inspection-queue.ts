import { Fifo } from "./fifo.ts";

/** Number of files inspected at once, and how many of them may be backlog: a live picture always finds a free slot. */
const mostInspections = 8;
const mostBacklogInspections = 4;
/** Callers that add backlog wait while more than this is queued, in total for local disks or for their share. */
const mostBacklogQueued = 1_000;

/** A file that waits for its inspection. */
export interface Queued {
  readonly live: boolean;
  /** The network share that holds the file. */
  readonly share: string | undefined;
}

interface Queues<T> {
  readonly live: Fifo<T>;
  readonly backlog: Fifo<T>;
}

/**
 * Files that wait for their inspection, and those being inspected. Live files come first and never wait for backlog. Only one file of a network
 * share is inspected at a time, and the other files of that share take no slot meanwhile: a share that hangs or is slow delays only itself.
 */
export class InspectionQueue<T extends Queued> {
  readonly #inspect: (item: T) => Promise<void>;
  readonly #queues = newQueues<T>();
  readonly #running = new Set<Promise<void>>();
  /** Files that wait for their share, by share. */
  readonly #parked = new Map<string, Queues<T>>();
  readonly #busyShares = new Set<string>();
  #backlogRunning = 0;
  #stopped = false;
  #waiters: { readonly share: string | undefined; readonly wake: () => void }[] = [];

  /** `inspect` must not reject. */
  constructor(inspect: (item: T) => Promise<void>) {
    this.#inspect = inspect;
  }

  push(item: T): void {
    queueFor(this.#queues, item).push(item);
    this.#pump();
  }

  /** Resolves when there is room for more backlog of this share, or of the local disks. */
  async waitForRoom(share: string | undefined): Promise<void> {
    if (this.#backlogOf(share) < mostBacklogQueued || this.#stopped) return;
    await new Promise<void>((wake) => this.#waiters.push({ share, wake }));
  }

  /** Starts no more inspections and waits for the running ones. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { wake } of this.#waiters) wake();
    await Promise.all(this.#running);
  }

  #pump(): void {
    while (!this.#stopped && this.#running.size < mostInspections) {
      const item = this.#queues.live.shift() ?? (this.#backlogRunning < mostBacklogInspections ? this.#queues.backlog.shift() : undefined);
      if (!item) break;
      if (item.share !== undefined && this.#busyShares.has(item.share)) this.#park(item.share, item);
      else this.#begin(item);
    }
    const woken = this.#waiters.filter(({ share }) => this.#backlogOf(share) <= mostBacklogQueued / 2);
    if (woken.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => !woken.includes(waiter));
    for (const { wake } of woken) wake();
  }

  #begin(item: T): void {
    const { live, share } = item;
    if (!live) this.#backlogRunning += 1;
    if (share !== undefined) this.#busyShares.add(share);
    const run = this.#inspect(item).finally(() => {
      if (!live) this.#backlogRunning -= 1;
      this.#running.delete(run);
      if (share !== undefined) this.#release(share);
      this.#pump();
    });
    this.#running.add(run);
  }

  #park(share: string, item: T): void {
    const parked = this.#parked.get(share) ?? newQueues<T>();
    this.#parked.set(share, parked);
    queueFor(parked, item).push(item);
  }

  #release(share: string): void {
    this.#busyShares.delete(share);
    const parked = this.#parked.get(share);
    const next = parked?.live.shift() ?? parked?.backlog.shift();
    if (next) this.push(next);
    if (parked && parked.live.size + parked.backlog.size === 0) this.#parked.delete(share);
  }

  #backlogOf(share: string | undefined): number {
    return this.#queues.backlog.size + ((share === undefined ? undefined : this.#parked.get(share)?.backlog.size) ?? 0);
  }
}

const newQueues = <T>(): Queues<T> => ({ live: new Fifo<T>(), backlog: new Fifo<T>() });

const queueFor = <T extends Queued>(queues: Queues<T>, { live }: T): Fifo<T> => (live ? queues.live : queues.backlog);
