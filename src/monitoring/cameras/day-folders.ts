/** A date in a path: year, month and day, separated by the same sign or by nothing; a time may follow without a separator. */
const dayPattern = /(?<!\d)(20\d\d)([-_./]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?=(?:\d\d){0,3}(?!\d))/;
const monthPattern = /(?<!\d)(20\d\d)[-_./](0[1-9]|1[0-2])$/;

/** Tells whether a folder is named after a day: `2026-11-25`, `20261125`, `rec_2026_11_25`. */
export function isDayName(name: string): boolean {
  return dayPattern.test(name);
}

/** The log line about folders named after days in the camera root. */
export const dayFolderWarning =
  "a folder in the camera root is named after a day, so each day becomes a camera; let the recorder write into a separate folder";

/**
 * Returns the end of the day or month that a path below a camera's folder belongs to, in local time; undefined if its names contain no date.
 * `2026/11/25/14/07` and `2026-11-25/001/jpg` belong to a day, `2026/11` to a month.
 */
export function endOfPeriod(path: string): Date | undefined {
  const day = dayPattern.exec(path);
  if (day) return new Date(Number(day[1]), Number(day[3]) - 1, Number(day[4]) + 1);
  const month = monthPattern.exec(path);
  return month ? new Date(Number(month[1]), Number(month[2]), 1) : undefined;
}
