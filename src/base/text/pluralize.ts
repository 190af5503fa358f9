/** `1 camera`, `3 cameras`; `many` where that is no `s` more. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
