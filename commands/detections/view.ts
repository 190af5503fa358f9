import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { table } from "../output/table.ts";
import { ago, exactly, type TerminalFormat } from "../output/terminal-format.ts";
import { fieldsOf, type RowView, type View } from "../output/view.ts";

type Detection = ReplyOf<"getDetection">;
type Label = ReplyOf<"listDetectionLabels">["labels"][number];
type Stats = ReplyOf<"getDetectionStats">;
type FoundDetection = ReplyOf<"searchDetections">["items"][number];

const percent = (confidence: number): string => `${Math.round(confidence * 100)} %`;

function box({ bbox_x, bbox_y, bbox_width, bbox_height }: Detection): string {
  return bbox_x === null ? "" : `${bbox_width}x${bbox_height} at ${bbox_x},${bbox_y}`;
}

function noEvent({ parked_since }: Detection): string {
  return parked_since === null ? "none yet: the batch is open" : "none: it is parked";
}

export const detectionView: View<Detection> = {
  plural: "detections",
  fields: fieldsOf("getDetection"),
  id: (detection) => detection.id,
  columns: [
    { title: "ID", align: "right", keep: true, cell: (detection) => ({ text: String(detection.id) }) },
    { title: "WHEN", keep: true, cell: (detection, terminal) => ({ text: ago(terminal, detection.detected_at) }) },
    { title: "CAMERA", cell: (detection) => ({ text: detection.camera_id }) },
    { title: "OBJECT", keep: true, cell: (detection) => ({ text: detection.object_type }) },
    { title: "CONFIDENCE", align: "right", keep: true, cell: (detection) => ({ text: percent(detection.confidence) }) },
    { title: "EVENT", align: "right", keep: true, cell: (detection) => ({ text: String(detection.event_id ?? "") }) },
    { title: "PICTURE", cell: (detection) => ({ text: detection.file_path }) },
  ],
  details: (detection, terminal) => [
    ["detection", { text: String(detection.id), paint: "bold" }],
    ["object", { text: `${detection.object_type}, confidence ${percent(detection.confidence)}` }],
    ["camera", { text: detection.camera_id }],
    ["when", { text: exactly(terminal, detection.detected_at) }],
    ["box", { text: box(detection) }],
    ["event", { text: detection.event_id === null ? noEvent(detection) : String(detection.event_id) }],
    ...(detection.parked_since === null ? [] : [["parked since", { text: exactly(terminal, detection.parked_since) }] as const]),
    ["picture", { text: detection.file_path }],
  ],
};

export const foundDetectionView: RowView<FoundDetection> = {
  ...detectionView,
  fields: fieldsOf("searchDetections", "items"),
  columns: [
    ...detectionView.columns,
    { title: "RELEVANCE", align: "right", cell: (detection) => ({ text: percent(detection.relevance_score) }) },
  ],
};

export const labelView: RowView<Label> = {
  plural: "classes",
  fields: fieldsOf("listDetectionLabels", "labels"),
  id: ({ label }) => label,
  columns: [
    { title: "CLASS", keep: true, cell: ({ label }) => ({ text: label }) },
    { title: "DETECTIONS", align: "right", keep: true, cell: ({ count }) => ({ text: String(count) }) },
  ],
};

export const statsView: View<Stats> = {
  plural: "statistics",
  fields: fieldsOf("getDetectionStats"),
  id: ({ total_detections }) => total_detections,
  columns: [],
  details: ({ total_detections, average_confidence }) => [
    ["detections", { text: String(total_detections), paint: "bold" }],
    ["average confidence", { text: average_confidence === null ? "-" : percent(average_confidence) }],
  ],
  more: classesText,
};

function classesText({ object_class_distribution: classes }: Stats, terminal: TerminalFormat): string {
  if (classes.length === 0) return "";
  const heads = [
    { title: "CLASS", keep: true },
    { title: "DETECTIONS", align: "right" as const, keep: true },
  ];
  const rows = classes.map(({ object_class, count }) => [{ text: object_class }, { text: String(count) }]);
  return table(terminal, heads, rows);
}
