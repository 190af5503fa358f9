import { Refusal } from "../service.ts";
import type { ColourPicture } from "./picture.ts";
import type { Box } from "./request.ts";

/** A part of a picture, scaled to a fixed size: red, green and blue from 0 to 1, row by row. */
export interface Crop {
  readonly values: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** Maximum number of source pixels per direction that are averaged for one pixel. More do not change the result. */
const maxSamples = 4;

/** Crops a part from a picture. Throws `Refusal` (400) if the part is outside the picture. */
export function cropPart(picture: ColourPicture, box: Box, width: number, height: number): Crop {
  const scale = picture.width / picture.fullWidth;
  const left = clamp(box.x * scale, 0, picture.width);
  const top = clamp(box.y * scale, 0, picture.height);
  const right = clamp((box.x + box.width) * scale, 0, picture.width);
  const bottom = clamp((box.y + box.height) * scale, 0, picture.height);
  if (right <= left || bottom <= top) throw new Refusal(400, "The part is outside the picture");
  const stepX = (right - left) / width;
  const stepY = (bottom - top) / height;
  const samplesX = clamp(Math.round(stepX), 1, maxSamples);
  const samplesY = clamp(Math.round(stepY), 1, maxSamples);
  const values = new Float32Array(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const to = (y * width + x) * 3;
      for (let sample = 0; sample < samplesX * samplesY; sample += 1) {
        const fromX = Math.floor(left + stepX * (x + ((sample % samplesX) + 0.5) / samplesX));
        const fromY = Math.floor(top + stepY * (y + (Math.floor(sample / samplesX) + 0.5) / samplesY));
        const from = (Math.min(fromY, picture.height - 1) * picture.width + Math.min(fromX, picture.width - 1)) * 3;
        for (let channel = 0; channel < 3; channel += 1) {
          values[to + channel] = (values[to + channel] ?? 0) + (picture.pixels[from + channel] ?? 0) / 255 / (samplesX * samplesY);
        }
      }
    }
  }
  return { values, width, height };
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(value, max));
}
