import type { ModeState } from "../../alerting/modes/mode.ts";
import type { Severity } from "../../alerting/rules/rule.ts";
import type { CameraStatus } from "../../monitoring/cameras/camera.ts";
import type { PrivateParts } from "../../monitoring/cameras/cameras-repository.ts";
import type { RiskLevel } from "../../monitoring/events/event.ts";

/** What MQTT says of a camera, as the database has it. */
export interface CameraNow {
  readonly id: string;
  readonly name: string;
  readonly status: CameraStatus;
  readonly reason: string | null;
  readonly lastSeenAt: Date | null;
  /** Time of the newest recent detection of each class; parked and masked objects do not count. */
  readonly seen: Readonly<Record<string, Date>>;
  /** Classes that it has ever seen, in order. */
  readonly classes: readonly string[];
  readonly event: {
    readonly id: number;
    readonly startedAt: Date;
    readonly endedAt: Date;
    readonly riskScore: number | null;
    readonly riskLevel: RiskLevel | null;
    readonly summary: string;
    readonly objectTypes: readonly string[];
  } | null;
  /** The detection whose picture is shown; null without one. */
  readonly pictureOf: number | null;
  /** Its private zones, which are black in the picture. */
  readonly privateParts: PrivateParts;
  /** End of the silence that mutes all its alerts; null without one. */
  readonly silencedUntil: Date | null;
}

/** Alerts that no one has acknowledged or dismissed. */
export interface OpenAlerts {
  readonly count: number;
  readonly highest: Severity | null;
  /** The newest alert of severity high or critical that is not held back. */
  readonly gravestSince: Date | null;
  /** Until when an alert waits for the entry delay; null if none does. */
  readonly heldUntil: Date | null;
  readonly newest: {
    readonly id: string;
    readonly eventId: number;
    readonly cameraId: string;
    readonly severity: Severity;
    readonly ruleName: string;
    readonly createdAt: Date;
  } | null;
}

/** What MQTT says of the home, as the database has it. */
export interface HomeNow {
  readonly mode: ModeState;
  /** Names of all modes. */
  readonly modes: readonly string[];
  readonly alerts: OpenAlerts;
  /** End of the silence that mutes all alerts; null without one. */
  readonly silencedUntil: Date | null;
  readonly cameras: readonly CameraNow[];
  /** Ids of deleted cameras. */
  readonly deletedCameras: readonly string[];
}
