/** The hour of the day, local time, at which old data is deleted. */
const cleanupHour = 3;

/** The last time before or at `now` at which the hour of the day was `hour`, local time. */
export function lastDue(now: Date, hour = cleanupHour): Date {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), hour);
  return today <= now ? today : new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, hour);
}

/** The next time after `now` at which the hour of the day is `hour`, local time. */
export function nextDue(now: Date, hour = cleanupHour): Date {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), hour);
  return today > now ? today : new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, hour);
}
