import type { Grey } from "./frame.ts";

const windowSize = 8;
const step = 4;
const c1 = (0.01 * 255) ** 2;
const c2 = (0.03 * 255) ** 2;

/**
 * Mean structural similarity of two frames of one size, up to 1, after Z. Wang, A. C. Bovik, H. R. Sheikh and E. P. Simoncelli,
 * "Image quality assessment: from error visibility to structural similarity", IEEE Transactions on Image Processing 13(4), 2004:
 *
 *   SSIM(x, y) = (2 mx my + C1) (2 sxy + C2) / ((mx^2 + my^2 + C1) (sx^2 + sy^2 + C2)),  C1 = (0.01 L)^2, C2 = (0.03 L)^2, L = 255
 *
 * over windows of 8 x 8 pixels, every fourth one in each direction; m are means, s deviations and the covariance.
 */
export function structuralSimilarity(one: Grey, other: Grey): number {
  let sum = 0;
  let windows = 0;
  for (let top = 0; top + windowSize <= one.height; top += step) {
    for (let left = 0; left + windowSize <= one.width; left += step) {
      sum += windowSimilarity(one, other, left, top);
      windows += 1;
    }
  }
  return windows === 0 ? 1 : sum / windows;
}

function windowSimilarity({ pixels: x, width }: Grey, { pixels: y }: Grey, left: number, top: number): number {
  let [sx, sy, sxx, syy, sxy] = [0, 0, 0, 0, 0];
  for (let row = top; row < top + windowSize; row += 1) {
    const from = row * width + left;
    for (let at = from; at < from + windowSize; at += 1) {
      const a = x[at] ?? 0;
      const b = y[at] ?? 0;
      sx += a;
      sy += b;
      sxx += a * a;
      syy += b * b;
      sxy += a * b;
    }
  }
  const n = windowSize * windowSize;
  const [mx, my] = [sx / n, sy / n];
  const [vx, vy, cov] = [sxx / n - mx * mx, syy / n - my * my, sxy / n - mx * my];
  return ((2 * mx * my + c1) * (2 * cov + c2)) / ((mx * mx + my * my + c1) * (vx + vy + c2));
}

/** Adjusts the brightness and contrast of a frame to another one, within limits: light changes without the view changing. */
export function matchedTo(frame: Grey, reference: Grey): Grey {
  const [own, wanted] = [spreadOf(frame), spreadOf(reference)];
  const gain = Math.min(3, Math.max(1 / 3, wanted.deviation / Math.max(1, own.deviation)));
  const matched = Uint8Array.from({ length: 256 }, (_, value) => clamp(wanted.mean + gain * (value - own.mean)));
  return { ...frame, pixels: frame.pixels.map((value) => matched[value] ?? 0) };
}

/** Softens a frame by the mean of 3 x 3 pixels, so that rain and sensor noise count less than the scene. */
export function softened({ width, height, pixels }: Grey): Grey {
  const soft = new Uint8Array(pixels.length);
  const columns = new Uint16Array(width);
  for (let y = 0; y < height; y += 1) {
    const [above, here, below] = [Math.max(0, y - 1) * width, y * width, Math.min(height - 1, y + 1) * width];
    for (let x = 0; x < width; x += 1) columns[x] = (pixels[above + x] ?? 0) + (pixels[here + x] ?? 0) + (pixels[below + x] ?? 0);
    for (let x = 0; x < width; x += 1) {
      const sum = (columns[x === 0 ? 0 : x - 1] ?? 0) + (columns[x] ?? 0) + (columns[x + 1 < width ? x + 1 : x] ?? 0);
      soft[here + x] = Math.round(sum / 9);
    }
  }
  return { width, height, pixels: soft };
}

/** Mean and standard deviation of the brightness. */
export function spreadOf({ pixels }: Grey): { readonly mean: number; readonly deviation: number } {
  let [sum, squares] = [0, 0];
  for (const value of pixels) {
    sum += value;
    squares += value * value;
  }
  const mean = sum / pixels.length;
  return { mean, deviation: Math.sqrt(Math.max(0, squares / pixels.length - mean * mean)) };
}

/** Mean difference of neighbouring pixels: the amount of fine detail. */
export function detailOf({ width, height, pixels }: Grey): number {
  let sum = 0;
  for (let y = 0; y + 1 < height; y += 1) {
    for (let x = 0; x + 1 < width; x += 1) {
      const at = y * width + x;
      const here = pixels[at] ?? 0;
      sum += Math.abs(here - (pixels[at + 1] ?? 0)) + Math.abs(here - (pixels[at + width] ?? 0));
    }
  }
  return sum / (2 * (width - 1) * (height - 1));
}

/** Correlation of two frames at a coarse scale, by means of 16 x 16 pixels: -1 to 1. */
export function coarseCorrelation(one: Grey, other: Grey): number {
  const [a, b] = [coarse(one), coarse(other)];
  const [ma, mb] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (const [at, value] of a.entries()) {
    const [da, db] = [value - ma, (b[at] ?? 0) - mb];
    ab += da * db;
    aa += da * da;
    bb += db * db;
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
}

function coarse({ width, height, pixels }: Grey): number[] {
  const cells: number[] = [];
  for (let top = 0; top + 16 <= height; top += 16) {
    for (let left = 0; left + 16 <= width; left += 16) {
      let sum = 0;
      for (let y = top; y < top + 16; y += 1) for (let x = left; x < left + 16; x += 1) sum += pixels[y * width + x] ?? 0;
      cells.push(sum / 256);
    }
  }
  return cells;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const clamp = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));
