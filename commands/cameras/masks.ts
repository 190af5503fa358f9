import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Command } from "../command.ts";
import { actionCommand, rowsCommand } from "../command-shapes.ts";
import { idArgument } from "../input/arguments.ts";
import { idOf, text } from "../input/options.ts";
import { ago, exactly } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

type Mask = ReplyOf<"listMasks">["masks"][number];

const placeText = ({ box: { x, y, width, height } }: Mask): string =>
  [x, y, x + width, y + height].map((share) => Number(share.toFixed(2))).join(" ");

const stateOf = ({ doubtful_since }: Mask) =>
  doubtful_since === null ? ({ text: "certain", paint: "green" } as const) : ({ text: "doubtful", paint: "yellow" } as const);

export const maskView: View<Mask> = {
  plural: "masks",
  fields: fieldsOf("listMasks", "masks"),
  id: ({ id }) => id,
  columns: [
    { title: "ID", align: "right", keep: true, isId: true, cell: ({ id }) => ({ text: String(id) }) },
    { title: "CAMERA", keep: true, cell: ({ camera_id }) => ({ text: camera_id }) },
    { title: "CLASS", keep: true, cell: ({ object_type }) => ({ text: object_type }) },
    { title: "HIDDEN", align: "right", cell: ({ hidden_count }) => ({ text: String(hidden_count) }) },
    { title: "LAST", cell: ({ last_hidden_at }, terminal) => ({ text: ago(terminal, last_hidden_at) }) },
    { title: "STATE", cell: stateOf },
    { title: "LEFT TOP RIGHT BOTTOM", cell: (mask) => ({ text: placeText(mask) }) },
  ],
  details: (mask, terminal) => [
    ["mask", { text: String(mask.id), paint: "bold" }],
    ["camera", { text: mask.camera_id }],
    ["class", { text: mask.object_type }],
    ["box", { text: placeText(mask) }],
    ["hidden", { text: String(mask.hidden_count) }],
    ["state", stateOf(mask)],
    ["added", { text: exactly(terminal, mask.created_at) }],
  ],
};

export const maskCommands: readonly Command[] = [
  rowsCommand({
    name: "cameras masks list",
    summary: "List the places that are ignored, newest first",
    description: "Lists the masks that `homesec events ignore` made, with the number of detections that each has hidden.",
    options: { camera_id: idOf("camera", text("camera", "Only this camera, by id or name")) },
    examples: [{ command: "homesec cameras masks list", note: "what each of them has hidden" }],
    view: maskView,
    body: (io, { options: query }) => io.call("listMasks", { query }),
    rows: ({ masks }) => masks,
  }),
  actionCommand({
    name: "cameras masks remove",
    summary: "Remove a mask; what it hid stays hidden",
    arguments: { id: idArgument("Mask id") },
    examples: [{ command: "homesec cameras masks remove 3", note: "from now on, events are opened there again" }],
    async act(io, { arguments: params }) {
      await io.call("deleteMask", { params });
      return `mask ${params.id} removed`;
    },
  }),
];
