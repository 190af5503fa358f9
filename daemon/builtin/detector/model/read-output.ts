import type { ObjectType } from "../../../../src/monitoring/detector-model/class-names.ts";
import type { Corners } from "../boxes.ts";
import type { Layout } from "./layout.ts";

export interface Candidate {
  readonly type: ObjectType;
  readonly confidence: number;
  /** In pixels of the model's input. */
  readonly corners: Corners;
}

export interface ReadOptions {
  readonly layout: Layout;
  /** By class number. Undefined for classes that homesec does not know. */
  readonly types: readonly (ObjectType | undefined)[];
  readonly minConfidence: number;
  /** Size of the input, in pixels. */
  readonly width: number;
  readonly height: number;
}

/** The values of the model are not scores: they are not between 0 and 1. */
export class InvalidScores extends Error {
  override name = "InvalidScores";
}

/** Models give sizes either in pixels, which exceed this value, or as fractions of the picture, which never do. */
const maxFraction = 4;
const tolerance = 0.01;

/**
 * Reads a model's output. Returns the objects of known classes that reach the minimum confidence. Skips rows with values that are not
 * numbers. Throws `InvalidScores`.
 */
export function readOutput(data: Float32Array, options: ReadOptions): Candidate[] {
  const { layout, types, minConfidence, width, height } = options;
  const { rows, columns, transposed } = layout;
  const [rowStep, columnStep] = transposed ? [1, rows] : [columns, 1];
  const at = (row: number, column: number): number => data[row * rowStep + column * columnStep] as number;
  const normalised = largestOf(rows, at) <= maxFraction;
  const found: Candidate[] = [];
  for (let row = 0; row < rows; row += 1) {
    const [index, score] = best(layout, row, at);
    const type = types[index];
    if (type === undefined || !(score >= minConfidence)) continue;
    const numbers = [at(row, 0), at(row, 1), at(row, 2), at(row, 3)] as const;
    const [left, top, right, bottom] = layout.kind === "end_to_end" ? numbers : cornersOf(numbers);
    if (!(right > left && bottom > top) || !Number.isFinite(right - left + bottom - top)) continue;
    const [across, down] = normalised ? [width, height] : [1, 1];
    found.push({
      type,
      confidence: Math.min(1, score),
      corners: { left: left * across, top: top * down, right: right * across, bottom: bottom * down },
    });
  }
  return found;
}

type At = (row: number, column: number) => number;

/** Returns the class with the best score in a row, and that score. */
function best({ kind, columns }: Layout, row: number, at: At): [number, number] {
  if (kind === "end_to_end") return [Math.round(at(row, 5)), checkedScore(at(row, 4))];
  const first = kind === "objectness" ? 5 : 4;
  let index = -1;
  let score = Number.NEGATIVE_INFINITY;
  for (let column = first; column < columns; column += 1) {
    const value = checkedScore(at(row, column));
    if (value > score) {
      index = column - first;
      score = value;
    }
  }
  return [index, kind === "objectness" ? score * checkedScore(at(row, 4)) : score];
}

function checkedScore(score: number): number {
  if (score < -tolerance || score > 1 + tolerance) throw new InvalidScores(`a score is ${score.toPrecision(3)}, not between 0 and 1`);
  return score;
}

function largestOf(rows: number, at: At): number {
  let largest = 0;
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < 4; column += 1) {
      const value = at(row, column);
      if (value > largest) largest = value;
    }
  }
  return largest;
}

function cornersOf([x, y, width, height]: readonly [number, number, number, number]): readonly [number, number, number, number] {
  return [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
}
