import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { detectionView } from "../detections/view.ts";
import { type Cell, table } from "../output/table.ts";
import { ago, exactly, paint, plain, riskPaint, type TerminalFormat } from "../output/terminal-format.ts";
import { fieldsOf, type RowView, type View } from "../output/view.ts";

type Event = ReplyOf<"listEvents">["items"][number];
type FoundEvent = ReplyOf<"searchEvents">["items"][number];
type EventWithDetections = ReplyOf<"getEvent">;

/** `high 72`, or why there is no score. */
function risk(event: Event): Cell {
  if (event.kind === "camera_health") return { text: "camera", paint: "yellow" };
  if (event.risk_score !== null) return { text: `${event.risk_level} ${event.risk_score}`, paint: riskPaint(event.risk_level) };
  if (event.ongoing) return { text: "going on", paint: "cyan" };
  return { text: event.analysis_status === "failed" ? "analysis failed" : "not analysed", paint: "dim" };
}

const seconds = (event: Event): string => `${Math.round((event.ended_at.getTime() - event.started_at.getTime()) / 1000)} s`;

export const eventView: View<Event> = {
  plural: "events",
  fields: fieldsOf("listEvents", "items"),
  id: (event) => event.id,
  columns: [
    { title: "ID", align: "right", keep: true, cell: (event) => ({ text: String(event.id) }) },
    { title: "WHEN", keep: true, cell: (event, terminal) => ({ text: ago(terminal, event.started_at) }) },
    { title: "CAMERA", cell: (event) => ({ text: event.camera_id }) },
    { title: "RISK", keep: true, cell: risk },
    { title: "OBJECTS", cell: (event) => ({ text: event.object_types.join(", ") }) },
    { title: "SUMMARY", cell: (event) => ({ text: event.pinned ? `[pinned] ${event.summary}` : event.summary }) },
  ],
  details: (event, terminal) => [
    ["event", { text: String(event.id), paint: "bold" }],
    ["camera", { text: event.camera_id }],
    ["started", { text: exactly(terminal, event.started_at) }],
    ...(event.kind === "camera_health" ? [["summary", { text: event.summary }] as const] : detectionLines(event)),
    ["reviewed", { text: event.reviewed ? "yes" : "no" }],
    ["notes", { text: event.notes }],
    ...(event.pinned_at ? [["pinned", { text: pinText(event.pinned_at, event.pinned_by, terminal) }] as const] : []),
  ],
};

const pinText = (at: Date, by: string | null | undefined, terminal: TerminalFormat): string =>
  `${by ? `by ${by}, ` : ""}${exactly(terminal, at)}`;

/** Lines of a detection event. A camera incident has no detections or score, and its summary says how long it lasted. */
function detectionLines(event: Event): readonly (readonly [string, Cell])[] {
  return [
    [event.ongoing ? "going on" : "lasted", { text: event.ongoing ? `since ${seconds(event)}` : seconds(event) }],
    ["risk", risk(event)],
    ["objects", { text: event.object_types.join(", ") || "nothing" }],
    ["summary", { text: event.summary }],
    ["reasoning", { text: event.reasoning }],
    ["analysed by", { text: event.analyzed_by ?? (event.risk_score === null ? "not yet" : "imported") }],
  ];
}

export const eventWithDetectionsView: View<EventWithDetections> = {
  ...eventView,
  fields: fieldsOf("getEvent"),
  more: (event, terminal) => factors(event, terminal) + shown(event) + detections(event, terminal),
};

function shown({ shown_detection_ids: ids, analyzed_by }: EventWithDetections): string {
  if (ids.length === 0) return "";
  return `${plain(analyzed_by ?? "The model")} saw the ${ids.length === 1 ? "picture of detection" : "pictures of detections"} ${ids.join(", ")}.\n\n`;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** A search excerpt as plain text, without HTML markup. */
function withoutMarkup(html: string): string {
  return html.replace(/<\/?mark>/g, "").replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? "");
}

export const foundEventView: RowView<FoundEvent> = {
  ...eventView,
  fields: fieldsOf("searchEvents", "items"),
  columns: [
    ...eventView.columns.filter(({ title }) => title !== "SUMMARY"),
    { title: "MATCH", cell: (event) => ({ text: withoutMarkup(event.highlight ?? event.summary) }) },
  ],
};

function factors(event: Event, terminal: TerminalFormat): string {
  const lines = event.risk_factors.map(({ name, contribution, detail }) => {
    const points = `${contribution > 0 ? "+" : ""}${contribution}`;
    return `  ${points.padStart(5)}  ${plain(name)}${detail === undefined ? "" : paint(terminal, "dim", `  ${plain(detail)}`)}\n`;
  });
  return lines.length === 0 ? "" : `${paint(terminal, "bold", "Risk factors")}\n${lines.join("")}\n`;
}

function detections(event: EventWithDetections, terminal: TerminalFormat): string {
  if (event.detections.length === 0) return "";
  const { columns } = detectionView;
  return table(
    terminal,
    columns,
    event.detections.map((detection) => columns.map((column) => column.cell(detection, terminal))),
  );
}
