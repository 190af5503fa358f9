import type { Log } from "../../src/base/log/log.ts";
import type { Database, Sql } from "../../src/platform/database/database.ts";
import { journalChannel, type PublishedRow, readAfter, readHead } from "../../src/work/journal/journal-repository.ts";
import { type Frame, journalFrame } from "./frame.ts";
import { RecentFrames } from "./recent-frames.ts";

/** Rows per read: enough for speed, few enough that a page of events with long lists stays in the low megabytes. */
export const page = 256;

export interface FollowerOptions {
  readonly db: Database;
  readonly log: Log;
  /** Interval of journal reads without a notification. */
  readonly pollMs: number;
  /** Receives each frame once and in order. `onGap` reports every hole in between. */
  readonly onFrames: (frames: readonly Frame[]) => void;
  /** Rows were removed before this process sent them. Both ends are inclusive. */
  readonly onGap: (from: number, to: number) => void;
  /** The journal no longer holds the messages after `head`, up to `before`: their sequences now belong to other rows. */
  readonly onSetBack: (head: number, before: number) => void;
}

/**
 * Follows the journal from the last sequence it has passed on. Rows that this process's own publisher has numbered arrive directly. A hole
 * before them means that another process numbered rows, so the journal is read. Notifications and a poll trigger reads; the sequence alone
 * decides what is new. If the database returns with an older journal, such as after a failover to a standby, the follower resumes from the
 * last row that both have.
 */
export class Follower {
  readonly recent = new RecentFrames();
  readonly #options: FollowerOptions;
  #head = 0;
  #catchingUp: Promise<void> | undefined;
  #again = false;
  #stopped = true;
  #failing = false;
  #timer: NodeJS.Timeout | undefined;
  #unlisten: (() => Promise<void>) | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** The last sequence passed on. */
  get head(): number {
    return this.#head;
  }

  /** The last query to the database succeeded. */
  get healthy(): boolean {
    return !this.#stopped && !this.#failing;
  }

  /** Starts after the newest sequence. Rejects if the database does not reply. */
  async start(): Promise<void> {
    const { db, pollMs } = this.#options;
    this.#head = await db.query(readHead);
    this.recent.clear();
    this.#stopped = false;
    this.#failing = false;
    this.#unlisten = await db.listen(
      journalChannel,
      (newest) => {
        if (Number(newest) > this.#head) this.poll();
      },
      () => this.poll(),
    );
    this.#timer = setInterval(() => this.poll(), pollMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#unlisten?.();
    this.#unlisten = undefined;
    await this.#catchingUp;
  }

  /** Takes rows that were just numbered. Skips known ones; after a hole it reads the journal instead. */
  publish(rows: readonly PublishedRow[]): void {
    if (this.#stopped) return;
    const first = rows[0];
    if (!first) return;
    if (first.sequence > this.#head + 1) this.poll();
    else this.#pass(rows);
  }

  /** Reads new rows of the journal. A call during a read triggers another read. */
  poll(): void {
    if (this.#stopped) return;
    this.#again = true;
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined;
      if (this.#again && !this.#failing) this.poll();
    });
  }

  async #catchUp(): Promise<void> {
    const { db, log } = this.#options;
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        const passed = this.#head;
        const { rows, common } = await db.query(async (sql) => {
          const found = await readAfter(sql, passed, page);
          return { rows: found, common: found.length > 0 ? passed : await this.#inCommon(sql, passed) };
        });
        if (common < passed) this.#setBack(common);
        const first = rows[0];
        if (first && first.sequence > this.#head + 1) this.#skipTo(first.sequence);
        this.#pass(rows);
        if (rows.length === page) this.#again = true;
      }
      if (this.#failing) log.info({}, "the journal can be read again");
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) log.warn({ error: String(error) }, "the journal cannot be read; trying again");
      this.#failing = true;
    }
  }

  /** The newest sequence that the journal and the frames passed on have in common: `passed`, unless the database has an older journal. */
  async #inCommon(sql: Sql, passed: number): Promise<number> {
    const newest = await readHead(sql);
    if (newest >= passed) return passed;
    // other rows may have taken some of the sequences already
    const rows = await readAfter(sql, Math.max(0, newest - page), page);
    const other = rows.find((row) => this.recent.at(row.sequence)?.bytes.equals(journalFrame(row).bytes) === false);
    return other ? other.sequence - 1 : newest;
  }

  #setBack(sequence: number): void {
    const before = this.#head;
    this.#options.log.warn(
      { from: sequence + 1, to: before },
      "the database has an older journal than was sent to clients; its own messages follow",
    );
    this.#head = sequence;
    this.recent.clear();
    this.#options.onSetBack(sequence, before);
    this.#again = true;
  }

  #skipTo(sequence: number): void {
    const from = this.#head + 1;
    this.#head = sequence - 1;
    this.recent.clear();
    this.#options.onGap(from, sequence - 1);
  }

  #pass(rows: readonly PublishedRow[]): void {
    const frames = rows.filter((row) => row.sequence > this.#head).map(journalFrame);
    const last = frames.at(-1);
    if (!last) return;
    this.#head = last.sequence;
    this.recent.push(frames);
    this.#options.onFrames(frames);
  }
}
