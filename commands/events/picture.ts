import { Problem } from "../../src/contract/problem.ts";
import { recordCommand } from "../command-shapes.ts";
import { savePicture } from "../detections/image.ts";
import { idArgument } from "../input/arguments.ts";
import { flag, idOf, text } from "../input/options.ts";
import { type Saved, savedView } from "../output/save.ts";
import type { View } from "../output/view.ts";

const view: View<Saved & { readonly event_id: number; readonly detection_id: number }> = {
  ...savedView,
  fields: () => ["event_id", "detection_id", "file", "media_type", "size_bytes"],
};

export const saveEventPicture = recordCommand({
  name: "events picture",
  summary: "Save the picture of an event to a file",
  description:
    "Saves the original picture of the event's detection with the highest confidence, also from a daemon on another machine. With --with-boxes it saves a small copy with box and label instead. `homesec detections image` saves the picture of another detection.",
  arguments: { event_id: idOf("event", idArgument("Event id")) },
  options: {
    to: text("file", "Target file, never overwritten (default event-<id>.<extension>)"),
    with_boxes: flag("Save a small picture with box and label"),
  },
  examples: [
    { command: "homesec events picture 42", note: "saves the original as event-42.jpg" },
    { command: "homesec events picture 42 --to visitor.jpg", note: "to another file" },
    { command: "homesec events picture 42 --with-boxes --to small.jpg", note: "a small picture with the box" },
  ],
  view,
  async record(io, { arguments: { event_id }, options: { to, with_boxes } }) {
    const { thumbnail_url: address } = await io.call("getEvent", { params: { event_id } });
    const [, cover] = /\/detections\/(\d+)\/thumbnail$/.exec(address ?? "") ?? [];
    if (cover === undefined) throw new Problem("not_found", `Event ${event_id} has no picture: it has no detections`);
    const detection_id = Number(cover);
    const saved = await savePicture(io, { detectionId: detection_id, thumbnail: with_boxes, to, name: `event-${event_id}` });
    return { event_id, detection_id, ...saved };
  },
});
