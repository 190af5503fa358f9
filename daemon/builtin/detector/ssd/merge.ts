import type { ObjectType } from "../../../../src/monitoring/detector-model/class-names.ts";
import { iou, shareOfSmaller } from "../boxes.ts";
import type { Candidate } from "./candidates.ts";

/** Two boxes of one look show the same object if they share this much of their union. */
const sameInLook = 0.45;
/** The same for boxes of both looks. */
const sameAcrossLooks = 0.4;
/** A box of one look that lies in a box of the other by this share shows a part of the same object. */
const partOfOther = 0.75;

/** The model confuses these, so that an object would get two boxes. */
const lookalikes: Readonly<Partial<Record<ObjectType, string>>> = {
  car: "vehicle",
  truck: "vehicle",
  bus: "vehicle",
  dog: "pet",
  cat: "pet",
  bicycle: "two wheels",
  motorcycle: "two wheels",
};

/** Returns the candidates of one look, one for each object: the one with the highest score. */
export function oneEach(candidates: readonly Candidate[]): readonly Candidate[] {
  return strongestFirst(candidates, (kept, other) => iou(kept.corners, other.corners) > sameInLook);
}

/** Merges the objects of both looks at a picture. */
export function mergeLooks(looks: readonly (readonly Candidate[])[]): readonly Candidate[] {
  return strongestFirst(looks.flat(), (kept, other) => {
    if (iou(kept.corners, other.corners) > sameAcrossLooks) return true;
    return kept.look !== other.look && shareOfSmaller(kept.corners, other.corners) > partOfOther;
  });
}

function strongestFirst(candidates: readonly Candidate[], isSame: (kept: Candidate, other: Candidate) => boolean): readonly Candidate[] {
  const kept: Candidate[] = [];
  for (const candidate of candidates.toSorted((a, b) => b.score - a.score)) {
    if (!kept.some((other) => kindOf(other.type) === kindOf(candidate.type) && isSame(other, candidate))) kept.push(candidate);
  }
  return kept;
}

function kindOf(type: ObjectType): string {
  return lookalikes[type] ?? type;
}
