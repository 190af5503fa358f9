import { parse } from "node:path";

/** Longest name of a file or folder in bytes; file systems allow 255. */
const mostNameBytes = 200;

/**
 * Returns a name without anything that leads elsewhere, hides the file, or does not fit. It never fails, so that no picture is lost because
 * of its name.
 */
export function safeName(name: string): string {
  const plain = name
    .replaceAll(/[\p{Cc}/\\]/gu, "_")
    .replace(/^[.~]+/, "")
    .trim();
  const { name: stem, ext } = parse(plain === "" ? "picture" : plain);
  return `${cut(stem, mostNameBytes - Math.min(Buffer.byteLength(ext), 20))}${cut(ext, 20)}`;
}

function cut(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= mostBytes
    ? text
    : bytes
        .subarray(0, mostBytes)
        .toString()
        .replace(/\uFFFD+$/, "");
}
