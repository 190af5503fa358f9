import { randomUUID } from "node:crypto";
import type { Steps } from "../../src/base/async/slices.ts";
import { tooManyValues } from "../../src/contract/validate.ts";

const [space, quote, backslash, comma, colon] = [0x20, 0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A long list in a field of the body. `ends` are the positions of the commas after its pieces, and of the closing bracket. */
interface LongList {
  readonly start: number;
  readonly ends: readonly number[];
}

export interface JsonLimits {
  readonly mostValues: number;
  /** Length of the pieces of a list, approximately. */
  readonly pieceBytes: number;
}

/**
 * Parses JSON in UTF-8 like `JSON.parse`, with pauses: long lists in the fields of an object are parsed piece by piece. Throws `SyntaxError`
 * for invalid JSON, and `Problem("too_large")` for more than `mostValues` values, before memory is spent on them.
 */
export function* parseJson(bytes: Buffer, limits: JsonLimits): Steps<unknown> {
  const longLists = yield* findLongLists(bytes, limits);
  // No client can guess it, so no other text of the body looks like the place of a list.
  const mark = randomUUID();
  let outline = "";
  let at = 0;
  for (const [index, { start, ends }] of longLists.entries()) {
    outline += `${bytes.toString("utf8", at, start - 1)}"${mark}${index}"`;
    at = (ends.at(-1) ?? start) + 1;
  }
  const body = JSON.parse(outline + bytes.toString("utf8", at)) as unknown;
  const lists: unknown[][] = [];
  for (const list of longLists) lists.push(yield* parseList(bytes, list));
  if (lists.length > 0) {
    for (const [name, value] of Object.entries(body as object)) {
      if (typeof value !== "string" || !value.startsWith(mark)) continue;
      // An assignment to `__proto__` would not make a field.
      const list = { value: lists[Number(value.slice(mark.length))], enumerable: true, writable: true, configurable: true };
      Object.defineProperty(body, name, list);
    }
  }
  return body;
}

function* parseList(bytes: Buffer, { start, ends }: LongList): Steps<unknown[]> {
  const list: unknown[] = [];
  let at = start;
  for (const end of ends) {
    const items = JSON.parse(`[${bytes.toString("utf8", at, end)}]`) as unknown[];
    if (items.length === 0) throw new SyntaxError("an item of a list is missing");
    for (const item of items) list.push(item);
    at = end + 1;
    yield;
  }
  return list;
}

/**
 * Finds the lists of more than `pieceBytes` in the fields of an object, and counts the values. It does not check the JSON: the pieces of
 * invalid JSON cannot be parsed either.
 */
function* findLongLists(bytes: Buffer, { mostValues, pieceBytes }: JsonLimits): Steps<readonly LongList[]> {
  const found: LongList[] = [];
  let list: { start: number; ends: number[]; pieceStart: number } | undefined;
  let depth = 0;
  let values = 0;
  let isText = false;
  let isObject = false;
  /** The last byte that is neither a space nor inside of a text. */
  let previous = 0;
  let nextPause = pieceBytes;
  for (let at = 0; at < bytes.length; at += 1) {
    if (at >= nextPause) {
      nextPause = at + pieceBytes;
      yield;
    }
    const byte = bytes[at] as number;
    if (isText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isText = false;
      continue;
    }
    if (byte <= space) continue;
    // Lists and objects hold a value more than they have commas, unless they are empty.
    if (byte === comma || ((previous === openList || previous === openObject) && byte !== closeList && byte !== closeObject)) values += 1;
    if (values > mostValues) throw tooManyValues(mostValues);
    if (byte === quote) isText = true;
    else if (byte === comma && list && depth === 2 && at - list.pieceStart >= pieceBytes) {
      list.ends.push(at);
      list.pieceStart = at + 1;
    } else if (byte === openList || byte === openObject) {
      if (previous === 0) isObject = byte === openObject;
      if (isObject && depth === 1 && byte === openList && previous === colon) list = { start: at + 1, ends: [], pieceStart: at + 1 };
      depth += 1;
    } else if (byte === closeList || byte === closeObject) {
      depth -= 1;
      if (list && depth === 1) {
        if (byte === closeList && list.ends.length > 0) found.push({ start: list.start, ends: [...list.ends, at] });
        list = undefined;
      }
    }
    previous = byte;
  }
  return found;
}

/** A list with more items is long. */
const fewItems = 100;
/** In characters: a pause follows. */
const partLength = 64 * 1024;

/** Whether a reply has a list that is serialised item by item. */
export function hasLongList(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).some((field) => Array.isArray(field) && field.length > fewItems);
}

/** Serialises an object like `JSON.stringify`, in UTF-8 and with pauses: the long lists in its fields item by item. */
export function* serializeJson(value: object): Steps<Buffer> {
  const parts: Buffer[] = [];
  let text = "";
  let before = "{";
  for (const [name, field] of Object.entries(value) as [string, unknown][]) {
    const isLong = Array.isArray(field) && field.length > fewItems;
    const json = isLong ? "[" : JSON.stringify(field);
    if (json === undefined) continue;
    text += `${before}${JSON.stringify(name)}:${json}`;
    before = ",";
    if (!isLong) continue;
    for (const [at, item] of field.entries()) {
      text += `${at === 0 ? "" : ","}${JSON.stringify(item) ?? "null"}`;
      if (text.length < partLength) continue;
      parts.push(Buffer.from(text));
      text = "";
      yield;
    }
    text += "]";
  }
  parts.push(Buffer.from(before === "{" ? "{}" : `${text}}`));
  return Buffer.concat(parts);
}
