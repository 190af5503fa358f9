import type { ByteSource } from "./byte-source.ts";
import type { Structure } from "./structure.ts";

/** Inspects a WebP: the length in its header, and the first chunk for the dimensions. */
export async function inspectWebp(source: ByteSource): Promise<Structure> {
  const head = await source.read(0, 30);
  if (head.length < 30) return { state: "incomplete", detail: "the WebP ends within its header" };
  const size = dimensions(head);
  if (!size) return { state: "damaged", detail: "the WebP's header is broken" };
  // An odd length is padded to an even one, which some writers omit.
  if (source.size < 8 + head.readUInt32LE(4)) return { state: "incomplete", detail: "the WebP is shorter than its header says" };
  return { state: "complete", ...size };
}

function dimensions(head: Buffer): { width: number; height: number } | undefined {
  const size = rawDimensions(head);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

function rawDimensions(head: Buffer): { width: number; height: number } | undefined {
  switch (head.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: 1 + head.readUIntLE(24, 3), height: 1 + head.readUIntLE(27, 3) };
    case "VP8L": {
      const bits = head.readUInt32LE(21);
      return head[20] === 0x2f ? { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) } : undefined;
    }
    case "VP8 ":
      return head.readUIntBE(23, 3) === 0x9d012a
        ? { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
        : undefined;
    default:
      return undefined;
  }
}
