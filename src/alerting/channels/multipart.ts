import { randomBytes } from "node:crypto";

/** One field of a form: a text, or a file with its name. */
export type FormField = string | { readonly file: Buffer; readonly name: string; readonly mediaType: string };

/** Writes a form as multipart/form-data: its body, and the header that names the boundary. Texts are UTF-8. */
export function multipart(fields: Readonly<Record<string, FormField | undefined>>): {
  readonly body: Buffer;
  readonly contentType: string;
} {
  const boundary = `homesec-${randomBytes(18).toString("hex")}`;
  const parts = Object.entries(fields).flatMap(([name, field]) => {
    if (field === undefined) return [];
    const isText = typeof field === "string";
    const head = isText ? `name="${name}"` : `name="${name}"; filename="${field.name}"`;
    const type = isText ? "" : `Content-Type: ${field.mediaType}\r\n`;
    const start = `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n${type}\r\n`;
    return [Buffer.from(start), isText ? Buffer.from(field) : field.file, Buffer.from("\r\n")];
  });
  return { body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]), contentType: `multipart/form-data; boundary=${boundary}` };
}

/** The picture of a message as a file of a form. */
export const jpegFile = (picture: Buffer | undefined): FormField | undefined =>
  picture && { file: picture, name: "homesec.jpg", mediaType: "image/jpeg" };
