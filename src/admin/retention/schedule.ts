/** Hour of the day, local time, when old data is deleted. */
const cleanupHour = 3;

/** Returns the last due time of the cleanup at or before `now`. */
export function lastDue(now: Date): Date {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), cleanupHour);
  return today <= now ? today : new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, cleanupHour);
}

/** Returns the next due time of the cleanup after `now`. */
export function nextDue(now: Date): Date {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), cleanupHour);
  return today > now ? today : new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, cleanupHour);
}
