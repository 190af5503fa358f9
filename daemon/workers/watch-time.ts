import { noteNext, whenNoted } from "../../src/admin/retention/chores-repository.ts";
import { minuteMs } from "../../src/base/clock/clock.ts";
import type { Database } from "../../src/platform/database/database.ts";

/** Shorter gaps, such as a nightly restart, do not restart the count of a silence that takes hours. */
const longestGapMs = 15 * minuteMs;
/** A longer interval between two rounds is a gap: the machine was suspended, or the database was away. */
const roundGapMs = 15_000;
const savedEveryMs = minuteMs;
const names = { since: "cameras_watched_since", until: "cameras_watched_until" } as const;

/** Since when homesec has watched the cameras. A silence that began earlier may be due to homesec itself. */
export interface Watched {
  /** Without any gap. */
  readonly listeningSince: Date;
  /** With gaps of at most 15 minutes, restarts of the daemon included. */
  readonly watchedSince: Date;
}

/** Tracks since when homesec has watched the cameras, across restarts. */
export class WatchTime {
  readonly #db: Database;
  #since: Watched | undefined;
  #lastRoundAt = Number.NEGATIVE_INFINITY;
  #lastWatchedAt = Number.NEGATIVE_INFINITY;
  #savedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Takes note of a round of the caretaker; `isWatching` says whether a new picture would be found now. */
  async note(now: Date, isWatching: boolean): Promise<Watched> {
    const time = now.getTime();
    const watchedSince = this.#since ? this.#since.watchedSince : await this.#stored();
    const hasGap = !isWatching || Math.abs(time - this.#lastRoundAt) > roundGapMs;
    this.#since = {
      listeningSince: this.#since && !hasGap ? this.#since.listeningSince : now,
      watchedSince: watchedSince && isShort(time - this.#lastWatchedAt) ? watchedSince : now,
    };
    this.#lastRoundAt = time;
    if (isWatching) this.#lastWatchedAt = time;
    if (isWatching && Math.abs(time - this.#savedAt) > savedEveryMs) {
      const { watchedSince: since } = this.#since;
      await this.#db.transaction(async (sql) => {
        await noteNext(sql, names.since, since);
        await noteNext(sql, names.until, now);
      });
      this.#savedAt = time;
    }
    return this.#since;
  }

  /** Continues where an earlier daemon ended. */
  async #stored(): Promise<Date | undefined> {
    const [since, until] = await this.#db.query(
      async (sql) => [await whenNoted(sql, names.since), await whenNoted(sql, names.until)] as const,
    );
    if (until) this.#lastWatchedAt = until.getTime();
    return since;
  }
}

const isShort = (gapMs: number): boolean => Math.abs(gapMs) <= longestGapMs;
