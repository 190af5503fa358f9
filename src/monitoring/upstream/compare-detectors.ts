import type { SeenObject } from "./detector-answer.ts";
import { intersectionOverUnion } from "./overlap.ts";

/** Names the daemon's detector where the address of another may be given. */
export const currentDetector = "current";

/** Boxes that overlap by this much (intersection over union) show the same object. */
const sameObject = 0.4;

export interface Matched {
  /** Those of the first detector that the second found too. */
  readonly both: readonly SeenObject[];
  readonly only_a: readonly SeenObject[];
  readonly only_b: readonly SeenObject[];
}

/** Pairs the objects of one class whose boxes overlap most; an object without a box is paired with any of its class. */
export function matchObjects(a: readonly SeenObject[], b: readonly SeenObject[]): Matched {
  const pairs = a.flatMap((one, i) =>
    b.flatMap((other, j) => {
      return isSameObject(one, other) ? [{ i, j, overlap: overlapOf(one, other) }] : [];
    }),
  );
  const [pairedA, pairedB] = [new Set<number>(), new Set<number>()];
  for (const { i, j } of pairs.toSorted((one, other) => other.overlap - one.overlap)) {
    if (pairedA.has(i) || pairedB.has(j)) continue;
    pairedA.add(i);
    pairedB.add(j);
  }
  return {
    both: a.filter((_, i) => pairedA.has(i)),
    only_a: a.filter((_, i) => !pairedA.has(i)),
    only_b: b.filter((_, j) => !pairedB.has(j)),
  };
}

/** Whether two detectors mean the same object: its class is the same, and its boxes overlap enough, or one of them is missing. */
export function isSameObject(one: SeenObject, other: SeenObject): boolean {
  return one.objectType === other.objectType && overlapOf(one, other) >= sameObject;
}

const overlapOf = ({ box: a }: SeenObject, { box: b }: SeenObject): number => (a && b ? intersectionOverUnion(a, b) : sameObject);

/** The objects of at least this confidence. */
export const confident = (detections: readonly SeenObject[], least: number): readonly SeenObject[] =>
  detections.filter(({ confidence }) => confidence >= least);
