import { pluralize } from "../../src/base/text/format.ts";
import { ranges } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { maskView } from "../cameras/masks.ts";
import { recordCommand } from "../command-shapes.ts";
import { idArgument } from "../input/arguments.ts";
import { confirm, yesOption } from "../input/confirm.ts";
import { canAsk } from "../input/dialogue.ts";
import { idOf, integer } from "../input/options.ts";
import { ago, plain } from "../output/terminal-format.ts";

type FullEvent = ReplyOf<"getEvent">;

export const ignoreSpot = recordCommand({
  name: "events ignore",
  summary: "Ignore detections of a class at the place of one in an event",
  description:
    "Makes a mask for the class and the place of a detection: from now on, detections of this class in about the same box open no events and alerts. They are stored and counted; `homesec detections list --hidden` shows them. First it shows what the mask would have hidden in the last 30 days, and asks.",
  arguments: { event_id: idOf("event", idArgument("Event id")) },
  options: {
    detection: idOf("detection", integer("id", ...ranges.id, "Detection whose place to ignore (default the only one)")),
    ...yesOption,
  },
  examples: [
    { command: "homesec events ignore 42", note: "a bush that looks like a person" },
    { command: "homesec events ignore 42 --detection 7 --yes", note: "in a script" },
  ],
  view: maskView,
  async record(io, { arguments: params, options }) {
    const event = await io.call("getEvent", { params });
    const detection_id = detectionOf(event, options.detection);
    const tried = await io.call("tryMask", { params: { detection_id } });
    const { object_type, camera_id, detection_count, event_count, days, examples } = tried;
    const would = plain(
      `A mask for ${object_type} at this place of ${camera_id} would have hidden ${pluralize(detection_count, "detection")} of the last ${days} days, and ${pluralize(event_count, "event")}.`,
    );
    if (canAsk(io.host)) {
      for (const { id, event_id, detected_at } of examples)
        io.output.note(plain(`detection ${id} of event ${event_id ?? "-"}, ${ago(io.output.terminal, detected_at)}`));
    }
    if (options.yes) io.output.note(would);
    await confirm(io, options, `${would} Ignore it from now on?`);
    return await io.call("createMask", { params: { detection_id } });
  },
  note: ({ id }) => `mask ${id} added; \`homesec cameras masks remove ${id}\` ends it`,
});

function detectionOf({ id, detections }: FullEvent, given: number | undefined): number {
  const ids = detections.map((detection) => `${detection.id} (${detection.object_type})`).slice(0, 20);
  if (given !== undefined) {
    if (detections.some((detection) => detection.id === given)) return given;
    throw new Problem("not_found", `Event ${id} has no detection ${given}; it has ${ids.join(", ") || "none"}`);
  }
  const [only, ...others] = detections;
  if (!only) throw new Problem("not_found", `Event ${id} has no detections`);
  if (others.length > 0) throw new Problem("invalid", `event ${id} has several detections; give one with --detection: ${ids.join(", ")}`);
  return only.id;
}
