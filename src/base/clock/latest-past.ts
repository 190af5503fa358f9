/** Maximum time that another machine's clock may be ahead. */
const aheadMs = 60_000;

/** Returns the latest time that a past event can have; a later one comes from a clock that has been set back since. */
export function latestPast(now: Date): Date {
  return new Date(now.getTime() + aheadMs);
}
