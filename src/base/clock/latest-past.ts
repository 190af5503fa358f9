/** So far ahead of ours may the clock of another machine be. */
const aheadMs = 60_000;

/** What happened and is later than this was of a clock that was set back since. */
export function latestPast(now: Date): Date {
  return new Date(now.getTime() + aheadMs);
}
