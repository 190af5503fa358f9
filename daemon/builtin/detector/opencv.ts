import { createRequire } from "node:module";
import type { Box } from "./detector.ts";

/** The part of the OpenCV API that homesec uses. Its objects live outside JavaScript's memory until `delete` is called. */
export interface OpenCv {
  onRuntimeInitialized: () => void;
  readonly CV_8UC1: number;
  readonly CV_8UC3: number;
  readonly CV_32F: number;
  readonly Mat: new (rows: number, columns: number, type: number) => Matrix;
  readonly Size: new (width: number, height: number) => unknown;
  readonly Scalar: new (...values: number[]) => unknown;
  readonly RectVector: new () => Vector<Box>;
  readonly DoubleVector: new () => Vector<number>;
  readonly HOGDescriptor: (new () => Descriptor) & { getDefaultPeopleDetector(): Vector<number> };
  matFromArray(rows: number, columns: number, type: number, values: readonly number[]): Matrix;
  exceptionFromPtr(pointer: number): { readonly msg: string };
  getBuildInformation(): string;
  /** Writes a file into the memory of the WebAssembly module. */
  FS_createDataFile(folder: string, name: string, bytes: Uint8Array, readable: boolean, writable: boolean, owned: boolean): void;
  FS_unlink(path: string): void;
  readNetFromONNX(path: string): Net;
  blobFromImage(image: Matrix, scale: number, size: unknown, mean: unknown, swap: boolean, crop: boolean, type: number): Matrix;
}
interface Handle {
  delete(): void;
}
/** Its views point to memory that moves when it grows, so get them again for each use. */
export interface Matrix extends Handle {
  readonly data: Uint8Array;
  readonly data32F: Float32Array;
  readonly matSize: readonly number[];
}
export interface Vector<T> extends Handle {
  size(): number;
  get(index: number): T;
}
export interface Descriptor extends Handle {
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
export interface Net extends Handle {
  setInput(blob: Matrix, name: string, scale: number, mean: unknown): void;
  forward(output: string): Matrix;
}

let loading: Promise<{ readonly instance: OpenCv }> | undefined;

/**
 * Loads OpenCV once, which blocks most of the time. The result is wrapped because the module object has a `then` method: a promise that
 * resolves to it would never settle.
 */
export function loadOpenCv(): Promise<{ readonly instance: OpenCv }> {
  loading ??= load();
  return loading;
}

async function load(): Promise<{ readonly instance: OpenCv }> {
  const events = ["uncaughtException", "unhandledRejection"] as const;
  const before = new Set(events.flatMap((event) => process.listeners(event as "uncaughtException")));
  const instance: OpenCv = createRequire(import.meta.url)("@techstark/opencv-js");
  // OpenCV installs handlers for uncaught errors. Remove them, so that such errors end the process as usual.
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

/** Runs `work`. OpenCV throws the address of its exception, which becomes an error with the exception's message. */
export function withErrorMessages<T>(cv: OpenCv, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw typeof error === "number" ? new Error(`OpenCV: ${cv.exceptionFromPtr(error).msg.trim()}`) : error;
  }
}
