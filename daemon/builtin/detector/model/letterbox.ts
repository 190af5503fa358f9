import { type Corners, pixelWithin } from "../boxes.ts";
import type { DecodedPicture } from "../decode.ts";
import type { Box } from "../detector.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Grey level that fills the input around a picture of another aspect ratio, as in training. */
const padding = 114 / 255;

/** Returns the largest size of the picture that fits into the model's input. */
export function fitInto(input: Size, picture: Size): Size {
  const scale = Math.min(input.width / picture.width, input.height / picture.height);
  return { width: Math.max(1, Math.round(picture.width * scale)), height: Math.max(1, Math.round(picture.height * scale)) };
}

/** Centres a picture of the size from `fitInto` in the input, as planes of red, green and blue from 0 to 1. */
export function fillInput(tensor: Float32Array, input: Size, { pixels, width, height }: DecodedPicture): void {
  tensor.fill(padding);
  const plane = input.width * input.height;
  const { left, top } = marginsOf(input, { width, height });
  let at = 0;
  for (let y = 0; y < height; y += 1) {
    let to = (top + y) * input.width + left;
    for (let x = 0; x < width; x += 1) {
      tensor[to] = (pixels[at] as number) / 255;
      tensor[to + plane] = (pixels[at + 1] as number) / 255;
      tensor[to + 2 * plane] = (pixels[at + 2] as number) / 255;
      to += 1;
      at += 3;
    }
  }
}

/** Maps a box from the input to whole pixels of the picture and clips it. Returns undefined if it lies outside the picture. */
export function boxInPicture(corners: Corners, input: Size, picture: DecodedPicture): Box | undefined {
  const { left, top } = marginsOf(input, picture);
  const across = (x: number): number => pixelWithin(((x - left) * picture.fullWidth) / picture.width, picture.fullWidth);
  const down = (y: number): number => pixelWithin(((y - top) * picture.fullHeight) / picture.height, picture.fullHeight);
  const x = across(corners.left);
  const y = down(corners.top);
  const box = { x, y, width: across(corners.right) - x, height: down(corners.bottom) - y };
  return box.width > 0 && box.height > 0 ? box : undefined;
}

function marginsOf(input: Size, picture: Size): { readonly left: number; readonly top: number } {
  return { left: Math.floor((input.width - picture.width) / 2), top: Math.floor((input.height - picture.height) / 2) };
}
