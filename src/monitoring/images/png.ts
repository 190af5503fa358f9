import type { ByteSource } from "./byte-source.ts";
import { lengthWithoutPadding, type Structure, settledAfterMs } from "./structure.ts";

const endChunk = Buffer.from("0000000049454e44ae426082", "hex");
const mostChunks = 100_000;

/** Inspects a PNG: its first chunk for the dimensions, its last for the end. */
export async function inspectPng(source: ByteSource, quietMs: number): Promise<Structure> {
  const head = await source.read(8, 16);
  if (head.length < 16) return { state: "incomplete", detail: "the PNG ends within its header" };
  if (head.toString("latin1", 4, 8) !== "IHDR") return { state: "damaged", detail: "the PNG's header is broken" };
  const width = head.readUInt32BE(8);
  const height = head.readUInt32BE(12);
  if (width === 0 || height === 0) return { state: "damaged", detail: "the PNG says it has no size" };
  const tail = await source.read(Math.max(0, source.size - 4_096), 4_096);
  // The last byte of the end chunk is not padding.
  const ended = tail.subarray(0, lengthWithoutPadding(tail)).subarray(-endChunk.length).equals(endChunk);
  if (ended || (quietMs >= settledAfterMs && (await hasEndChunk(source)))) return { state: "complete", width, height };
  return { state: "incomplete", detail: "the end chunk of the PNG is missing" };
}

async function hasEndChunk(source: ByteSource): Promise<boolean> {
  let at = 8;
  for (let chunks = 0; chunks < mostChunks; chunks += 1) {
    const head = await source.read(at, 8);
    if (head.length < 8) return false;
    at += 12 + head.readUInt32BE(0);
    if (at > source.size) return false;
    if (head.toString("latin1", 4, 8) === "IEND") return true;
  }
  return false;
}
