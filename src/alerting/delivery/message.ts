import type { alertStatuses, analysisStatuses, severities } from "../../contract/constants.ts";

/** What a notification can say about an alert. */
export interface AlertFacts {
  readonly alertId: string;
  readonly status: (typeof alertStatuses)[number];
  readonly severity: (typeof severities)[number];
  readonly dedupKey: string;
  readonly ruleName: string;
  readonly matchedConditions: readonly string[];
  readonly raisedAt: Date;
  readonly cameraId: string;
  readonly cameraName: string;
  readonly eventId: number;
  /** The batch that the event was made of; null for one that was not. */
  readonly trace: string | null;
  readonly eventKind: "event" | "camera_health";
  /** When the incident was over; null for one that lasts, and for an event that is none. */
  readonly incidentEndedAt: Date | null;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly analysisStatus: (typeof analysisStatuses)[number];
  readonly riskScore: number | null;
  readonly riskLevel: string | null;
  readonly summary: string;
  readonly reasoning: string;
  /** What was seen, the most confident first; the first one's picture is shown. */
  readonly objectTypes: readonly string[];
  readonly detectionId: number | null;
}

/** An event that raised no alert since another one had been raised shortly before. */
export interface HeldBackEvent {
  readonly eventId: number;
  readonly cameraId: string;
  readonly cameraName: string;
  readonly eventKind: AlertFacts["eventKind"];
  readonly startedAt: Date;
  readonly analysisStatus: (typeof analysisStatuses)[number];
  readonly riskScore: number | null;
  readonly riskLevel: string | null;
  readonly summary: string;
}

/** What was held back under an alert's cooldown: how much, and the riskiest of it in the order of time. */
export interface HeldBack {
  readonly count: number;
  readonly events: readonly HeldBackEvent[];
}

/** What a notification can say about a silence that is over. */
export interface SilenceFacts {
  readonly silenceId: string;
  readonly cameraId: string | null;
  readonly cameraName: string | null;
  readonly ruleId: string | null;
  readonly ruleName: string | null;
  readonly reason: string;
  readonly startedAt: Date;
  /** When it was set to end, and when it did. */
  readonly endsAt: Date;
  readonly endedAt: Date;
}

/** What a silence hid: how many alerts, and the riskiest of them in the order of time, each with the rule that would have raised it. */
export interface SilencedAlerts {
  readonly count: number;
  readonly events: readonly (HeldBackEvent & { readonly ruleName: string })[];
}

/** What every notification has. */
interface Sent {
  /** The same for each attempt: a receiver can tell a repetition by it. */
  readonly notificationId: string;
  readonly createdAt: Date;
  /** Why it goes out late, where it does. */
  readonly late: string | undefined;
}

/** What a notification of an alert is to say. */
export interface AlertMessage extends Sent {
  readonly alert: AlertFacts;
  /** It was asked for by a person who tries a channel, and is about no event. */
  readonly isTest?: true;
  /** For a digest: what it lists. */
  readonly heldBack: HeldBack | undefined;
  /** For the end of an incident: the notification that told of its beginning. */
  readonly endOf?: string | undefined;
  readonly silence?: undefined;
}

/** What the notification of a silence that is over is to say. */
export interface SilenceMessage extends Sent {
  readonly silence: SilenceFacts;
  readonly heldBack: SilencedAlerts;
  readonly alert?: undefined;
  readonly endOf?: undefined;
}

/** What a notification is to say. */
export type Message = AlertMessage | SilenceMessage;
