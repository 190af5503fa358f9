import type { Command } from "../command.ts";
import { listCommand, recordCommand, rowsCommand } from "../command-shapes.ts";
import { idArgument, textArgument } from "../input/arguments.ts";
import { idOf } from "../input/options.ts";
import { noteEmptySearch } from "../input/search-advice.ts";
import { noteUnknownCameras } from "../input/similar-id.ts";
import { deleteDetections } from "./delete.ts";
import { filterOptions, rangeOptions } from "./filter.ts";
import { saveDetectionImage } from "./image.ts";
import { detectionView, foundDetectionView, labelView, statsView } from "./view.ts";

export const commands: readonly Command[] = [
  listCommand({
    name: "detections list",
    summary: "List detections, newest first",
    options: filterOptions,
    examples: [
      { command: "homesec detections list --object-type dog,cat --since today", note: "today's animals" },
      { command: "homesec detections list --event-id 42", note: "the detections of an event" },
      { command: "homesec detections list --min-confidence 0.9 -o ndjson", note: "one JSON record per line" },
    ],
    view: detectionView,
    page: (io, { options }, page) => io.call("listDetections", { query: { ...options, ...page } }),
    rows: (body) => body.items,
    after: async (io, { options }, count) => (count === 0 ? await noteUnknownCameras(io, options.camera_id) : undefined),
  }),
  listCommand({
    name: "detections search",
    summary: "Search detections by class, camera, text and appearance",
    description:
      'Searches class, camera, text in the picture and appearance. All words must match; "words in quotes" match side by side; OR separates alternatives; -word excludes a word; word* matches any ending. Sorts by relevance, then newest first.',
    arguments: { query: textArgument("Search query") },
    options: filterOptions,
    examples: [
      { command: "homesec detections search 'dog garden'", note: "dogs at the garden camera" },
      { command: "homesec detections search 'truck OR bus -driveway' --since 7d", note: "the last week, without the driveway" },
      { command: "homesec detections search '\"red jacket\"'", note: "exact words from enrichment" },
    ],
    view: foundDetectionView,
    page: (io, { arguments: { query }, options }, page) => io.call("searchDetections", { query: { q: query, ...options, ...page } }),
    rows: (body) => body.items,
    async after(io, { arguments: { query }, options }, count) {
      if (count > 0 || (await noteUnknownCameras(io, options.camera_id))) return;
      await noteEmptySearch(io, {
        ...{ command: "detections search", noun: "detection", query },
        isFiltered: Object.values(options).some((value) => value !== undefined),
        async count(q, filtered) {
          const { pagination } = await io.call("searchDetections", { query: { q, ...(filtered && options), limit: 1 } });
          return pagination.total;
        },
      });
    },
  }),
  recordCommand({
    name: "detections show",
    summary: "Show one detection",
    arguments: { detection_id: idOf("detection", idArgument("Detection id")) },
    examples: [{ command: "homesec detections show 7", note: "its class, box and picture" }],
    view: detectionView,
    record: (io, { arguments: params }) => io.call("getDetection", { params }),
  }),
  rowsCommand({
    name: "detections labels",
    summary: "List all detected classes, most frequent first",
    examples: [
      { command: "homesec detections labels", note: "values for --object-type" },
      { command: "homesec detections labels -o id", note: "only the names" },
    ],
    view: labelView,
    body: (io) => io.call("listDetectionLabels", {}),
    rows: (body) => body.labels,
  }),
  recordCommand({
    name: "detections stats",
    summary: "Count detections by class",
    description: "Counts detections by class. JSON includes the daily counts of the last 30 days.",
    options: rangeOptions,
    examples: [
      { command: "homesec detections stats", note: "all detections" },
      { command: "homesec detections stats --camera-id yard --since 7d", note: "one camera, the last week" },
    ],
    view: statsView,
    record: (io, { options }) => io.call("getDetectionStats", { query: options }),
  }),
  saveDetectionImage,
  deleteDetections,
];
