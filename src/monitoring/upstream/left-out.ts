import type { leftOutReasons } from "../../contract/constants.ts";

export type LeftOutReason = (typeof leftOutReasons)[number];

/** The parts of a detector's answers that were left out for one reason. */
export interface LeftOut {
  readonly reason: LeftOutReason;
  readonly count: number;
  /** The first one, as the detector sent it, cut to a few words; null if the reason needs none. */
  readonly example: string | null;
}

/** Reasons that cost a detection only its box. */
const boxReasons: ReadonlySet<LeftOutReason> = new Set(["bad_box", "empty_box", "outside"]);

/** Follows a number of detections. */
const meanings: Readonly<Record<LeftOutReason, string>> = {
  not_an_object: "without the form of a detection",
  unknown_class: "with a class that homesec does not know",
  other_class: "of a class that homesec does not count",
  bad_confidence: "with a confidence that cannot be read",
  below_threshold: "below the confidence threshold",
  second_opinion: "that the second detector did not see",
  too_many: "beyond the most confident ones of an answer",
  bad_box: "with a box that cannot be read",
  empty_box: "with an empty box",
  outside: "with a box outside of the picture",
};

/** Collects the parts of one answer, or of several, that were left out. */
export class LeftOutTally {
  readonly #counts = new Map<LeftOutReason, LeftOut>();

  /** Counts a part. `example` is called for the first one of a reason. */
  add(reason: LeftOutReason, example: () => string | null, count = 1): void {
    const before = this.#counts.get(reason);
    this.#counts.set(reason, before ? { ...before, count: before.count + count } : { reason, count, example: example() });
  }

  addAll(leftOut: readonly LeftOut[]): void {
    for (const { reason, count, example } of leftOut) this.add(reason, () => example, count);
  }

  list(): readonly LeftOut[] {
    return [...this.#counts.values()];
  }
}

const longestExample = 160;

/** Returns a part of an answer as JSON, cut to `longestExample` characters, without characters that cannot be stored. */
export function exampleOf(part: unknown): string {
  try {
    const text = JSON.stringify(part);
    return (text.length > longestExample ? `${text.slice(0, longestExample)}…` : text).replace(/\p{Surrogate}/gu, "");
  } catch {
    // It is nested too deeply.
    return "…";
  }
}

/** A confidence as text, rounded down: one just below the threshold must not look like it. */
export function percentText(confidence: number): string {
  return `${Math.floor(confidence * 100 + 1e-9)} %`;
}

/** Describes the parts that were left out in sentences; an empty text if there are none. */
export function leftOutText(leftOut: readonly LeftOut[]): string {
  const detections = leftOut.filter(({ reason }) => !boxReasons.has(reason));
  const boxes = leftOut.filter(({ reason }) => boxReasons.has(reason));
  return [
    detections.length === 0 ? "" : `homesec left out detections: ${listed(detections)}.`,
    boxes.length === 0 ? "" : `homesec kept detections without their box: ${listed(boxes)}.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function listed(parts: readonly LeftOut[]): string {
  return parts
    .map(({ reason, count, example }) => `${count} ${meanings[reason]}${example === null ? "" : `, such as ${example}`}`)
    .join("; ");
}

/** The newest answers of a detector. */
export interface RecentAnswers {
  /** Of each answer that had such parts, newest first. */
  readonly leftOut: readonly (readonly LeftOut[])[];
  /** Number of detections that were stored since the oldest of these answers. */
  readonly kept: number;
  /** The detector found something of a known class within the last day. */
  readonly knowsClasses: boolean;
}

/** Fewer answers prove nothing. */
const fewestAnswers = 5;

/**
 * Says that homesec cannot use most of the detections, with an example; undefined if it can. Unknown classes count only if nothing else
 * came for a day: a detector may know hundreds of classes, and see only those in an empty yard.
 */
export function unusableAnswers({ leftOut, kept, knowsClasses }: RecentAnswers): string | undefined {
  const all = new LeftOutTally();
  for (const answer of leftOut) all.addAll(answer);
  const counts = all.list();
  const countOf = (wanted: LeftOutReason): number => counts.find(({ reason }) => reason === wanted)?.count ?? 0;
  const weak = countOf("below_threshold");
  const isUnusable = ({ reason }: LeftOut): boolean =>
    reason === "not_an_object" || reason === "bad_confidence" || (reason === "unknown_class" && !knowsClasses && weak === 0);
  const parts = counts.filter(isUnusable);
  const unusable = parts.reduce((sum, { count }) => sum + count, 0);
  const usable = kept + weak + countOf("second_opinion");
  if (leftOut.filter((answer) => answer.some(isUnusable)).length < fewestAnswers || unusable <= usable) return undefined;
  return `homesec cannot use ${unusable} of its last ${unusable + usable} detections: ${listed(parts)}`;
}
