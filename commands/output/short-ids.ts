/** The fewest characters of a short id: the first group of a UUID. */
const shortestLength = 8;

/** Whether a text is a whole UUID, in any case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/**
 * Cuts UUIDs to the length that tells all of them apart, at least 8 characters. All get the same length, so that a column stays even.
 * Other texts stay as they are.
 */
export function shortIds(texts: readonly string[]): readonly string[] {
  const ids = [...new Set(texts.filter(isUuid))].toSorted();
  const length = ids.reduce((longest, id, at) => Math.max(longest, sharedLength(id, ids[at + 1] ?? "") + 1), shortestLength);
  return texts.map((text) => (isUuid(text) ? text.slice(0, length) : text));
}

/** The number of characters at the start that two texts share. */
function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
