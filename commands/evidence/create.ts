import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pluralize } from "../../src/base/text/format.ts";
import { recordCommand } from "../command-shapes.ts";
import { idArgument } from "../input/arguments.ts";
import { idOf, text } from "../input/options.ts";
import { type Saved, savedView, streamNew } from "../output/save.ts";
import type { View } from "../output/view.ts";
import { verified } from "./verify.ts";

interface NewPack extends Saved {
  readonly event_id: number;
  readonly sha256: string;
  readonly file_count: number;
  readonly missing: Awaited<ReturnType<typeof verified>>["missing"];
  readonly public_key: string | null;
}

const newPackView: View<NewPack> = {
  ...savedView,
  plural: "packs",
  fields: () => ["file", "media_type", "size_bytes", "event_id", "sha256", "file_count", "missing", "public_key"],
  details: ({ file, size_bytes, file_count, sha256, public_key }) => [
    ["saved", { text: `${file} (${pluralize(file_count, "file")}, ${size_bytes} bytes)` }],
    ["SHA-256", { text: sha256 }],
    ["signed by", { text: public_key ?? "" }],
  ],
  more: ({ missing }) => missing.map(({ what, path, reason }) => `left out: ${what} of ${path}: ${reason}`).join("\n"),
};

/** Saves an event or an incident for someone who has no homesec. */
export const createEvidence = recordCommand({
  name: "evidence create",
  summary: "Save an event or incident as a signed pack",
  description:
    "Saves a ZIP file with the original pictures, thumbnails with boxes, the log of the event, what is known about the clocks, and a signed list of SHA-256 hashes. index.html in it opens in any browser. Pictures of cameras with private zones have them black. homesec lists every pack that was made.",
  arguments: { event_id: idOf("event", idArgument("Id of an event or incident")) },
  options: { to: text("file", "Target file, never overwritten (default homesec-event-<id>.zip)") },
  examples: [
    { command: "homesec evidence create 42", note: "to homesec-event-42.zip" },
    { command: "homesec evidence create 42 --to burglary.zip", note: "homesec evidence verify checks it anywhere" },
  ],
  view: newPackView,
  async record(io, { arguments: { event_id }, options: { to } }) {
    const file = resolve(io.host.cwd, to ?? `homesec-event-${event_id}.zip`);
    const { mediaType, parts } = await io.call("getEvidencePack", { params: { event_id } });
    await streamNew(file, parts, io.host.signal);
    const { sha256, file_count, missing, public_key } = await verified(io, file, undefined);
    const { size } = await stat(file);
    return { file, media_type: mediaType, size_bytes: size, event_id, sha256, file_count, missing, public_key };
  },
  note: ({ missing }) => (missing.length === 0 ? undefined : `${pluralize(missing.length, "file")} could not be packed; the pack says why`),
});
