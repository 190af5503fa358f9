import type { z } from "zod";
import type { eventKinds, severities } from "../../contract/constants.ts";
import type { Point } from "../../contract/polygon.ts";
import type { Rule as RuleRecord, Schedule as ScheduleRecord } from "../../contract/routes/rules.ts";
import type { Area } from "../../monitoring/zones/zone.ts";
import type { ModeAt } from "../modes/mode.ts";

/** An alert rule as clients see it. */
export type Rule = z.output<typeof RuleRecord>;
export type Schedule = z.output<typeof ScheduleRecord>;
export type EventKind = (typeof eventKinds)[number];
export type Severity = (typeof severities)[number];
/** How a rule names a channel: `email`, `webhook`, `push`, or the name of a channel to phones. */
export type Channel = string;

/** The part of a rule that the user defines, without the fields that homesec sets. A version of a rule is one such definition. */
export type RuleDefinition = Omit<Rule, "id" | "version" | "created_at" | "updated_at">;

/** The facts of an event that rules evaluate. */
export interface RuleFacts {
  readonly eventId: number;
  readonly kind: EventKind;
  readonly cameraId: string;
  /** Null if the event is not analysed yet, or the analysis failed. */
  readonly riskScore: number | null;
  /** When the event began and ended. */
  readonly startedAt: Date;
  readonly endedAt: Date;
  /** When the event was stored. For an open incident that is evaluated again: now. */
  readonly storedAt: Date;
  /** The mode of the home that the event counts for. */
  readonly mode: ModeAt;
  /** Each class once, with its highest confidence. */
  readonly objects: readonly ObjectSeen[];
  /** Every detection with its place. Absent where no rule has a condition on places. */
  readonly placed?: readonly PlacedObject[];
  /** The zones of the camera, if `placed` is given. */
  readonly zones?: readonly Area[];
}

/** A detection and where it is. */
export interface PlacedObject extends ObjectSeen {
  /** The middle of the lower edge of its box; null without a box, or if the size of the picture is unknown. */
  readonly feet: Point | null;
  /** Height of the box as a share of the picture's; null if unknown. */
  readonly height: number | null;
}

export interface ObjectSeen {
  readonly objectType: string;
  /** 0 to 1. */
  readonly confidence: number;
}

/** The result of evaluating a rule for an event. Each condition that is set appears in exactly one of the two lists. */
export interface RuleVerdict {
  readonly matches: boolean;
  /** Such as `risk_score >= 70`. */
  readonly matchedConditions: readonly string[];
  /** States the actual value, such as `risk_score 40 < 70`. */
  readonly failedConditions: readonly string[];
  /** Class of the most confident detection that satisfies the rule; null if there is none. */
  readonly objectType: string | null;
}

/** Values for the names in a dedup key template. */
export interface DedupKeyValues {
  readonly camera_id: string;
  readonly rule_id: string;
  readonly object_type: string | null;
  readonly severity: string;
}

const placeholder = /\{([a-z_]+)\}/g;

/**
 * Renders the dedup key of an alert: `{camera_id}:{rule_id}` with the names replaced. An event without a matching detection has the
 * object type `none`. The template was validated when the rule was saved (contract/routes/rules.ts).
 */
export function dedupKey(template: string, values: DedupKeyValues): string {
  return template.replace(placeholder, (text, name: string) =>
    Object.hasOwn(values, name) ? (values[name as keyof DedupKeyValues] ?? "none") : text,
  );
}

/** Among equal confidences the first class by name wins, so that the result does not depend on the order. */
export function mostConfident<T extends ObjectSeen>(objects: readonly T[]): T | undefined {
  let best: T | undefined;
  for (const seen of objects) {
    const isBetter =
      !best || seen.confidence > best.confidence || (seen.confidence === best.confidence && seen.objectType < best.objectType);
    if (isBetter) best = seen;
  }
  return best;
}
