import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { basename, join, parse } from "node:path";
import { Problem } from "../../contract/problem.ts";
import type { Config } from "../../platform/config/config.ts";
import { usesBuiltInDetector } from "../../platform/config/detector-address.ts";
import { cocoNames, namesInMetadata, namesInText, objectTypeOf } from "./class-names.ts";
import { float32, type OnnxHeader, readOnnxHeader, type TensorInfo } from "./onnx.ts";
import { type ByteSource, Malformed } from "./protobuf.ts";

/** A custom model as described by its file, without running it. */
export interface ModelFile {
  readonly path: string;
  readonly name: string;
  /** Width of its input in pixels. */
  readonly width: number;
  readonly height: number;
  readonly inputName: string;
  /** In the order of the file. */
  readonly outputNames: readonly string[];
  /** By class number; empty for a class without a name. */
  readonly classNames: readonly string[];
  /** The classes are not named, so homesec assumes COCO's. */
  readonly classesAssumed: boolean;
  /** The weights are in other files beside this one. */
  readonly externalData: boolean;
}

/** The size if the model leaves it open; nearly all models are trained with it. */
const usualSide = 640;
const largestSide = 4_096;
/** Too large for 32-bit WebAssembly, and larger than any detector needs. */
const largestFile = 1_500_000_000;

/** Returns the paths of files beside the model that may name its classes, one a line. They override the names in the model. */
export function namesFilesOf(path: string): readonly [string, string] {
  const { dir, name } = parse(path);
  return [join(dir, `${name}.names`), join(dir, `${name}.txt`)];
}

/**
 * Reads the header of a model file, a few kilobytes. Throws `Problem` (`invalid`) with file, reason and fix if it cannot be
 * the ONNX file of a YOLO detector.
 */
export function readModelFile(path: string): ModelFile {
  const header = readHeader(path);
  const task = header.metadata.get("task");
  if (task !== undefined && task !== "detect") throw unusable(path, `it is made for the task "${task}"`, 'export one for "detect"');
  const input = imageInput(path, header.inputs);
  const [, , height = usualSide, width = usualSide] = input.dims;
  if (Math.max(width, height) > largestSide || Math.min(width, height) < 32) {
    throw unusable(path, `its input has ${width} x ${height} pixels`, `export it for a size from 32 to ${largestSide}, such as 640`);
  }
  if (header.outputs.length === 0) throw unusable(path, "it has no output", exportFix);
  return {
    path,
    name: basename(path),
    width,
    height,
    inputName: input.name,
    outputNames: header.outputs.map(({ name }) => name),
    ...classesOf(path, header),
    externalData: header.externalData,
  };
}

/** Makes the problem that says why a model cannot be used and how to fix it. */
export function unusable(path: string, reason: string, fix: string, cause?: unknown): Problem {
  return new Problem("invalid", `The model DETECTOR_MODEL_PATH=${path} cannot be used: ${reason}; ${fix}`, { cause });
}

export const exportFix = "export a YOLO detector to ONNX, with one picture as its input";

function readHeader(path: string): OnnxHeader {
  const file = openFile(path);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw unusable(path, "it is not a file", "name the .onnx file itself");
    if (stats.size === 0) throw unusable(path, "it is empty", "copy it again");
    if (stats.size > largestFile) throw unusable(path, `it has ${stats.size} bytes`, "use a smaller model");
    const start = Buffer.alloc(16);
    readSync(file, start, 0, start.length, 0);
    const other = otherFormat(start);
    if (other !== undefined) throw unusable(path, `it is ${other}, not ONNX`, exportFix);
    try {
      return readOnnxHeader(windowed(file, stats.size));
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      throw unusable(path, `it is not ONNX, or only a part of it (${error.message})`, `copy it again, or ${exportFix}`, error);
    }
  } finally {
    closeSync(file);
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, "r");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR")
      throw unusable(path, "there is no such file", "correct the path, or put the file there", error);
    throw unusable(path, `it cannot be read (${code})`, "give the user that runs homesec read permission", error);
  }
}

/** Reads the file in pieces: the relevant fields are between weights, which it skips. */
function windowed(file: number, length: number): ByteSource {
  const window = Buffer.alloc(64 * 1024);
  let windowStart = 0;
  let windowEnd = 0;
  return {
    length,
    read: (offset, size) => {
      if (offset < 0 || offset + size > length) throw new Malformed(`it ends before byte ${offset + size}`);
      if (size > window.length) {
        const large = Buffer.alloc(size);
        if (readSync(file, large, 0, size, offset) < size) throw new Malformed("it became shorter while it was read");
        return large;
      }
      if (offset < windowStart || offset + size > windowEnd) {
        windowStart = offset;
        windowEnd = offset + readSync(file, window, 0, window.length, offset);
        if (offset + size > windowEnd) throw new Malformed("it became shorter while it was read");
      }
      return window.subarray(offset - windowStart, offset - windowStart + size);
    },
  };
}

/** Names the format of a file that is often mistaken for an ONNX model; undefined for other files. */
function otherFormat(start: Buffer): string | undefined {
  const text = start.toString("latin1");
  if (text.startsWith("PK\u0003\u0004")) return "a PyTorch or ZIP file";
  if (text.startsWith("version https://")) return "a Git LFS pointer to the real file";
  if (text.slice(4, 8) === "TFL3") return "a TensorFlow Lite model";
  if (text.startsWith("\u0089HDF")) return "an HDF5 or Keras file";
  if (/^\s*<(!doctype|html|\?xml)/i.test(text)) return "an HTML or XML page";
  return undefined;
}

function imageInput(path: string, inputs: readonly TensorInfo[]): TensorInfo {
  const [input] = inputs;
  if (!input || inputs.length > 1) throw unusable(path, `it has ${inputs.length} inputs`, exportFix);
  const { dims, elementType } = input;
  const [batch, channels] = dims;
  const shape = `[${dims.map((size) => size ?? "?").join(", ")}]`;
  if (dims.length !== 4 || (channels ?? 3) !== 3) {
    throw unusable(path, `its input is ${shape}, not [1, 3, height, width]`, "export it with the colours before height and width (NCHW)");
  }
  if ((batch ?? 1) !== 1) throw unusable(path, `it takes ${batch} pictures at once`, "export it with a batch size of 1");
  if (elementType !== float32)
    throw unusable(path, "its input is not 32-bit floats", "export it without half precision or quantised inputs");
  return input;
}

function classesOf(path: string, { metadata }: OnnxHeader): Pick<ModelFile, "classNames" | "classesAssumed"> {
  const found = namesBeside(path) ?? namesInMetadata(metadata.get("names") ?? "");
  const classNames = found ?? cocoNames;
  if (!classNames.some((name) => objectTypeOf(name) !== undefined)) {
    const listed = `${classNames.slice(0, 8).join(", ")}${classNames.length > 8 ? ", ..." : ""}`;
    const file = basename(namesFilesOf(path)[0]);
    throw unusable(path, `homesec knows none of its classes (${listed})`, `name them in ${file} beside it, one a line, in homesec's words`);
  }
  return { classNames, classesAssumed: found === undefined };
}

function namesBeside(path: string): string[] | undefined {
  for (const file of namesFilesOf(path)) {
    try {
      return namesInText(readFileSync(file, "utf8"));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT") throw unusable(path, `${file} beside it cannot be read (${code})`, "make it readable, or remove it", error);
    }
  }
  return undefined;
}

/**
 * Returns why the configured model of the built-in detector cannot be used, judging by its file; undefined if there is no
 * model or no problem. Problems at run time are in the health of the running detector.
 */
export function modelFault({ detectorUrl, detectorModelPath }: Pick<Config, "detectorUrl" | "detectorModelPath">): string | undefined {
  if (!usesBuiltInDetector(detectorUrl) || detectorModelPath === undefined) return undefined;
  try {
    readModelFile(detectorModelPath);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}
