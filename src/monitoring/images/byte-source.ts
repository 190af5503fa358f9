import type { OpenFile } from "../../platform/disk/direct-calls.ts";

/** Bytes that are read in pieces: a file that may be large, or a buffer. */
export interface ByteSource {
  readonly size: number;
  /** Reads from `position`; returns fewer bytes than requested at the end of the source. */
  read(position: number, length: number): Promise<Buffer>;
}

const blockBytes = 16 * 1024;

/** Wraps a buffer. */
export function bufferSource(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: async (position, length) => bytes.subarray(Math.max(0, position), Math.max(0, position) + length) };
}

/** Wraps an open file of `size` bytes. Reads whole blocks and caches the last few, since headers are read in small steps. */
export function fileSource(file: Pick<OpenFile, "read">, size: number): ByteSource {
  const blocks = new Map<number, Buffer>();
  const block = async (index: number): Promise<Buffer> => {
    const cached = blocks.get(index);
    if (cached) return cached;
    const length = Math.min(blockBytes, size - index * blockBytes);
    const bytes = await readFully(file, index * blockBytes, length);
    if (blocks.size >= 8) blocks.delete(blocks.keys().next().value as number);
    blocks.set(index, bytes);
    return bytes;
  };
  return {
    size,
    read: async (position, length) => {
      const end = Math.min(size, position + length);
      if (position < 0 || position >= end) return Buffer.alloc(0);
      const pieces: Buffer[] = [];
      for (let at = position; at < end; ) {
        const index = Math.floor(at / blockBytes);
        const start = at - index * blockBytes;
        const bytes = (await block(index)).subarray(start, start + end - at);
        // The file was truncated after its size was read.
        if (bytes.length === 0) break;
        pieces.push(bytes);
        at += bytes.length;
      }
      return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    },
  };
}

/** Reads `length` bytes at `position`, or up to the end of the file. */
export async function readFully(file: Pick<OpenFile, "read">, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
