/** Returns the local date of a time, `YYYY-MM-DD`. */
export function localDay(time: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}
