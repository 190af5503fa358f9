import type { alertStatuses, analysisStatuses, severities } from "../../contract/constants.ts";
import type { EventOverview, SentSummary } from "../../contract/outbound-events.ts";

/** The facts about an alert that a notification may contain. */
export interface AlertFacts {
  readonly alertId: string;
  readonly status: (typeof alertStatuses)[number];
  readonly severity: (typeof severities)[number];
  readonly dedupKey: string;
  readonly ruleName: string;
  readonly matchedConditions: readonly string[];
  readonly raisedAt: Date;
  /** Seconds between the end of the event and the alert, if that is long; otherwise null. */
  readonly lateSeconds: number | null;
  readonly cameraId: string;
  readonly cameraName: string;
  readonly eventId: number;
  /** The batch that became the event; null for other events. */
  readonly trace: string | null;
  readonly eventKind: "event" | "camera_health";
  /** When the incident ended; null while it lasts, and for an event that is no incident. */
  readonly incidentEndedAt: Date | null;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly analysisStatus: (typeof analysisStatuses)[number];
  readonly riskScore: number | null;
  readonly riskLevel: string | null;
  readonly summary: string;
  readonly reasoning: string;
  /** The visit goes on. Absent: no. */
  readonly isOngoing?: boolean;
  /** The alert was raised during the visit. Absent: no. */
  readonly isImmediate?: boolean;
  /** Detected objects: those that the rule names first, then by confidence. `detectionId` is the detection of the first one. */
  readonly objectTypes: readonly string[];
  readonly detectionId: number | null;
  /** The zones that any of its detections is in. Absent: none. */
  readonly zones?: readonly string[];
}

/** An event that raised no alert during the cooldown of an earlier one. */
export type HeldBackEvent = Pick<
  AlertFacts,
  "eventId" | "cameraId" | "cameraName" | "eventKind" | "startedAt" | "analysisStatus" | "riskScore" | "riskLevel" | "summary"
>;

/** The events that an alert's cooldown held back: their count, and the riskiest ones by time. */
export interface HeldBack {
  readonly count: number;
  readonly events: readonly HeldBackEvent[];
}

/** Another alert about the same event, which one message reports too. */
export interface JoinedAlert extends Pick<AlertFacts, "alertId" | "ruleName" | "severity" | "matchedConditions"> {
  /** Its own notification. */
  readonly notificationId: string;
}

/** The facts about an ended silence that a notification may contain. */
export interface SilenceFacts {
  readonly silenceId: string;
  readonly cameraId: string | null;
  readonly cameraName: string | null;
  readonly ruleId: string | null;
  readonly ruleName: string | null;
  readonly reason: string;
  readonly startedAt: Date;
  /** The planned end; `endedAt` is earlier when a person ended it. */
  readonly endsAt: Date;
  readonly endedAt: Date;
}

/** The alerts that a silence hid, or that waited for the hours of a recipient: their count, and the riskiest ones by time, each with the rule that would have raised it. */
export interface SilencedAlerts {
  readonly count: number;
  readonly events: readonly (HeldBackEvent & { readonly ruleName: string })[];
}

/** The facts about the open alerts that were held back for a recipient. */
export interface CatchUpFacts {
  readonly catchUpId: string;
  readonly recipient: string;
  /** When the first of them was raised, and when the message was made. */
  readonly since: Date;
  readonly until: Date;
  readonly cameras: readonly string[];
  /** The highest severity. */
  readonly severity: AlertFacts["severity"];
}

interface Sent {
  /** The same for each attempt, so that a receiver recognises a repeated message. */
  readonly notificationId: string;
  readonly createdAt: Date;
  /** The sentence that explains a delay. */
  readonly late: string | undefined;
  /** What happened in the events of the message, by id, as in every message of a webhook; undefined for mails and a test. */
  readonly events?: ReadonlyMap<number, EventOverview> | undefined;
}

/** The content of a notification about an alert. */
export interface AlertMessage extends Sent {
  readonly alert: AlertFacts;
  /** The alerts of other rules about the same event. */
  readonly joined: readonly JoinedAlert[];
  /** A test of the channel, which is about no event. */
  readonly isTest?: true;
  /** The events that a digest lists; undefined for other kinds. */
  readonly heldBack: HeldBack | undefined;
  /** For the end of an incident, the notification that reported its beginning. */
  readonly endOf?: string | undefined;
  /** For the update of an immediate alert, the notification that reported the alert. */
  readonly updateOf?: string | undefined;
  /** Says that no one has acknowledged the alert, for a repeat or after an escalation. */
  readonly reminder?: string | undefined;
  readonly silence?: undefined;
  readonly summary?: undefined;
  readonly catchUp?: undefined;
}

/** The content of a notification about an ended silence. */
export interface SilenceMessage extends Sent {
  readonly silence: SilenceFacts;
  readonly heldBack: SilencedAlerts;
  readonly alert?: undefined;
  readonly joined?: undefined;
  readonly endOf?: undefined;
  readonly updateOf?: undefined;
  readonly summary?: undefined;
  readonly catchUp?: undefined;
}

/** The content of a notification to a recipient whose hours have begun. */
export interface CatchUpMessage extends Sent {
  readonly catchUp: CatchUpFacts;
  readonly heldBack: SilencedAlerts;
  readonly alert?: undefined;
  readonly joined?: undefined;
  readonly endOf?: undefined;
  readonly updateOf?: undefined;
  readonly silence?: undefined;
  readonly summary?: undefined;
}

/** The content of a notification about a day. */
export interface SummaryMessage extends Sent {
  readonly summary: SentSummary;
  readonly alert?: undefined;
  readonly joined?: undefined;
  readonly heldBack?: undefined;
  readonly endOf?: undefined;
  readonly updateOf?: undefined;
  readonly silence?: undefined;
  readonly catchUp?: undefined;
}

/** The content of a notification. */
export type Message = AlertMessage | SilenceMessage | SummaryMessage | CatchUpMessage;
