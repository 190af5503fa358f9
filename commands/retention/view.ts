import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { table } from "../output/table.ts";
import { sizeText, type TerminalFormat } from "../output/terminal-format.ts";
import { type Column, fieldsOf, type RowView, type View } from "../output/view.ts";

type Rule = ReplyOf<"listRetention">["rules"][number];
type Share = NonNullable<ReplyOf<"cleanUp">["by_rule"]>[number];

const scopeText = ({ camera_id, risk_level }: Pick<Rule, "camera_id" | "risk_level">): string =>
  camera_id === null && risk_level === null ? "everything else" : [camera_id ?? "all cameras", risk_level ?? []].flat().join(", ");

/** `365 d`, with a star where RETENTION_DAYS decides. */
const daysText = (own: number | null, effective: number): string => `${effective} d${own === null ? " *" : ""}`;

export const retentionView: RowView<Rule> & View<Rule> = {
  plural: "retention rules",
  fields: fieldsOf("listRetention", "rules"),
  id: ({ id }) => id,
  columns: [
    { title: "ID", align: "right", keep: true, cell: ({ id }) => ({ text: String(id) }) },
    { title: "CAMERA", keep: true, cell: ({ camera_id }) => ({ text: camera_id ?? "all" }) },
    { title: "SEVERITY", keep: true, cell: ({ risk_level }) => ({ text: risk_level ?? "all" }) },
    { title: "EVENTS", align: "right", cell: ({ event_days, effective }) => ({ text: daysText(event_days, effective.event_days) }) },
    {
      title: "ORIGINALS",
      align: "right",
      cell: ({ original_days, effective }) => ({ text: daysText(original_days, effective.original_days) }),
    },
    {
      title: "THUMBNAILS",
      align: "right",
      cell: ({ thumbnail_days, effective }) => ({ text: daysText(thumbnail_days, effective.thumbnail_days) }),
    },
  ],
  details: (rule) => [
    ["rule", { text: String(rule.id), paint: "bold" }],
    ["for", { text: scopeText(rule) }],
    ["events", { text: daysText(rule.event_days, rule.effective.event_days) }],
    ["originals", { text: daysText(rule.original_days, rule.effective.original_days) }],
    ["thumbnails", { text: daysText(rule.thumbnail_days, rule.effective.thumbnail_days) }],
  ],
};

const shareColumns: readonly Column<Share>[] = [
  { title: "RULE", keep: true, cell: (share) => ({ text: scopeText(share) }) },
  { title: "KEEPS", cell: (share) => ({ text: `${share.event_days}/${share.original_days}/${share.thumbnail_days} d` }) },
  { title: "EVENTS", align: "right", cell: ({ events }) => ({ text: String(events) }) },
  { title: "ORIGINALS", align: "right", cell: ({ images }) => ({ text: String(images) }) },
  { title: "THUMBNAILS", align: "right", cell: ({ thumbnails }) => ({ text: String(thumbnails) }) },
  { title: "FILES", align: "right", cell: ({ bytes }) => ({ text: sizeText(bytes) }) },
];

/** What each rule would delete; nothing without rules. */
export function sharesTable({ by_rule: shares }: ReplyOf<"cleanUp">, terminal: TerminalFormat): string {
  if (!shares || shares.length <= 1) return "";
  return table(
    terminal,
    shareColumns,
    shares.map((share) => shareColumns.map((column) => column.cell(share, terminal))),
  );
}
