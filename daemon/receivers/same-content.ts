import { open } from "node:fs/promises";

const pieceBytes = 64 * 1024;

/** Tells whether two files have the same bytes. A file that cannot be read is no other one's equal. */
export async function haveSameContent(one: string, other: string): Promise<boolean> {
  const files = await Promise.all([one, other].map((path) => open(path, "r").catch(() => undefined)));
  const [first, second] = files;
  try {
    if (!first || !second || (await first.stat()).size !== (await second.stat()).size) return false;
    const [piece, otherPiece] = [Buffer.alloc(pieceBytes), Buffer.alloc(pieceBytes)];
    for (;;) {
      const { bytesRead } = await first.read(piece, 0, pieceBytes);
      const { bytesRead: otherRead } = await second.read(otherPiece, 0, pieceBytes);
      if (bytesRead !== otherRead || !piece.subarray(0, bytesRead).equals(otherPiece.subarray(0, bytesRead))) return false;
      if (bytesRead === 0) return true;
    }
  } finally {
    for (const file of files) await file?.close();
  }
}
