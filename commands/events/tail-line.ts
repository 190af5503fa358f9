import { alertsText, scopeText } from "../../src/alerting/silences/silence.ts";
import type { JournalMessage } from "../../src/contract/live.ts";
import { localTime, paint, plain, riskPaint, statePaint, type TerminalFormat } from "../output/terminal-format.ts";

/** A message as one readable line, beginning with its time. */
export function tailLine(message: JournalMessage, terminal: TerminalFormat): string {
  const time = paint(terminal, "dim", localTime(message.timestamp).slice(11));
  return `${time}  ${sentence(message, terminal)}\n`;
}

function sentence(message: JournalMessage, terminal: TerminalFormat): string {
  const { type, data } = message;
  switch (type) {
    case "detection.new":
      return `${plain(data.camera_id)}: ${plain(data.object_type)} detected, confidence ${Math.round(data.confidence * 100)} %`;
    case "detection.batch":
      return `${plain(data.camera_id)}: batch of ${data.detection_count} detections closed (${closeReasons[data.close_reason]}), becomes event ${data.event_id}`;
    case "event":
      if (data.kind === "camera_health")
        return `${plain(data.camera_id)}: event ${data.id} ${paint(terminal, "yellow", plain(data.summary))}`;
      return `${plain(data.camera_id)}: event ${data.id} opened, ${plain(data.object_types.join(", "))}`;
    case "event.updated":
      if (data.kind === "camera_health") return `${plain(data.camera_id)}: event ${data.id}  ${plain(data.summary)}`;
      return `${plain(data.camera_id)}: event ${data.id} ${risk(data, terminal)}${data.summary === "" ? "" : `  ${plain(data.summary)}`}`;
    case "event.deleted":
      return `event ${data.id} deleted`;
    case "camera_status": {
      const reason = data.reason === null ? "" : ` (${plain(data.reason)})`;
      return `${plain(data.camera_id)}: camera is ${paint(terminal, statePaint(data.status), data.status)}${reason}`;
    }
    case "entity_discovered":
      return `${plain(data.camera_id)}: ${plain(data.object_type)} ${plain(data.entity_id)} seen for the first time`;
    case "scene_change":
      return `${plain(data.camera_id)}: ${paint(terminal, "yellow", data.change_type.replace("_", " "))}, similarity ${data.similarity_score.toFixed(2)}, scene change ${data.id}`;
    case "batch.analysis_started":
      return `${plain(data.camera_id)}: analysis of event ${data.event_id} started`;
    case "batch.analysis_completed":
      return `${plain(data.camera_id)}: event ${data.event_id} analysed, ${paint(terminal, riskPaint(data.risk_level), `${data.risk_level} ${data.risk_score}`)}`;
    case "batch.analysis_failed":
      return `${plain(data.camera_id)}: analysis of event ${data.event_id} ${paint(terminal, "red", "failed")}: ${plain(data.error)}`;
    case "alert_created":
    case "alert_delivered":
    case "alert_acknowledged":
    case "alert_dismissed":
      return `${plain(data.camera_id)}: alert ${paint(terminal, riskPaint(data.severity), data.severity)} ${alertVerbs[type]}, event ${data.event_id}, rule ${plain(data.alert_metadata.rule_name)}`;
    case "silence.started":
      return `${paint(terminal, "yellow", "silence")} of ${plain(scopeText(data))} until ${localTime(data.ends_at)}: ${plain(data.reason)}`;
    case "silence.ended":
      return `silence of ${plain(scopeText(data))} ended; it muted ${alertsText(data.held_back)}`;
    case "mode.changed": {
      const by = data.set_by === null ? "" : ` by ${plain(data.set_by)}`;
      const pending = data.pending === null ? "" : `, ${plain(data.pending.mode)} from ${localTime(data.pending.effective_at)}`;
      return `mode is ${paint(terminal, "yellow", plain(data.mode))}${by}${pending}`;
    }
    case "anomaly":
      return `${plain(data.camera_id)}: ${paint(terminal, "yellow", "unusual")}: ${plain(data.reason)}`;
    case "infrastructure_alert": {
      const urgent = data.severity.toLowerCase() === "critical" ? "red" : "yellow";
      const state = data.status === "firing" ? paint(terminal, urgent, plain(data.severity)) : paint(terminal, "green", "resolved");
      const more = data.summary === "" ? data.description : data.summary;
      return `${plain(data.component)}: ${plain(data.alertname)} ${state}${more === "" ? "" : `  ${plain(more)}`}`;
    }
    case "worker_status": {
      const state = data.running ? "running" : "stopped";
      return `${plain(data.name)} is ${paint(terminal, statePaint(state), state)}${data.message === null ? "" : ` (${plain(data.message)})`}`;
    }
    case "circuit_breaker":
      return `${plain(data.name)}: breaker is ${paint(terminal, data.state === "closed" ? "green" : "yellow", data.state)}`;
    default:
      return type satisfies never;
  }
}

const closeReasons = { window: "timeout", idle: "idle timeout", full: "full" } as const;

const alertVerbs = {
  alert_created: "raised",
  alert_delivered: "delivered",
  alert_acknowledged: "acknowledged",
  alert_dismissed: "dismissed",
} as const;

type Event = Extract<JournalMessage, { type: "event.updated" }>["data"];

function risk(event: Event, terminal: TerminalFormat): string {
  if (event.risk_score === null) return event.analysis_status === "failed" ? "could not be analysed" : "is not analysed yet";
  return paint(terminal, riskPaint(event.risk_level), `${event.risk_level} ${event.risk_score}`);
}
