/** Part of a file. Both ends are included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Identifies the content, as in the headers `ETag` and `Last-Modified`. */
export interface Validators {
  readonly tag: string;
  readonly modified: Date;
}

/**
 * Returns the part of a file of `size` bytes that the headers `Range` and `If-Range` request. Returns undefined for the whole file: without
 * a valid range, with several parts, or if the content has changed. Returns "unsatisfiable" if the part is beyond the end.
 */
export function requestedRange(
  headers: { readonly range?: string | undefined; readonly "if-range"?: string | string[] | undefined },
  size: number,
  validators: Validators,
): ByteRange | "unsatisfiable" | undefined {
  const parts = /^bytes=(.*)$/i
    .exec(headers.range?.trim() ?? "")?.[1]
    ?.split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const [, first, last] = (parts?.length === 1 && /^(\d*)-(\d*)$/.exec(parts[0] ?? "")) || [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (!isUnchanged(headers["if-range"], validators)) return undefined;
  if (first === "") {
    const length = Number(last);
    return length === 0 || size === 0 ? "unsatisfiable" : { start: Math.max(0, size - length), end: size - 1 };
  }
  if (last !== "" && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return "unsatisfiable";
  return { start: Number(first), end: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Whether the content is the one that `If-Range` names. A weak tag never matches. */
function isUnchanged(condition: string | string[] | undefined, { tag, modified }: Validators): boolean {
  if (condition === undefined) return true;
  const text = String(condition).trim();
  if (/^(W\/)?"/.test(text)) return text === tag;
  return Date.parse(text) === Math.trunc(modified.getTime() / 1000) * 1000;
}
