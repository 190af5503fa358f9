import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import { pluralize } from "../../src/base/text/format.ts";
import { bucketSizes } from "../../src/contract/constants.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { bars } from "../analytics/views.ts";
import { rowsCommand } from "../command-shapes.ts";
import { choice, idOf, list, text, withDefault } from "../input/options.ts";
import { noteUnknownCameras } from "../input/similar-id.ts";
import { periodSince } from "../input/time-options.ts";
import { localMinute } from "../output/terminal-format.ts";
import { fieldsOf, type RowView } from "../output/view.ts";

type Bucket = ReplyOf<"getEventTimeline">["buckets"][number];

const viewOf = (rows: readonly Bucket[]): RowView<Bucket> => ({
  plural: "buckets",
  fields: fieldsOf("getEventTimeline", "buckets"),
  id: ({ timestamp }) => timestamp.toISOString(),
  columns: [
    { title: "FROM", keep: true, cell: ({ timestamp }) => ({ text: localMinute(timestamp) }) },
    { title: "EVENTS", align: "right", keep: true, cell: ({ event_count }) => ({ text: String(event_count) }) },
    { title: "HIGHEST SCORE", align: "right", keep: true, cell: ({ max_risk_score: score }) => ({ text: String(score ?? "-") }) },
    bars(rows, ({ event_count }) => event_count),
  ],
});

export const timelineOfEvents = rowsCommand({
  name: "events timeline",
  summary: "Count events per hour, day or week",
  description: "Counts events per hour, day or week, with the highest risk score of each. Includes periods without events.",
  options: {
    ...periodSince("24h"),
    bucket_size: withDefault(choice(bucketSizes, "Period; weeks start on Monday"), "hour"),
    camera_id: idOf("cameraFilter", list("camera", "Only these cameras, by id or name, separated by commas")),
    timezone: text("zone", "Time zone, such as Europe/Berlin (default local)"),
  },
  examples: [
    { command: "homesec events timeline", note: "the last day per hour" },
    { command: "homesec events timeline --since 30d --bucket-size day", note: "which days were busy" },
    { command: "homesec events timeline --camera-id front-door -o csv", note: "as CSV" },
  ],
  view: viewOf,
  body(io, { options: { start_date, end_date = io.host.clock.now(), timezone = localTimeZone(), ...options } }) {
    return io.call("getEventTimeline", {
      query: { ...options, start_date: start_date.toISOString(), end_date: end_date.toISOString(), timezone },
    });
  },
  rows: (body) => body.buckets,
  async after(io, { total_events }, { options }) {
    io.output.note(pluralize(total_events, "event"));
    if (total_events === 0) await noteUnknownCameras(io, options.camera_id);
  },
});
