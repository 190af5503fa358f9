import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../../src/base/version.ts";

/** The built-in detector sees two people in it. */
const original = "walkway-0220.jpg";

/** Puts a picture with people into the folder, like a camera. A unique comment makes it a new picture. Returns its name. */
export async function putMarkedPicture(folder: string): Promise<string> {
  const bytes = await readFile(join(packageRoot(), "demo", "pictures", original));
  const mark = `homesec-selftest ${randomUUID()}`;
  const name = `${mark.replace(" ", "-")}.jpg`;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.part`), withComment(bytes, mark));
  await rename(join(folder, `${name}.part`), join(folder, name));
  return name;
}

/** A JPEG comment right after the start marker, which decoders skip. */
function withComment(jpeg: Buffer, text: string): Buffer {
  const comment = Buffer.from(text);
  const segment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, comment.length + 2]), comment]);
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}
