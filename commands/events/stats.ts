import { riskLevels } from "../../src/contract/constants.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { recordCommand } from "../command-shapes.ts";
import { idOf, list } from "../input/options.ts";
import { noteUnknownCameras } from "../input/similar-id.ts";
import { period } from "../input/time-options.ts";
import { table } from "../output/table.ts";
import { riskPaint, type TerminalFormat } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

type Stats = ReplyOf<"getEventStats">;

const view: View<Stats> = {
  plural: "statistics",
  fields: fieldsOf("getEventStats"),
  id: ({ total_events }) => total_events,
  columns: [],
  details: ({ total_events, events_by_risk_level: levels, unscored_events }) => [
    ["events", { text: String(total_events), paint: "bold" }],
    ...riskLevels
      .toReversed()
      .map((level) => [level, { text: String(levels[level]), paint: levels[level] === 0 ? ("dim" as const) : riskPaint(level) }] as const),
    ["no score", { text: String(unscored_events) }],
  ],
  more: camerasText,
};

function camerasText({ events_by_camera: cameras }: Stats, terminal: TerminalFormat): string {
  if (cameras.length === 0) return "";
  const heads = [{ title: "CAMERA", keep: true }, { title: "NAME" }, { title: "EVENTS", align: "right" as const, keep: true }];
  const rows = cameras.map(({ camera_id, camera_name, event_count }) => [
    { text: camera_id },
    { text: camera_name },
    { text: String(event_count) },
  ]);
  return table(terminal, heads, rows);
}

export const statsOfEvents = recordCommand({
  name: "events stats",
  summary: "Count events by risk level and camera",
  options: {
    camera_id: idOf("cameraFilter", list("camera", "Only these cameras, by id or name, separated by commas")),
    ...period(),
  },
  examples: [
    { command: "homesec events stats", note: "all events" },
    { command: "homesec events stats --since 7d", note: "the last week" },
  ],
  view,
  record: (io, { options: query }) => io.call("getEventStats", { query }),
  after: async (io, { total_events }, { options }) => (total_events === 0 ? await noteUnknownCameras(io, options.camera_id) : undefined),
});
