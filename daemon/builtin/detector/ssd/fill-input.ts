import type { DecodedPicture } from "../decode.ts";
import { inputSide } from "./regions.ts";

/** Writes the part of a picture that begins at `left` and `top`, in pixels, into the model's input: red, green and blue planes from -1 to 1. */
export function fillInput(
  input: Float32Array,
  { pixels, width }: Pick<DecodedPicture, "pixels" | "width">,
  left: number,
  top: number,
): void {
  const plane = inputSide * inputSide;
  let to = 0;
  for (let y = 0; y < inputSide; y += 1) {
    let from = 3 * ((top + y) * width + left);
    for (let x = 0; x < inputSide; x += 1) {
      input[to] = ((pixels[from] as number) * 2) / 255 - 1;
      input[to + plane] = ((pixels[from + 1] as number) * 2) / 255 - 1;
      input[to + 2 * plane] = ((pixels[from + 2] as number) * 2) / 255 - 1;
      to += 1;
      from += 3;
    }
  }
}
