import { readdir } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { randomFrom } from "../support/chance.ts";

/** In pixels. */
export const frameSize = { width: 800, height: 600 };
const { width, height } = frameSize;
/** The part of the demo's pictures with a white van and a blue car that are parked at a building. */
const view = { left: 512, top: 0, width: 256, height: 192 };
/** The van in the frame, with its shadow, and a piece of road of the same size that covers it once it has left. */
const van = { left: 410, top: 120, width: 280, height: 220 };
const road = { left: 330, top: 350, width: 280, height: 220 };
/** A person in the first of the demo's pictures. */
const walker = { left: 244, top: 212, width: 51, height: 110 };

/** The parts that frames are put together from. */
export interface Props {
  readonly scene: Buffer;
  readonly road: Buffer;
  readonly person: Buffer;
}

/** The content of a frame. */
export interface Frame {
  readonly seed: number;
  readonly isNight: boolean;
  readonly hasVan: boolean;
  /** From 0 at the left to 1 at the right; undefined: no one. */
  readonly personAt?: number;
}

/** Makes a picture without people from the demo's pictures, as the median of each pixel, and cuts out a piece of road and a person. */
export async function prepareProps(folder: string): Promise<Props> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".jpg")).toSorted();
  const pictures = await Promise.all(names.map((name) => sharp(join(folder, name)).extract(view).raw().toBuffer()));
  const median = Buffer.alloc(view.width * view.height * 3);
  for (let at = 0; at < median.length; at += 1) {
    median[at] = pictures.map((pixels) => pixels[at] ?? 0).toSorted((a, b) => a - b)[pictures.length >> 1] ?? 0;
  }
  const raw = { width: view.width, height: view.height, channels: 3 } as const;
  const scene = await sharp(median, { raw }).resize(width, height).png().toBuffer();
  const first = join(folder, names[0] ?? "");
  const person = await softened(await sharp(first).extract(walker).resize({ height: 260 }).png().toBuffer());
  return { scene, road: await softened(await sharp(scene).extract(road).png().toBuffer()), person };
}

/** Gives a picture soft edges, so that it has no outline where it is put into another one. */
async function softened(picture: Buffer): Promise<Buffer> {
  const { width: wide, height: high } = await sharp(picture).metadata();
  const edge = Math.round(0.05 * wide);
  const inner = `<rect x="${edge}" y="${edge}" width="${wide - 2 * edge}" height="${high - 2 * edge}" fill="white"/>`;
  const mask = await sharp(Buffer.from(`<svg width="${wide}" height="${high}">${inner}</svg>`))
    .blur(edge / 2)
    .png()
    .toBuffer();
  return await sharp(picture)
    .ensureAlpha()
    .composite([{ input: mask, blend: "dest-in" }])
    .png()
    .toBuffer();
}

/** Draws a frame: by night grey and dark, with the headlights of passing cars and rain. */
export async function drawFrame({ scene, road: piece, person }: Props, frame: Frame): Promise<Buffer> {
  const { seed, isNight, hasVan, personAt } = frame;
  const random = randomFrom(seed);
  const shown = await sharp(scene)
    .composite([
      ...(hasVan ? [] : [{ input: piece, left: van.left, top: van.top }]),
      ...(personAt === undefined ? [] : [{ input: person, left: Math.round(40 + personAt * 600), top: 220 }]),
    ])
    .png()
    .toBuffer();
  if (!isNight) {
    return await sharp(shown)
      .modulate({ brightness: 0.9 + 0.2 * random() })
      .jpeg({ quality: 85 })
      .toBuffer();
  }
  const dark = await sharp(shown)
    .greyscale()
    .linear(0.3 + 0.3 * random(), 4)
    .png()
    .toBuffer();
  const light = Buffer.from(`<svg width="${width}" height="${height}">${headlights(random)}${rain(random)}</svg>`);
  return await sharp(dark)
    .toColourspace("srgb")
    .composite([{ input: light, blend: "screen" }])
    .jpeg({ quality: 70 })
    .toBuffer();
}

/** In two of three pictures, two lights with glare around them, somewhere in the upper two thirds. */
function headlights(random: () => number): string {
  if (random() < 1 / 3) return "";
  const [x, y, reach] = [random() * width, 80 + random() * 300, 60 + random() * 140];
  const stops = `<stop offset="0" stop-color="#fff" stop-opacity="0.9"/><stop offset="1" stop-color="#fff" stop-opacity="0"/>`;
  const lights = [-30, 30].map((aside) => `<circle cx="${x + aside}" cy="${y}" r="${reach}" fill="url(#glare)"/>`);
  return `<defs><radialGradient id="glare">${stops}</radialGradient></defs>${lights.join("")}`;
}

/** In every second picture, bright streaks. */
function rain(random: () => number): string {
  if (random() < 0.5) return "";
  const streaks = Array.from({ length: 60 }, () => {
    const [x, y, length] = [random() * width, random() * height, 10 + random() * 25];
    return `<line x1="${x}" y1="${y}" x2="${x + 3}" y2="${y + length}" stroke="#999" stroke-width="1"/>`;
  });
  return streaks.join("");
}
