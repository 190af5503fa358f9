import { notFound } from "../../src/contract/problem.ts";
import { changeCommand, type Target } from "../change-command.ts";
import { idArgument } from "../input/arguments.ts";
import { confirm } from "../input/confirm.ts";
import { idOf } from "../input/options.ts";
import type { Io } from "../io.ts";
import { pages } from "../output/pages.ts";
import { withoutDetails } from "../output/view.ts";
import { type DetectionFilter, filterOptions } from "./filter.ts";
import { detectionView } from "./view.ts";

async function* targetsOf(io: Io, filter: DetectionFilter): AsyncGenerator<readonly Target<number>[]> {
  const bodies = pages(Number.MAX_SAFE_INTEGER, (page) => io.call("listDetections", { query: { ...filter, ...page } }));
  for await (const { items } of bodies) yield items.map(({ id, camera_id, detected_at }) => ({ id, camera_id, at: detected_at }));
}

const consequence = "This cannot be undone; their pictures stay.";

export const deleteDetections = changeCommand({
  name: "detections delete",
  summary: "Delete a detection, or all matching ones, for good",
  description:
    "Deletes a detection and its thumbnail; the original picture stays. Its event stays too and counts what is left. With --all it counts the detections that match the filters, asks, and deletes them. This cannot be undone.",
  examples: [
    { command: "homesec detections delete 7", note: "asks for confirmation" },
    { command: "homesec detections delete --all --camera-id yard --object-type cat --since 24h", note: "the cats of a day" },
    { command: "homesec detections delete --all --event-id 42 --yes", note: "in a script" },
  ],
  noun: "detection",
  argument: idOf("detection", idArgument("Detection id")),
  options: {},
  filters: filterOptions,
  view: withoutDetails(detectionView),
  async one(io, id, options) {
    const detection = await io.call("getDetection", { params: { detection_id: id } });
    const { object_type, camera_id } = detection;
    await confirm(io, options, `Delete detection ${id} (${object_type}, ${camera_id})? This cannot be undone; its picture stays.`);
    const { failed } = await io.call("deleteDetections", { body: { detection_ids: [id] } });
    if (failed > 0) throw notFound("Detection", id);
    return detection;
  },
  note: ({ id }) => `detection ${id} deleted`,
  targets: targetsOf,
  question: (what) => `Delete ${what}? ${consequence}`,
  perRequest: 100,
  some: async (io, ids) => (await io.call("deleteDetections", { body: { detection_ids: [...ids] } })).results,
  done: (count) => `${count} deleted`,
});
