import type { LeftOutReason } from "./left-out.ts";
import { type Fields, isObject } from "./lenient-json.ts";

/** A box in whole pixels, inside the picture and never empty. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Size of a picture in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export type BoxFault = Extract<LeftOutReason, "bad_box" | "empty_box" | "outside">;

/** Assumed side of a picture whose size is unknown. No decoder in homesec accepts more. */
export const maxSide = 65_535;

interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A box as sent: by its edges, or as four numbers whose meaning is open. */
export type SentBox = Edges | readonly number[];

const boxNames = ["bbox", "box", "bounding_box", "boundingBox", "xyxy"];
/** Names of left, top, right and bottom, in lower case without separators. */
const cornerNames = [
  ["x1", "y1", "x2", "y2"],
  ["x0", "y0", "x1", "y1"],
  ["xmin", "ymin", "xmax", "ymax"],
  ["left", "top", "right", "bottom"],
] as const;
/** Names of left, top, width and height. */
const sizeNames = [
  ["x", "y", "w", "h"],
  ["left", "top", "width", "height"],
] as const;

/** The box of a detection as the detector sent it: null if it sent none. */
export function sentBox(detection: Fields): SentBox | "bad_box" | null {
  for (const name of boxNames) {
    const place = detection[name] ?? null;
    if (place === null) continue;
    if (Array.isArray(place)) return fourNumbers(place, name === "xyxy");
    return isObject(place) ? (bySize(place) ?? byNames(place) ?? "bad_box") : "bad_box";
  }
  // Corners may stand beside the class, but not a position and a size: some detectors send the centre there.
  return corners(withPlainNames(detection)) ?? null;
}

/** The form of docs/services.md. */
function bySize({ x, y, width, height }: Fields): SentBox | "bad_box" | undefined {
  return x === undefined || width === undefined ? undefined : edges(x, y, width, height);
}

function byNames(place: Fields): SentBox | "bad_box" | undefined {
  const fields = withPlainNames(place);
  const found = corners(fields);
  if (found) return found;
  const names = sizeNames.find((all) => all.every((name) => fields.has(name)));
  if (!names) return undefined;
  const [x, y, width, height] = names.map((name) => fields.get(name));
  return edges(x, y, width, height);
}

function edges(x: unknown, y: unknown, width: unknown, height: unknown): SentBox | "bad_box" {
  if (!isNumber(x) || !isNumber(y) || !isNumber(width) || !isNumber(height) || width < 0 || height < 0) return "bad_box";
  return { left: x, top: y, right: x + width, bottom: y + height };
}

function corners(fields: ReadonlyMap<string, unknown>): SentBox | "bad_box" | undefined {
  const names = cornerNames.find((all) => all.every((name) => fields.has(name)));
  return names && betweenCorners(names.map((name) => fields.get(name)));
}

function betweenCorners([left, top, right, bottom]: readonly unknown[]): SentBox | "bad_box" {
  if (!isNumber(left) || !isNumber(top) || !isNumber(right) || !isNumber(bottom) || right < left || bottom < top) return "bad_box";
  return { left, top, right, bottom };
}

function fourNumbers(place: readonly unknown[], isCorners: boolean): SentBox | "bad_box" {
  if (place.length !== 4 || !place.every(isNumber)) return "bad_box";
  return isCorners ? betweenCorners(place) : place;
}

/** `x_min`, `xMin` and `XMin` are the same name. */
function withPlainNames(fields: Fields): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(fields).map(([name, value]) => [name.toLowerCase().replace(/[_-]/g, ""), value]));
}

/** Tells whether a value is a finite number: JSON.parse reads 1e999 as infinity. */
export function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** How the boxes of an answer are meant. */
export interface Convention {
  /** From 0 to 1 instead of pixels. */
  readonly areShares: boolean;
  /** Four numbers are left, top, right and bottom. */
  readonly areCorners: boolean;
}

/** Boxes at the edge of the picture may reach a little beyond it. */
const slack = 0.1;

/**
 * Finds the convention of an answer from all of its boxes. Boxes of at most one pixel exist only as shares. Four numbers are corners only
 * if they can be nothing else: neither a corner nor a centre with a size. `size` is undefined if the size of the picture is unknown.
 */
export function conventionOf(boxes: readonly SentBox[], size: Size | undefined): Convention {
  const lists = boxes.filter(isList);
  const areShares = boxes.length > 0 && boxes.every((box) => numbersOf(box).every(isShare));
  // Shares as four numbers often begin with the top: nothing shows that.
  const areCorners =
    !areShares &&
    size !== undefined &&
    lists.every(([left = 0, top = 0, right = 0, bottom = 0]) => left <= right && top <= bottom && isWithin(right, bottom, size)) &&
    lists.some(([x = 0, y = 0, width = 0, height = 0]) => {
      const isCentre =
        isWithin(x + width / 2, y + height / 2, size) && isWithin(width / 2 - x, height / 2 - y, { width: 0, height: 0 }, size);
      return !isWithin(x + width, y + height, size) && !isCentre;
    });
  return { areShares, areCorners };
}

const isList = (box: SentBox): box is readonly number[] => Array.isArray(box);
const numbersOf = (box: SentBox): readonly number[] => (isList(box) ? box : [box.left, box.top, box.right, box.bottom]);
const isShare = (value: number): boolean => value >= -slack && value <= 1 + slack;

/** Tells whether a point is at most a little beyond the limits. */
function isWithin(x: number, y: number, limit: Size, picture: Size = limit): boolean {
  return x <= limit.width + slack * picture.width && y <= limit.height + slack * picture.height;
}

/** Reads a box in whole pixels, cut to the picture. `clip` is the size that the detector reported, `size` the best known one. */
export function boxIn(
  sent: SentBox,
  convention: Convention,
  { size, clip }: { readonly size: Size | undefined; readonly clip: Size },
): Box | BoxFault {
  const box = !isList(sent) ? sent : convention.areCorners ? betweenCorners(sent) : "bad_box";
  if (box === "bad_box" || isList(box)) return "bad_box";
  if (!convention.areShares) return cutTo(clip, box);
  if (!size) return "bad_box";
  const { width, height } = size;
  return cutTo(size, { left: box.left * width, top: box.top * height, right: box.right * width, bottom: box.bottom * height });
}

function cutTo(limit: Size, { left, top, right, bottom }: Edges): Box | BoxFault {
  if (left >= limit.width || top >= limit.height || right <= 0 || bottom <= 0) {
    return left === right || top === bottom ? "empty_box" : "outside";
  }
  const x = Math.round(Math.max(left, 0));
  const y = Math.round(Math.max(top, 0));
  const width = Math.round(Math.min(right, limit.width)) - x;
  const height = Math.round(Math.min(bottom, limit.height)) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : "empty_box";
}
