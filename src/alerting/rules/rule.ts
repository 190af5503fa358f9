import type { z } from "zod";
import type { eventKinds } from "../../contract/routes/events.ts";
import type { channels, Rule as RuleRecord, Schedule as ScheduleRecord, severities } from "../../contract/routes/rules.ts";

/** An alert rule as clients see it. */
export type Rule = z.output<typeof RuleRecord>;
export type Schedule = z.output<typeof ScheduleRecord>;
export type EventKind = (typeof eventKinds)[number];
export type Severity = (typeof severities)[number];
export type Channel = (typeof channels)[number];

/** What a person decides about a rule, as opposed to what homesec notes of it: what a version of it consists of. */
export type RuleDefinition = Omit<Rule, "id" | "version" | "created_at" | "updated_at">;

/** What a rule judges: all that it may know of an event. */
export interface RuleFacts {
  readonly eventId: number;
  readonly kind: EventKind;
  readonly cameraId: string;
  /** Null: not judged yet, or the judgement failed. */
  readonly riskScore: number | null;
  /** When the event was stored; the schedule is judged by it. Of an incident that is looked at again: now. */
  readonly storedAt: Date;
  /** Each class once, with the highest confidence that it was seen with. */
  readonly objects: readonly ObjectSeen[];
}

export interface ObjectSeen {
  readonly objectType: string;
  /** 0 to 1. */
  readonly confidence: number;
}

/** What a rule says of an event. Each condition that is set stands in exactly one of the two lists. */
export interface RuleVerdict {
  readonly matches: boolean;
  /** Such as `risk_score >= 70`. */
  readonly matchedConditions: readonly string[];
  /** What was instead, such as `risk_score 40 < 70`. */
  readonly failedConditions: readonly string[];
  /** The class of the most confident detection that satisfies the rule; null without one. */
  readonly objectType: string | null;
}
