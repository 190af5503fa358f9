import type { z } from "zod";
import type { Alert } from "../../alerting/alerts/alert.ts";
import type { JournalType } from "../../contract/live.ts";
import { MqttAlertEvent, MqttCameraEvent } from "../../contract/mqtt.ts";
import { Alert as AlertRecord } from "../../contract/routes/alerts.ts";
import { Event as EventRecord } from "../../contract/routes/events.ts";
import type { Event } from "../../monitoring/events/event.ts";
import type { StateSettings } from "./states.ts";
import { wire } from "./states.ts";
import { topicsBelow } from "./topics.ts";

/** Types of journal entries that `EventMessages` needs. */
export const toldTypes: ReadonlySet<string> = new Set([
  "event",
  "event.updated",
  "batch.analysis_completed",
  "alert_created",
  "alert_acknowledged",
  "alert_dismissed",
] satisfies JournalType[]);

/** A message that is published once, as it happens. */
export interface EventMessage {
  readonly topic: string;
  readonly payload: string;
}

type LinkSettings = Pick<StateSettings, "prefix" | "linkOf">;

/**
 * Turns entries of the journal into messages. An event's score comes in two entries, the updated event and the end of its analysis; other
 * updates, such as notes, are no news.
 */
export class EventMessages {
  #updated: Event | undefined;

  /** Returns the message for the next entry, undefined for entries that MQTT does not tell. */
  next({ type, data }: { readonly type: string; readonly data: unknown }, settings: LinkSettings): EventMessage | undefined {
    switch (type) {
      case "event":
        return aboutEvent(EventRecord.decode(data as z.input<typeof EventRecord>), settings, "stored");
      case "event.updated":
        this.#updated = EventRecord.decode(data as z.input<typeof EventRecord>);
        return undefined;
      case "batch.analysis_completed": {
        const { event_id } = data as { readonly event_id: number };
        return this.#updated?.id === event_id ? aboutEvent(this.#updated, settings, "scored") : undefined;
      }
      case "alert_created":
        return aboutAlert(AlertRecord.decode(data as z.input<typeof AlertRecord>), settings, "raised");
      case "alert_acknowledged":
        return aboutAlert(AlertRecord.decode(data as z.input<typeof AlertRecord>), settings, "acknowledged");
      case "alert_dismissed":
        return aboutAlert(AlertRecord.decode(data as z.input<typeof AlertRecord>), settings, "dismissed");
      default:
        return undefined;
    }
  }
}

function aboutEvent(event: Event, { prefix, linkOf }: LinkSettings, what: "stored" | "scored"): EventMessage {
  const payload = {
    event_type: event.kind === "camera_health" ? ("health" as const) : what,
    camera_id: event.camera_id,
    event_id: event.id,
    started_at: event.started_at,
    ended_at: event.ended_at,
    object_types: event.object_types,
    risk_score: event.risk_score,
    risk_level: event.risk_level,
    summary: event.summary,
    url: linkOf(event.id),
  };
  return { topic: topicsBelow(prefix).camera(event.camera_id).event, payload: wire(MqttCameraEvent, payload) };
}

function aboutAlert(alert: Alert, { prefix, linkOf }: LinkSettings, what: MqttAlertEvent["event_type"]): EventMessage {
  const payload = {
    event_type: what,
    alert_id: alert.id,
    event_id: alert.event_id,
    camera_id: alert.camera_id,
    severity: alert.severity,
    rule_name: alert.alert_metadata.rule_name,
    status: alert.status,
    created_at: alert.created_at,
    by: alert.alert_metadata.closed_by ?? null,
    url: linkOf(alert.event_id),
  };
  return { topic: topicsBelow(prefix).alert, payload: wire(MqttAlertEvent, payload) };
}
