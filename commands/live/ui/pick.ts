/** The row that a person chose: which it is, and where it was. */
export interface Pick {
  readonly id: string;
  readonly at: number;
}

/** The row that is chosen in a list: the picked one, or its neighbour when it is gone; without a pick the first. Undefined in an empty list. */
export function picked(ids: readonly string[], pick: Pick | undefined): Pick | undefined {
  const found = pick === undefined ? 0 : ids.indexOf(pick.id);
  const at = found >= 0 ? found : Math.min(pick?.at ?? 0, ids.length - 1);
  const id = ids[at];
  return id === undefined ? undefined : { id, at };
}

/** The pick after moving so many rows; undefined beyond the top, which follows what is new. */
export function moved(ids: readonly string[], pick: Pick | undefined, by: number): Pick | undefined {
  const to = (picked(ids, pick)?.at ?? 0) + by;
  const at = Math.min(ids.length - 1, to);
  const id = ids[at];
  return id === undefined ? undefined : { id, at };
}

/** The first of the rows that are shown when so many fit: the chosen one is among them, in the middle where there are more on either side. */
export function firstShown(count: number, at: number, height: number): number {
  return Math.max(0, Math.min(at - Math.floor(height / 2), count - height));
}
