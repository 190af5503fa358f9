import type { View } from "./view.ts";

/** A file that a command wrote. */
export interface Saved {
  readonly file: string;
  readonly media_type: string;
  readonly size_bytes: number;
}

export const savedView: View<Saved> = {
  plural: "files",
  fields: ["file", "media_type", "size_bytes"],
  id: (saved) => saved.file,
  columns: [],
  details: (saved) => [["saved", { text: `${saved.file} (${saved.size_bytes} bytes)` }]],
};

/** The ending of a picture's name. */
export function extensionOf(mediaType: string): string {
  return { "image/png": "png", "image/webp": "webp" }[mediaType] ?? "jpg";
}
