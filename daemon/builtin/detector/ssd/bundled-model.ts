import { join } from "node:path";
import { pixelWithin } from "../boxes.ts";
import { type DecodedPicture, decodeColour, resizePixels } from "../decode.ts";
import type { DetectedObject, Detector } from "../detector.ts";
import { openBundledSession, type Session } from "../model/open-session.ts";
import { modelsFolder } from "../model/web-session.ts";
import { type Candidate, confidenceOf, readCandidates } from "./candidates.ts";
import { fillInput } from "./fill-input.ts";
import { mergeRegions, oneEach } from "./merge.ts";
import { inputSide, type Region, stripLength, tilesOf, wholePicture } from "./regions.ts";

const fileName = "ssdlite-mobilenet-v2.onnx";
/** The model gives many anchors a score below this; they say nothing. */
const minScore = 0.2;
/** A candidate below this share of the picture's height is worth a closer look. */
const smallHeight = 0.25;
const values = 3 * inputSide * inputSide;
/** Inputs of the model. Pictures are processed one at a time. */
const whole = new Float32Array(values);
const tiles = new Float32Array(2 * values);

/** Loads the bundled model, SSDlite with MobileNetV2, which knows homesec's nine classes (models/NOTICE.md). Throws if that fails. */
export async function loadBundledModel(minConfidence: number): Promise<Detector> {
  const file = { path: join(modelsFolder, fileName), inputName: "image", width: inputSide, height: inputSide };
  const session = await openBundledSession(file);
  return {
    about: { model: "SSDlite MobileNetV2", runtime: session.runtime },
    detect: async (bytes) => {
      const picture = await decodeColour(bytes, (width, height) =>
        width >= height ? { width: stripLength, height: inputSide } : { width: inputSide, height: stripLength },
      );
      const objects = (await findObjects(session, picture)).flatMap((object) => inPixels(object, picture));
      return {
        objects: objects.filter(({ confidence }) => confidence >= minConfidence),
        width: picture.fullWidth,
        height: picture.fullHeight,
      };
    },
  };
}

/** Looks at the whole picture. If it may show objects that are small, looks at its two tiles too, where they are nearly twice as large. */
async function findObjects(session: Session, picture: DecodedPicture): Promise<readonly Candidate[]> {
  fillInput(whole, { pixels: await resizePixels(picture, { width: inputSide, height: inputSide }), width: inputSide }, 0, 0);
  const [first = []] = await look(session, whole, [wholePicture]);
  if (!first.some(isSmall)) return mergeRegions([oneEach(first)]);
  const isWide = picture.width > picture.height;
  const offset = stripLength - inputSide;
  fillInput(tiles.subarray(0, values), picture, 0, 0);
  fillInput(tiles.subarray(values), picture, isWide ? offset : 0, isWide ? 0 : offset);
  const others = await look(session, tiles, tilesOf(isWide));
  return mergeRegions([first, ...others].map(oneEach));
}

function isSmall({ corners }: Candidate): boolean {
  return corners.bottom - corners.top < smallHeight;
}

async function look(session: Session, input: Float32Array, regions: readonly Region[]): Promise<readonly Candidate[][]> {
  const [boxes, scores] = await session.run(input, ["boxes", "scores"]);
  return boxes && scores ? readCandidates(boxes, scores, regions, minScore) : [];
}

function inPixels({ type, score, corners }: Candidate, { fullWidth, fullHeight }: DecodedPicture): readonly DetectedObject[] {
  const x = pixelWithin(corners.left * fullWidth, fullWidth);
  const y = pixelWithin(corners.top * fullHeight, fullHeight);
  const width = pixelWithin(corners.right * fullWidth, fullWidth) - x;
  const height = pixelWithin(corners.bottom * fullHeight, fullHeight) - y;
  if (width === 0 || height === 0) return [];
  return [{ type, confidence: confidenceOf(score), box: { x, y, width, height } }];
}
