import type { Size } from "./detector-boxes.ts";

/** A picture to send to a service. */
export interface Picture {
  readonly bytes: Buffer;
  readonly fileName: string;
  readonly mediaType: string;
  /** Its size in pixels, if it is known. */
  readonly size?: Size | undefined;
}

/** Constant: no picture contains these 40 characters after a line break by chance. */
const boundary = "homesec-7b1f0c5e9d2a4836-picture-boundary";
const formEnd = Buffer.from(`\r\n--${boundary}--\r\n`);

export const formType = `multipart/form-data; boundary=${boundary}`;

/**
 * Builds a form with text fields and the picture as `field`. Built by hand: FormData would copy the picture twice and take
 * as long as the rest of the call.
 */
export function pictureForm(
  { bytes, fileName, mediaType }: Picture,
  fields: Readonly<Record<string, string>> = {},
  field = "file",
): Buffer {
  const name = fileName.replace(/["\r\n\\]/g, "_");
  const texts = Object.entries(fields).map(
    ([key, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="${field}"; filename="${name}"\r\ncontent-type: ${mediaType}\r\n\r\n`;
  return Buffer.concat([Buffer.from(texts.join("") + head), bytes, formEnd]);
}
