import { join } from "node:path";
import type { DecodedPicture } from "../decode.ts";
import type { Session, SessionFile } from "../model/open-session.ts";
import { modelsFolder } from "../model/web-session.ts";
import { fineAnchors, inputSide } from "./anchors.ts";
import { type Candidate, readCandidates } from "./candidates.ts";

/** Size of the model's usual input in pixels. */
export const square = { width: inputSide, height: inputSide };

/** The part of the bundled model that reads a picture and finds small objects in it. */
export const nearFile: SessionFile = { path: join(modelsFolder, "ssdlite-mobilenet-v2-near.onnx"), inputName: "image", ...square };

/** The model gives many anchors a score below this; they say nothing. */
export const minScore = 0.2;

/** The pixels of a picture: rows of red, green and blue. */
export type Pixels = Pick<DecodedPicture, "width" | "height"> & { readonly pixels: Uint8Array };

/** Writes a picture into the model's input: red, green and blue planes from -1 to 1. */
export function fillInput(input: Float32Array, { pixels, width, height }: Pixels): void {
  const plane = width * height;
  for (let to = 0, from = 0; to < plane; to += 1, from += 3) {
    input[to] = ((pixels[from] as number) * 2) / 255 - 1;
    input[to + plane] = ((pixels[from + 1] as number) * 2) / 255 - 1;
    input[to + 2 * plane] = ((pixels[from + 2] as number) * 2) / 255 - 1;
  }
}

/** Length of an enlarged picture in pixels. Objects are nearly twice as long in it as in a square. */
export const closerLength = 540;

/** Each thread looks at one enlarged picture at a time. */
const closerInput = new Float32Array(3 * closerLength * inputSide);
const closerAnchors = {
  wide: fineAnchors({ width: closerLength, height: inputSide }),
  high: fineAnchors({ width: inputSide, height: closerLength }),
};

/** Returns the small objects of an enlarged picture. The caller waits for the answer before it asks again. */
export async function lookCloser(near: Session, picture: Pixels): Promise<readonly Candidate[]> {
  const { width, height } = picture;
  fillInput(closerInput, picture);
  const [boxes, scores] = await near.run(closerInput, ["boxes", "scores"], [1, 3, height, width]);
  const anchors = width >= height ? closerAnchors.wide : closerAnchors.high;
  return boxes && scores ? readCandidates({ boxes, scores }, anchors, "closer", minScore) : [];
}
