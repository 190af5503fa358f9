/** Formats a count with its noun: `1 camera`, `3 cameras`; `many` is the plural if it is not formed with `s`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
