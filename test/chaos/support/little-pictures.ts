import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { picturePath } from "../../support/pictures.ts";

/** Makes pictures of about a kilobyte, each with a unique number inside: only their number matters. */
export async function littlePictures(): Promise<(number: number) => Buffer> {
  const bytes = await sharp(await readFile(picturePath()))
    .resize(64, 48)
    .jpeg()
    .toBuffer();
  return (number) => {
    const text = Buffer.from(String(number));
    // A comment right after the start, which decoders skip.
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, text.length + 2]), text]);
    return Buffer.concat([bytes.subarray(0, 2), comment, bytes.subarray(2)]);
  };
}
