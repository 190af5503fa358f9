import { Problem } from "../../src/contract/problem.ts";
import { recordCommand } from "../command-shapes.ts";
import { savePicture } from "../detections/image.ts";
import { idArgument } from "../input/arguments.ts";
import { flag, idOf, text, toggle } from "../input/options.ts";
import type { Io } from "../io.ts";
import { type Saved, savedView } from "../output/save.ts";
import type { View } from "../output/view.ts";

/** The option of commands that show the picture of an event. */
export const picture = toggle("Picture on a terminal; --no-picture for text only");

export const pictureHelp =
  "On a terminal with colours, shows the best picture with box and label, at most half as high as the screen: with real pixels where the terminal can (Kitty's or iTerm's protocol, or Sixel), elsewhere in half blocks.";

/** The detection whose picture stands for an event; undefined without one. */
export function coverOf(thumbnailUrl: string | null): number | undefined {
  const [, cover] = /\/detections\/(\d+)\/thumbnail$/.exec(thumbnailUrl ?? "") ?? [];
  return cover === undefined ? undefined : Number(cover);
}

/** Shows the picture of a detection on a terminal; `isWanted` is the option. */
export async function showPicture(io: Io, detectionId: number | undefined, isWanted: boolean | undefined): Promise<void> {
  if (isWanted === false || !io.output.terminal.colour) return;
  const { printPicture } = await import("../picture/print.ts");
  await printPicture(io, detectionId);
}

const view: View<Saved & { readonly event_id: number; readonly detection_id: number }> = {
  ...savedView,
  fields: () => ["event_id", "detection_id", "file", "media_type", "size_bytes"],
};

export const saveEventPicture = recordCommand({
  name: "events picture",
  summary: "Save the picture of an event to a file",
  description:
    "Saves the original picture of the event's detection with the highest confidence, also from a daemon on another machine. With --with-boxes it saves a small copy with box and label instead. `homesec detections image` saves the picture of another detection. " +
    pictureHelp,
  arguments: { event_id: idOf("event", idArgument("Event id")) },
  options: {
    to: text("file", "Target file, never overwritten (default event-<id>.<extension>)"),
    with_boxes: flag("Save a small picture with box and label"),
    picture,
  },
  examples: [
    { command: "homesec events picture 42", note: "saves the original as event-42.jpg" },
    { command: "homesec events picture 42 --to visitor.jpg", note: "to another file" },
    { command: "homesec events picture 42 --with-boxes --to small.jpg", note: "a small picture with the box" },
  ],
  view,
  async record(io, { arguments: { event_id }, options: { to, with_boxes } }) {
    const { thumbnail_url: address } = await io.call("getEvent", { params: { event_id } });
    const detection_id = coverOf(address);
    if (detection_id === undefined) throw new Problem("not_found", `Event ${event_id} has no picture: it has no detections`);
    const saved = await savePicture(io, { detectionId: detection_id, thumbnail: with_boxes, to, name: `event-${event_id}` });
    return { event_id, detection_id, ...saved };
  },
  after: async (io, { detection_id }, { options }) => await showPicture(io, detection_id, options.picture),
});
