import { Fifo } from "./fifo.ts";

/** How many files are open at once, and how many of these may be backlog: a live picture always finds a free place. */
const mostLooks = 8;
const mostBacklogLooks = 4;
/** Finders of backlog wait while more than this is queued, there or on their share. */
const mostBacklogQueued = 1_000;

/** A file that waits for a look. */
export interface Queued {
  readonly live: boolean;
  /** The network share on which it lies. */
  readonly share: string | undefined;
}

/** Files that wait for a look, and those at which one is under way. */
export interface LookQueue<T extends Queued> {
  push(item: T): void;
  /** Resolves when there is room for more backlog of this share, or of the disks here. */
  room(share: string | undefined): Promise<void>;
  /** Begins no more looks; resolves when those under way have ended. */
  stop(): Promise<void>;
}

interface Lines<T> {
  readonly live: Fifo<T>;
  readonly backlog: Fifo<T>;
}

/**
 * Makes the queue. Live files come first, and never wait for backlog. At a network share one look is under way at a time, and what else waits
 * for that share takes no place meanwhile: one that hangs or is slow holds up nobody but itself. `look` must not reject.
 */
export function createLookQueue<T extends Queued>(look: (item: T) => Promise<void>): LookQueue<T> {
  const lines = newLines<T>();
  const running = new Set<Promise<void>>();
  /** Who waits for a share at which a look is under way, or where somebody waited just now. */
  const behind = new Map<string, Lines<T>>();
  const busy = new Set<string>();
  let backlogLooks = 0;
  let stopped = false;
  let waiters: { readonly share: string | undefined; readonly wake: () => void }[] = [];

  const begin = (item: T): void => {
    const { live, share } = item;
    if (!live) backlogLooks += 1;
    if (share !== undefined) busy.add(share);
    const run = look(item).finally(() => {
      if (!live) backlogLooks -= 1;
      running.delete(run);
      if (share !== undefined) leave(share);
      pump();
    });
    running.add(run);
  };

  const leave = (share: string): void => {
    busy.delete(share);
    const waiting = behind.get(share);
    const next = waiting?.live.shift() ?? waiting?.backlog.shift();
    if (next) push(next);
    if (waiting && waiting.live.size + waiting.backlog.size === 0) behind.delete(share);
  };

  const park = (share: string, item: T): void => {
    const waiting = behind.get(share) ?? newLines<T>();
    behind.set(share, waiting);
    lineFor(waiting, item).push(item);
  };

  const pump = (): void => {
    while (!stopped && running.size < mostLooks) {
      const item = lines.live.shift() ?? (backlogLooks < mostBacklogLooks ? lines.backlog.shift() : undefined);
      if (!item) break;
      if (item.share !== undefined && busy.has(item.share)) park(item.share, item);
      else begin(item);
    }
    const woken = waiters.filter(({ share }) => backlogOf(share) <= mostBacklogQueued / 2);
    if (woken.length === 0) return;
    waiters = waiters.filter((waiter) => !woken.includes(waiter));
    for (const { wake } of woken) wake();
  };

  const backlogOf = (share: string | undefined): number =>
    lines.backlog.size + ((share === undefined ? undefined : behind.get(share)?.backlog.size) ?? 0);

  const push = (item: T): void => {
    lineFor(lines, item).push(item);
    pump();
  };

  return {
    push,
    room: async (share) => {
      if (backlogOf(share) < mostBacklogQueued || stopped) return;
      await new Promise<void>((wake) => waiters.push({ share, wake }));
    },
    stop: async () => {
      stopped = true;
      for (const { wake } of waiters) wake();
      await Promise.all(running);
    },
  };
}

const newLines = <T>(): Lines<T> => ({ live: new Fifo<T>(), backlog: new Fifo<T>() });

const lineFor = <T extends Queued>(lines: Lines<T>, { live }: T): Fifo<T> => (live ? lines.live : lines.backlog);
