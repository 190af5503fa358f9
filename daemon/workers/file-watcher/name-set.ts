/** The names of a folder, 8 bytes each: a sorted list of their hashes. Good enough to tell what is new, with one mistake in 10^10 names. */
export type NameSet = Float64Array;

/** Remembers names. */
export function nameSet(names: readonly string[]): NameSet {
  return Float64Array.from(names, hashOf).sort();
}

/** Whether the set has the name. */
export function hasName(set: NameSet, name: string): boolean {
  const hash = hashOf(name);
  let low = 0;
  let high = set.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((set[middle] as number) < hash) low = middle + 1;
    else high = middle;
  }
  return set[low] === hash;
}

/** 53 bits, out of two FNV-like sums that are mixed at the end. */
function hashOf(name: string): number {
  let a = 0x811c9dc5;
  let b = 0x1b873593;
  for (let i = 0; i < name.length; i += 1) {
    const code = name.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) + i;
  }
  a = Math.imul(a ^ (b >>> 15), 0xc2b2ae35);
  b = Math.imul(b ^ (a >>> 13), 0x27d4eb2f);
  return ((a ^ (a >>> 16)) >>> 0) * 0x200000 + ((b ^ (b >>> 14)) >>> 11);
}
