import type { Command } from "../command.ts";
import { listCommand, recordCommand } from "../command-shapes.ts";
import { textArgument } from "../input/arguments.ts";
import { classes } from "../input/classes.ts";
import { idOf, list } from "../input/options.ts";
import { period } from "../input/time-options.ts";
import { entityDetailsView, entityView } from "./view.ts";

export const commands: readonly Command[] = [
  listCommand({
    name: "entities list",
    summary: "List people and objects seen before, newest first",
    options: {
      object_type: classes("Only these classes, such as person,dog"),
      camera_id: idOf("cameraFilter", list("camera", "Only seen by these cameras, by id or name, separated by commas")),
      ...period("Only last seen since this time, such as 24h", "Only first seen until this time; a date includes its day"),
    },
    examples: [
      { command: "homesec entities list --object-type person --since today", note: "who was here today" },
      { command: "homesec entities list --camera-id front-door -o ndjson", note: "one JSON record per line" },
    ],
    view: entityView,
    page: (io, { options }, page) => io.call("listEntities", { query: { ...options, ...page } }),
    rows: (body) => body.items,
  }),
  recordCommand({
    name: "entities show",
    summary: "Show one entity, its cameras and its latest detections",
    arguments: { entity_id: idOf("entity", textArgument("Entity id, or its start")) },
    examples: [{ command: "homesec entities show 3f0c7a52-8f0e-4a35-9d0b-6a8f0f6f5f11", note: "where and when it was seen" }],
    view: entityDetailsView,
    record: (io, { arguments: params }) => io.call("getEntity", { params }),
  }),
];
