import { durationText } from "../../src/base/text/format.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { rowsCommand } from "../command-shapes.ts";
import { idOf, list } from "../input/options.ts";
import { periodSince } from "../input/time-options.ts";
import { localTime } from "../output/terminal-format.ts";
import type { RowView } from "../output/view.ts";

type Gap = ReplyOf<"listPictureGaps">["cameras"][number]["gaps"][number] & { readonly camera_id: string };

const view: RowView<Gap> = {
  plural: "gaps",
  fields: () => ["camera_id", "started_at", "ended_at", "ongoing"],
  id: ({ camera_id }) => camera_id,
  columns: [
    { title: "CAMERA", keep: true, cell: ({ camera_id }) => ({ text: camera_id }) },
    { title: "FROM", keep: true, cell: ({ started_at }) => ({ text: localTime(started_at) }) },
    {
      title: "TO",
      keep: true,
      cell: ({ ended_at, ongoing }) => (ongoing ? { text: "no picture since", paint: "yellow" } : { text: localTime(ended_at) }),
    },
    {
      title: "LENGTH",
      align: "right",
      cell: ({ started_at, ended_at }) => ({ text: durationText(ended_at.getTime() - started_at.getTime()) }),
    },
  ],
};

export const listGaps = rowsCommand({
  name: "cameras gaps",
  summary: "List the times without pictures, per camera",
  description:
    "Lists when a camera sent no picture for longer than its usual rhythm allows. A camera that uploads at irregular times, such as on motion, has a gap only after a day. At most 31 days.",
  options: {
    camera_id: idOf("cameraFilter", list("camera", "Only these cameras, by id or name, separated by commas")),
    ...periodSince("24h"),
  },
  examples: [
    { command: "homesec cameras gaps", note: "the last 24 hours" },
    { command: "homesec cameras gaps --since 7d --camera-id front-door", note: "one camera in the last week" },
  ],
  view,
  body: async (io, { options: { start_date, end_date = io.host.clock.now(), camera_id } }) =>
    await io.call("listPictureGaps", { query: { start_date, end_date, camera_id } }),
  rows: ({ cameras }) => cameras.flatMap(({ camera_id, gaps }) => gaps.map((gap) => ({ camera_id, ...gap }))),
});
