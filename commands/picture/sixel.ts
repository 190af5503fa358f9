import { sampler } from "./half-blocks.ts";
import type { PixelImage, Size } from "./terminal.ts";

/** Largest picture in pixels; on a screen with more it is smaller than its cells. */
const mostWidth = 800;
const mostHeight = 600;
/** Longest text of a picture; above it, the picture gets coarser. */
const mostLength = 1_000_000;
const coarsest = 4;

/** Pixels of one line of text. */
const bandHeight = 6;

/**
 * Encodes a picture as Sixel, which terminals draw from the cursor on without scaling. `room` is the space for it in pixels. The picture
 * needs its palette.
 */
export function sixel(image: PixelImage, room: Size): string {
  const scale = Math.min(Math.min(mostWidth, room.columns) / image.width, Math.min(mostHeight, room.rows) / image.height);
  const width = Math.max(1, Math.floor(image.width * scale));
  const height = Math.max(1, Math.floor(image.height * scale));
  for (let grain = 1; ; grain += 1) {
    const text = encode(indexed(image, width, height, grain), width, height, image.palette ?? new Uint8Array(3));
    if (text.length <= mostLength || grain === coarsest) return text;
  }
}

/** The number of the nearest colour for every pixel; `grain` is the side of the squares that share one. */
function indexed(image: PixelImage, width: number, height: number, grain: number): Uint8Array {
  const nearest = nearestIn(image.palette ?? new Uint8Array(3));
  const [columns, lines] = [Math.ceil(width / grain), Math.ceil(height / grain)];
  const colourAt = sampler(image, columns, lines);
  const pixels = new Uint8Array(width * height);
  for (let line = 0; line < lines; line += 1) {
    for (let column = 0; column < columns; column += 1) {
      const colour = nearest(...colourAt(column, line));
      const [left, right] = [column * grain, Math.min(width, (column + 1) * grain)];
      for (let y = line * grain; y < Math.min(height, (line + 1) * grain); y += 1) pixels.fill(colour, y * width + left, y * width + right);
    }
  }
  return pixels;
}

/** Returns a function that finds the nearest colour of a palette. Colours that differ in the lowest bits share one answer. */
function nearestIn(palette: Uint8Array): (red: number, green: number, blue: number) => number {
  const known = new Int16Array(32 ** 3).fill(-1);
  return (red, green, blue) => {
    const key = ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3);
    const before = known[key] ?? -1;
    if (before >= 0) return before;
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let at = 0; at * 3 < palette.length; at += 1) {
      const [r = 0, g = 0, b = 0] = palette.subarray(at * 3, at * 3 + 3);
      const distance = (red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2;
      if (distance < least) [best, least] = [at, distance];
    }
    known[key] = best;
    return best;
  };
}

/** Without a background (1), so that cells around the picture stay; pixels are square (1;1). */
function encode(pixels: Uint8Array, width: number, height: number, palette: Uint8Array): string {
  const percent = (value: number | undefined): number => Math.round(((value ?? 0) * 100) / 255);
  const parts = [`\u001bP0;1q"1;1;${width};${height}`];
  for (const colour of new Set(pixels)) {
    const [red, green, blue] = palette.subarray(colour * 3, colour * 3 + 3);
    parts.push(`#${colour};2;${percent(red)};${percent(green)};${percent(blue)}`);
  }
  for (let top = 0; top < height; top += bandHeight) parts.push(band(pixels, width, top, Math.min(bandHeight, height - top)));
  return `${parts.join("")}\u001b\\`;
}

/** Six lines of pixels: for each colour a row of characters, whose bits say which of the six pixels below each other have it. */
function band(pixels: Uint8Array, width: number, top: number, lines: number): string {
  const rows = new Map<number, Uint8Array>();
  for (let line = 0; line < lines; line += 1) {
    const start = (top + line) * width;
    for (let x = 0; x < width; x += 1) {
      const colour = pixels[start + x] ?? 0;
      const row = rows.get(colour) ?? new Uint8Array(width);
      rows.set(colour, row);
      row[x] = (row[x] ?? 0) | (1 << line);
    }
  }
  return `${[...rows].map(([colour, row]) => `#${colour}${runs(row)}`).join("$")}-`;
}

/** The characters of a row; a repeated one is a number and the character. Empty ones at the end are left out. */
function runs(row: Uint8Array): string {
  let text = "";
  const end = row.findLastIndex((bits) => bits !== 0) + 1;
  for (let at = 0; at < end; ) {
    const bits = row[at] ?? 0;
    let next = at + 1;
    while (next < end && row[next] === bits) next += 1;
    const character = String.fromCharCode(63 + bits);
    text += next - at > 3 ? `!${next - at}${character}` : character.repeat(next - at);
    at = next;
  }
  return text;
}
