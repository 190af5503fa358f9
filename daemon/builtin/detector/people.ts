import { createRequire } from "node:module";
import { type Box, confidenceOf, groupWindows, type Window } from "./boxes.ts";
import type { GreyPicture } from "./decode.ts";

export interface Person {
  readonly confidence: number;
  /** In whole pixels of the full picture, inside of it. */
  readonly box: Box;
}

export interface PeopleFinder {
  readonly find: (picture: GreyPicture) => Person[];
}

/** What is used of OpenCV. Everything made in it lives outside of JavaScript's memory until `delete`. */
interface OpenCv {
  onRuntimeInitialized: () => void;
  readonly CV_8UC1: number;
  readonly CV_32F: number;
  readonly Mat: new (rows: number, columns: number, type: number) => Matrix;
  readonly Size: new (width: number, height: number) => unknown;
  readonly RectVector: new () => Vector<Box>;
  readonly DoubleVector: new () => Vector<number>;
  readonly HOGDescriptor: (new () => Descriptor) & { getDefaultPeopleDetector(): Vector<number> };
  matFromArray(rows: number, columns: number, type: number, values: readonly number[]): Matrix;
  exceptionFromPtr(pointer: number): { readonly msg: string };
}
interface Handle {
  delete(): void;
}
interface Matrix extends Handle {
  readonly data: Uint8Array;
}
interface Vector<T> extends Handle {
  size(): number;
  get(index: number): T;
}
interface Descriptor extends Handle {
  setSVMDetector(detector: Matrix): void;
  detectMultiScale(
    image: Matrix,
    found: Vector<Box>,
    weights: Vector<number>,
    hitThreshold: number,
    stride: unknown,
    padding: unknown,
    scale: number,
    groupThreshold: number,
    meanShift: boolean,
  ): void;
}

/** The window people are recognised in, in pixels; a smaller picture cannot hold one. */
const windowWidth = 64;
const windowHeight = 128;
/** Measured on the test pictures: steps of 4 pixels or scales 1.05 apart find two people more in 59 and take two to three times as long. */
const stride = 8;
const scaleStep = 1.1;

/** Loads OpenCV (about 0.2 s, most of it blocking) with its detector of upright people. */
export async function loadPeopleFinder(): Promise<PeopleFinder> {
  const cv = await loadOpenCv();
  const hog = new cv.instance.HOGDescriptor();
  const trained = cv.instance.HOGDescriptor.getDefaultPeopleDetector();
  const weights = cv.instance.matFromArray(trained.size(), 1, cv.instance.CV_32F, items(trained));
  hog.setSVMDetector(weights);
  trained.delete();
  weights.delete();
  return { find: (picture) => findPeople(cv.instance, hog, picture) };
}

function findPeople(cv: OpenCv, hog: Descriptor, picture: GreyPicture): Person[] {
  const { width, height, fullWidth, fullHeight } = picture;
  if (width < windowWidth || height < windowHeight) return [];
  return groupWindows(scan(cv, hog, picture)).map(({ box, weight }) => {
    const left = clamp((box.x * fullWidth) / width, fullWidth);
    const top = clamp((box.y * fullHeight) / height, fullHeight);
    const right = clamp(((box.x + box.width) * fullWidth) / width, fullWidth);
    const bottom = clamp(((box.y + box.height) * fullHeight) / height, fullHeight);
    return { confidence: confidenceOf(weight), box: { x: left, y: top, width: right - left, height: bottom - top } };
  });
}

function scan(cv: OpenCv, hog: Descriptor, { pixels, width, height }: GreyPicture): Window[] {
  const image = new cv.Mat(height, width, cv.CV_8UC1);
  const found = new cv.RectVector();
  const weights = new cv.DoubleVector();
  try {
    image.data.set(pixels);
    hog.detectMultiScale(image, found, weights, 0, new cv.Size(stride, stride), new cv.Size(0, 0), scaleStep, 0, false);
    return items(found).map((box, index) => ({ box, weight: weights.get(index) }));
  } catch (error) {
    // C++ throws the address of its exception
    throw typeof error === "number" ? new Error(`OpenCV: ${cv.exceptionFromPtr(error).msg}`) : error;
  } finally {
    image.delete();
    found.delete();
    weights.delete();
  }
}

/** Boxed, because the module object has a `then` of its own: a promise that resolved to it would never settle. */
async function loadOpenCv(): Promise<{ readonly instance: OpenCv }> {
  const events = ["uncaughtException", "unhandledRejection"] as const;
  const before = new Set(events.flatMap((event) => process.listeners(event as "uncaughtException")));
  const instance: OpenCv = createRequire(import.meta.url)("@techstark/opencv-js");
  // it takes over the process's errors; ours shall end the process as usual
  for (const event of events) {
    for (const listener of process.listeners(event as "uncaughtException")) {
      if (!before.has(listener)) process.off(event, listener);
    }
  }
  await new Promise<void>((resolve) => {
    instance.onRuntimeInitialized = resolve;
  });
  return { instance };
}

function items<T>(vector: Vector<T>): T[] {
  return Array.from({ length: vector.size() }, (_, index) => vector.get(index));
}

function clamp(value: number, limit: number): number {
  return Math.round(Math.min(Math.max(value, 0), limit));
}
