import { createHash } from "node:crypto";

/** Bytes per block of small files: a changed byte is found to within this range. */
const smallBlock = 4 * 1024;
/** The same for larger files, so that the manifest stays small. */
const largeBlock = 64 * 1024;
const smallFile = 4 * 1024 * 1024;
const digestBytes = 32;

/** Returns the block size for a file of this size, in bytes. */
export function blockSizeFor(size: number): number {
  return size > smallFile ? largeBlock : smallBlock;
}

/** The hashes of a file and of its blocks. */
export interface Hashes {
  readonly size: number;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string;
  readonly block_size: number;
  /** SHA-256 of each block, joined and in base64. */
  readonly blocks: string;
}

/** Hashes a file and its blocks while its parts arrive. */
export interface BlockHasher {
  add(part: Uint8Array): void;
  finish(): Hashes;
}

/** Creates a hasher. `onBlock` gets the digest of each block when it is complete. */
export function createBlockHasher(blockSize: number, onBlock?: (digest: Buffer, number: number) => void): BlockHasher {
  const whole = createHash("sha256");
  const digests: Buffer[] = [];
  let block = createHash("sha256");
  let inBlock = 0;
  let size = 0;
  let number = 0;
  const close = (): void => {
    const digest = block.digest();
    if (onBlock) onBlock(digest, number);
    else digests.push(digest);
    block = createHash("sha256");
    inBlock = 0;
    number += 1;
  };
  return {
    add(part) {
      whole.update(part);
      size += part.length;
      for (let at = 0; at < part.length; ) {
        const taken = part.subarray(at, at + blockSize - inBlock);
        block.update(taken);
        inBlock += taken.length;
        at += taken.length;
        if (inBlock === blockSize) close();
      }
    },
    finish() {
      if (inBlock > 0) close();
      return { size, sha256: whole.digest("hex"), block_size: blockSize, blocks: Buffer.concat(digests).toString("base64") };
    },
  };
}

/** Returns the hashes of bytes in memory. */
export function hashesOf(bytes: Uint8Array): Hashes {
  const hasher = createBlockHasher(blockSizeFor(bytes.length));
  hasher.add(bytes);
  return hasher.finish();
}

/** A range of bytes, both ends included. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** The difference between a file in a pack and its hashes. */
export interface Difference {
  /** The blocks that differ, neighbours joined. */
  readonly ranges: readonly ByteRange[];
  /** Number of bytes that the file should have and does not. */
  readonly missingBytes: number;
  readonly hasMore: boolean;
}

/**
 * Compares parts with hashes and finds the ranges that differ. Reads no more than one part beyond the size that the file should have, so
 * that a file which unpacks to any size takes no time. `fault`: the parts ended with this error.
 */
export async function compare(
  parts: AsyncIterable<Uint8Array>,
  expected: Hashes,
): Promise<{ readonly difference: Difference | undefined; readonly fault: Error | undefined }> {
  const digests = Buffer.from(expected.blocks, "base64");
  const ranges: ByteRange[] = [];
  const note = (from: number, to: number): void => {
    const last = ranges.at(-1);
    if (last && last.to + 1 === from) ranges[ranges.length - 1] = { from: last.from, to };
    else ranges.push({ from, to });
  };
  const blockSize = expected.block_size;
  const hasher = createBlockHasher(blockSize, (digest, number) => {
    if (digest.equals(digests.subarray(number * digestBytes, (number + 1) * digestBytes))) return;
    note(number * blockSize, Math.min((number + 1) * blockSize, expected.size) - 1);
  });
  let read = 0;
  let hasMore = false;
  let fault: Error | undefined;
  try {
    for await (const part of parts) {
      const wanted = part.subarray(0, expected.size - read);
      hasher.add(wanted);
      read += wanted.length;
      hasMore = wanted.length < part.length;
      if (hasMore) break;
    }
  } catch (error) {
    fault = error as Error;
  }
  const { sha256 } = hasher.finish();
  const isCut = read < expected.size;
  if (isCut) {
    // The last block was compared with what there was of it
    const from = Math.floor(read / blockSize) * blockSize;
    const last = ranges.at(-1);
    if (last && last.to >= from) ranges.splice(-1, 1, ...(last.from < from ? [{ from: last.from, to: from - 1 }] : []));
    note(from, expected.size - 1);
  } else if (ranges.length === 0 && sha256 !== expected.sha256) {
    // The hashes of the blocks were changed themselves
    note(0, Math.max(0, expected.size - 1));
  }
  if (!hasMore && ranges.length === 0) return { difference: undefined, fault };
  return { difference: { ranges, missingBytes: expected.size - read, hasMore }, fault };
}
