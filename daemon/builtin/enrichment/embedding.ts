import { hsvOf } from "./colour.ts";
import { type Crop, cropPart } from "./crop.ts";
import type { ColourPicture } from "./picture.ts";
import type { Box } from "./request.ts";

const cropWidth = 32;
const cropHeight = 64;
/** Colours are counted in horizontal stripes, outlines in a grid. */
const stripes = 4;
const hueBins = 8;
const greyBins = 4;
const gridColumns = 2;
const gridRows = 4;
const directions = 6;

/** Colours stay the same when a person turns around. Outlines are less reliable. */
const colourWeight = 0.85;
const outlineWeight = Math.sqrt(1 - colourWeight ** 2);

/**
 * Returns the appearance of a part of a picture as a vector of length 1: its colours from top to bottom and the directions of its outlines.
 * Shares are stored as square roots, so that the dot product of two vectors measures how much their shares overlap.
 */
export function embedPart(picture: ColourPicture, box: Box): number[] {
  const crop = cropPart(picture, box, cropWidth, cropHeight);
  return [...weighted(colourShares(crop), colourWeight), ...weighted(outlineShares(crop), outlineWeight)].map(
    (value) => Math.round(value * 1e5) / 1e5,
  );
}

function weighted(shares: Float64Array, weight: number): number[] {
  const total = shares.reduce((sum, share) => sum + share, 0);
  // Without anything to count (one flat colour has no outline), all shares are equal.
  if (total === 0) return Array.from(shares, () => weight / Math.sqrt(shares.length));
  return Array.from(shares, (share) => weight * Math.sqrt(share / total));
}

function colourShares({ values, width, height }: Crop): Float64Array {
  const shares = new Float64Array(stripes * (hueBins + greyBins));
  const margin = Math.round(width * 0.15);
  for (let y = 0; y < height; y += 1) {
    const start = Math.floor((y * stripes) / height) * (hueBins + greyBins);
    for (let x = margin; x < width - margin; x += 1) {
      const at = (y * width + x) * 3;
      const { hue, saturation, value } = hsvOf(values[at] ?? 0, values[at + 1] ?? 0, values[at + 2] ?? 0);
      // A pale or dark pixel says little about its hue.
      const coloured = Math.min(1, saturation * Math.min(1, value * 2) * 1.5);
      addToBins(shares, start, hueBins, hue * hueBins, coloured, true);
      addToBins(shares, start + hueBins, greyBins, value * (greyBins - 1), 1 - coloured, false);
    }
  }
  return shares;
}

/** Splits the amount between the two nearest bins, so that a small change of light does not jump from one bin to the next. */
function addToBins(shares: Float64Array, start: number, bins: number, position: number, amount: number, isCircular: boolean): void {
  const low = Math.floor(position);
  const part = position - low;
  const bin = (index: number): number => start + (isCircular ? index % bins : Math.min(index, bins - 1));
  shares[bin(low)] = (shares[bin(low)] ?? 0) + amount * (1 - part);
  shares[bin(low + 1)] = (shares[bin(low + 1)] ?? 0) + amount * part;
}

function outlineShares({ values, width, height }: Crop): Float64Array {
  const shares = new Float64Array(gridColumns * gridRows * directions);
  const grey = (x: number, y: number): number => {
    const at = (y * width + x) * 3;
    return 0.299 * (values[at] ?? 0) + 0.587 * (values[at + 1] ?? 0) + 0.114 * (values[at + 2] ?? 0);
  };
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const across = grey(x + 1, y) - grey(x - 1, y);
      const down = grey(x, y + 1) - grey(x, y - 1);
      const strength = Math.hypot(across, down);
      if (strength < 0.02) continue;
      const cell = Math.floor((y * gridRows) / height) * gridColumns + Math.floor((x * gridColumns) / width);
      const angle = ((Math.atan2(down, across) + Math.PI) % Math.PI) / Math.PI;
      addToBins(shares, cell * directions, directions, angle * directions, strength, true);
    }
  }
  return shares;
}
