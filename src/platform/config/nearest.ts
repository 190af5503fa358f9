/** Returns the name in `known` that is most similar to `name`, if a typing error explains the difference: for "did you mean". */
export function nearest<T extends string>(name: string, known: readonly T[]): T | undefined {
  const wanted = name.toLowerCase();
  let best: { readonly name: T; readonly slips: number } | undefined;
  for (const candidate of known) {
    const edits = distance(wanted, candidate.toLowerCase());
    if (edits > Math.max(1, Math.floor(candidate.length / 4))) continue;
    // The first letter is rarely wrong
    const slips = edits + (candidate.toLowerCase().startsWith(wanted.slice(0, 1)) ? 0 : 0.5);
    if (slips < (best?.slips ?? Number.POSITIVE_INFINITY)) best = { name: candidate, slips };
  }
  return best?.name;
}

/** Counts the letters to insert, delete, replace or swap to turn one text into the other. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 16) return Number.POSITIVE_INFINITY;
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, exchanged, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
