import type { Box } from "./detector.ts";

/** A window that the HOG detector matched with a person. A higher weight is a better match. */
export interface Window {
  readonly box: Box;
  readonly weight: number;
}

/** Two windows show the same person when they share this much of their union, or of the smaller window. */
const minUnionShare = 0.3;
const minSmallerShare = 0.6;
/** Several neighbouring windows match a person. A single match is usually a false positive, such as a lamp post. */
const minVotes = 2;

/**
 * Returns one box per person: the best window of each group. The other windows only confirm it. A window that mostly covers a better one,
 * or lies inside it, belongs to the same group, because a window twice as tall as a person still matches that person.
 */
export function groupWindows(windows: readonly Window[]): Window[] {
  const groups: { readonly best: Window; votes: number }[] = [];
  for (const window of windows.map(trimMargin).sort((a, b) => b.weight - a.weight)) {
    const group = groups.find(({ best }) => isSamePerson(best.box, window.box));
    if (group) group.votes += 1;
    else groups.push({ best: window, votes: 1 });
  }
  return groups.filter(({ votes }) => votes >= minVotes).map(({ best }) => best);
}

/** Removes the wide margin that the detector's window has around a person because of its training pictures. */
function trimMargin({ box, weight }: Window): Window {
  const { x, y, width, height } = box;
  return { box: { x: x + 0.22 * width, y: y + 0.115 * height, width: 0.56 * width, height: 0.76 * height }, weight };
}

function isSamePerson(a: Box, b: Box): boolean {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return false;
  const shared = width * height;
  const areas = [a.width * a.height, b.width * b.height] as const;
  return shared / (areas[0] + areas[1] - shared) > minUnionShare || shared / Math.min(...areas) > minSmallerShare;
}

/**
 * Maps a weight, which is the distance from the decision boundary, to a confidence with a logistic curve. Its middle is at weight 0.6: no
 * window above that was wrong in the test pictures. Weight 0.6 maps to 0.5, 1 to 0.65, 2 to 0.89 and 3 to 0.97.
 */
export function confidenceOf(weight: number): number {
  return Math.round(10_000 / (1 + Math.exp(-1.5 * (weight - 0.6)))) / 10_000;
}

/** Rounds to the nearest whole pixel between 0 and `limit`. */
export function pixelWithin(value: number, limit: number): number {
  return Math.round(Math.min(Math.max(value, 0), limit));
}
