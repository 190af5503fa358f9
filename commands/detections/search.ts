import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { integer, list, number, rowLimit, time } from "../input/options.ts";
import { printList } from "../output/output.ts";
import { pages } from "../output/pages.ts";

export const searchDetections = defineCommand({
  name: "detections search",
  summary: "Find detections by class, camera, what is written in the picture and how it looks",
  description:
    'Words must all be found; "words in quotes" side by side; OR between alternatives; -word for what must not be there; a * at the end stands for any ending. The most relevant come first, then the newest.',
  arguments: { query: textArgument("What to look for") },
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
    { command: "homesec detections search 'dog garden'", note: "dogs at the camera of the garden" },
    { command: "homesec detections search 'truck OR bus -driveway' --start-date -7d", note: "of the last week, but not at the driveway" },
    { command: "homesec detections search '\"red jacket\"'", note: "what enrichment read, word by word" },
  ],
  prints: async () => (await import("./view.ts")).foundDetectionView,
  async run({ arguments: { query }, options }, io) {
    const { foundDetectionView } = await import("./view.ts");
    const asked = {
      q: query,
      camera_id: options.cameraId,
      object_type: options.objectType,
      start_date: options.startDate,
      end_date: options.endDate,
      min_confidence: options.minConfidence,
      event_id: options.eventId,
    };
    const bodies = pages(options.limit, (page) => io.call("searchDetections", { query: { ...asked, ...page } }));
    await printList(io.output, bodies, (body) => body.items, foundDetectionView);
    return exitCodes.ok;
  },
});
