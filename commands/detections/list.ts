import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { integer, list, number, rowLimit, time } from "../input/options.ts";
import { noteUnknownCameras } from "../input/similar-id.ts";
import { printList } from "../output/output.ts";
import { pages } from "../output/pages.ts";

export const listDetections = defineCommand({
  name: "detections list",
  summary: "List the detections, newest first",
  options: {
    cameraId: list("id", "Only of this camera; repeat it or use commas for several"),
    objectType: list("class", "Only of this class, such as person; repeat it or use commas for several"),
    startDate: time("Only from this time on"),
    endDate: time("Only up to this time"),
    minConfidence: number("confidence", 0, 1, "Only with at least this confidence"),
    eventId: integer("id", 1, Number.MAX_SAFE_INTEGER, "Only of this event"),
    limit: rowLimit(50),
  },
  examples: [
    { command: "homesec detections list --object-type dog,cat --start-date today", note: "the animals of today" },
    { command: "homesec detections list --event-id 42", note: "what belongs to an event" },
    { command: "homesec detections list --min-confidence 0.9 -o ndjson", note: "one record a line, for other programs" },
  ],
  prints: async () => (await import("./view.ts")).detectionView,
  async run({ options }, io) {
    const { detectionView } = await import("./view.ts");
    const filter = {
      camera_id: options.cameraId,
      object_type: options.objectType,
      start_date: options.startDate,
      end_date: options.endDate,
      min_confidence: options.minConfidence,
      event_id: options.eventId,
    };
    const bodies = pages(options.limit, (page) => io.call("listDetections", { query: { ...filter, ...page } }));
    const count = await printList(io.output, bodies, (body) => body.items, detectionView);
    if (count === 0) await noteUnknownCameras(io, options.cameraId);
    return exitCodes.ok;
  },
});
