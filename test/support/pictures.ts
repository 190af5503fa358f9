import { randomBytes } from "node:crypto";
import { copyFile, mkdir, open, readFile, rename, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";

const demoPictures = join(import.meta.dirname, "../../demo/pictures");

/** Real pictures with people in them. */
export const pictureNames = ["0001", "0060", "0100", "0140", "0180", "0220", "0260", "0300", "0340", "0400"].map((n) => `walkway-${n}.jpg`);

/** The path of a real picture. */
export function picturePath(index = 0): string {
  return join(demoPictures, pictureNames[index % pictureNames.length] as string);
}

/** Returns a small, valid, unique JPEG: a real picture's header and data with a comment. */
export async function uniqueJpeg(index = 0): Promise<Buffer> {
  const bytes = await readFile(picturePath(index));
  const comment = randomBytes(16);
  // A COM segment right after SOI, which decoders skip.
  const segment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, comment.length + 2]), comment]);
  return Buffer.concat([bytes.subarray(0, 2), segment, bytes.subarray(2)]);
}

/** Uploads like most cameras: written under another name, then renamed. With `modified` the file keeps that time, as over SFTP or SMB. */
export async function renameIn(target: string, bytes: Buffer, modified?: Date): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const part = `${target}.part`;
  const file = await open(part, "w");
  await file.writeFile(bytes);
  await file.close();
  if (modified) await utimes(part, modified, modified);
  await rename(part, target);
}

/** Uploads like FTP servers without temporary names: in pieces under the final name. */
export async function writeSlowly(target: string, bytes: Buffer, pieces: number, pauseMs: number): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const file = await open(target, "w");
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += size) {
    await file.write(bytes.subarray(at, at + size));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  await file.close();
}

/** Copies a real picture under a new name. */
export async function copyIn(target: string, index = 0): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  await copyFile(picturePath(index), target);
}
