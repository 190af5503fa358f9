import { conditionText } from "../../src/alerting/rules/condition-words.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { ago, exactly, type Paint, paint, plain, riskPaint, type TerminalFormat } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

type Alert = ReplyOf<"getAlert">;

const statePaints: Readonly<Record<Alert["status"], Paint>> = {
  pending: "yellow",
  delivered: "red",
  acknowledged: "green",
  dismissed: "dim",
};

export const alertView: View<Alert> = {
  plural: "alerts",
  fields: fieldsOf("getAlert"),
  id: (alert) => alert.id,
  columns: [
    { title: "ID", keep: true, isId: true, cell: (alert) => ({ text: alert.id }) },
    { title: "WHEN", keep: true, cell: (alert, terminal) => ({ text: ago(terminal, alert.created_at) }) },
    { title: "SEVERITY", cell: (alert) => ({ text: alert.severity, paint: riskPaint(alert.severity) }) },
    { title: "STATUS", cell: (alert) => ({ text: alert.status, paint: statePaints[alert.status] }) },
    { title: "CAMERA", cell: (alert) => ({ text: alert.camera_id }) },
    { title: "EVENT", align: "right", cell: (alert) => ({ text: String(alert.event_id) }) },
    { title: "RULE", cell: (alert) => ({ text: alert.alert_metadata.rule_name }) },
  ],
  details: (alert, terminal) => [
    ["alert", { text: alert.id, paint: "bold" }],
    ["rule", { text: `${alert.alert_metadata.rule_name}${alert.rule_id === null ? " (deleted)" : ""}` }],
    ["severity", { text: alert.severity, paint: riskPaint(alert.severity) }],
    ["status", { text: statusText(alert), paint: statePaints[alert.status] }],
    ["camera", { text: alert.camera_id }],
    ["event", { text: String(alert.event_id) }],
    ["raised", { text: exactly(terminal, alert.created_at) }],
    ["delivered", { text: exactly(terminal, alert.delivered_at) }],
    ...(alert.acknowledged_at ? [["acknowledged", { text: exactly(terminal, alert.acknowledged_at) }] as const] : []),
    ...(alert.dismissed_at ? [["dismissed", { text: exactly(terminal, alert.dismissed_at) }] as const] : []),
    ...(alert.alert_metadata.closed_by === undefined ? [] : [["by", { text: alert.alert_metadata.closed_by }] as const]),
    ["because", { text: alert.alert_metadata.matched_conditions.map(conditionText).join(", ") || "every event raises one" }],
    ["dedup key", { text: alert.dedup_key }],
  ],
  more: channelsText,
};

function statusText({ status, alert_metadata: { reason } }: Alert): string {
  return reason !== null && (status === "pending" || status === "dismissed") ? `${status}: ${reason}` : status;
}

function channelsText({ alert_metadata: { channels } }: Alert, terminal: TerminalFormat): string {
  return channels
    .map(({ channel, status, reason, attempts, late }) => {
      const colour = ({ sent: "green", waiting: "yellow" } as const)[status as "sent"] ?? "red";
      const tries = attempts > 1 ? `, ${attempts} attempts` : "";
      return `${channel}: ${paint(terminal, colour, status)}${late && status === "sent" ? " late" : ""}${tries}${reason === null ? "" : `  ${plain(reason)}`}\n`;
    })
    .join("");
}
