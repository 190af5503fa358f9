/** The hour of the day, local time, at which old data is deleted. */
const cleanupHour = 3;

/** The last time before or at `now` at which the cleanup was due. */
export function lastDue(now: Date): Date {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), cleanupHour);
  return today <= now ? today : new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, cleanupHour);
}

/** The next time after `now` at which the cleanup is due. */
export function nextDue(now: Date): Date {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), cleanupHour);
  return today > now ? today : new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, cleanupHour);
}
