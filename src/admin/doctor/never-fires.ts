import { evaluate } from "../../alerting/rules/evaluate.ts";
import type { Rule } from "../../alerting/rules/rule.ts";
import { isWithin } from "../../alerting/rules/schedule.ts";
import { minuteMs } from "../../base/clock/durations.ts";

/** What the rules are judged by: everything that events can be here. */
export interface Possible {
  readonly now: Date;
  /** Ids of the cameras that are not deleted. */
  readonly cameraIds: readonly string[];
  /** Classes that the detector can find. */
  readonly classes: readonly string[];
  /** The highest score that was given lately; undefined when too few events were judged to say. */
  readonly highestScore: number | undefined;
}

/** Two weeks have each weekday twice, so that one that is changed by the clocks does not decide alone. */
const minutesAhead = 14 * 24 * 60;

/**
 * Why an enabled rule can never raise an alert; undefined when it can. The gravest event that is possible here is judged by the very
 * code that judges events: every class at once, surest, with the highest score, at a camera of the rule, at a time of its schedule.
 */
export function whyNever(rule: Rule, { now, cameraIds, classes }: Omit<Possible, "highestScore">): string | undefined {
  const storedAt = isZoneUnknown(rule) ? now : momentWithin(rule, now);
  if (storedAt === undefined) return "no minute lies within its schedule";
  if (cameraIds.length === 0) return "there is no camera";
  const isEvent = rule.kind === "event";
  const verdicts = cameraIds.map((cameraId) =>
    evaluate(rule, {
      eventId: 0,
      kind: rule.kind,
      cameraId,
      riskScore: isEvent ? 100 : null,
      storedAt,
      objects: isEvent ? classes.map((objectType) => ({ objectType, confidence: 1 })) : [],
    }),
  );
  if (verdicts.some(({ matches }) => matches)) return undefined;
  const gone = (rule.camera_ids ?? []).filter((id) => !cameraIds.includes(id));
  if (gone.length > 0 && gone.length === rule.camera_ids?.length)
    return `${gone.length === 1 ? "its camera" : "none of its cameras"} ${gone.length === 1 ? `${gone[0]} does not exist` : `(${gone.join(", ")}) exists`}`;
  const unseen = (rule.object_types ?? []).filter((type) => !classes.includes(type.toLowerCase()));
  if (isEvent && unseen.length > 0 && unseen.length === rule.object_types?.length)
    return `the detector never finds ${unseen.join(" or ")}, only ${classes.join(", ")}`;
  return `its conditions exclude each other: ${verdicts[0]?.failedConditions.join(", ")}`;
}

/** What of a rule that can fire is probably not meant; undefined when nothing is. */
export function whySeldom(rule: Rule, { cameraIds, classes, highestScore }: Possible): string | undefined {
  if (isZoneUnknown(rule)) return `its time zone ${rule.schedule?.timezone} is not known to this Node.js, so it alerts at any time`;
  const gone = (rule.camera_ids ?? []).filter((id) => !cameraIds.includes(id));
  if (gone.length > 0) return `its camera ${gone.join(", ")} does not exist any more`;
  const unseen = (rule.object_types ?? []).filter((type) => !classes.includes(type.toLowerCase()));
  if (unseen.length > 0) return `the detector never finds ${unseen.join(" or ")}`;
  if (rule.risk_threshold !== null && highestScore !== undefined && highestScore < rule.risk_threshold) {
    return `no event of the last 30 days was scored ${rule.risk_threshold}: the highest was ${highestScore}`;
  }
  return undefined;
}

function isZoneUnknown({ schedule }: Rule): boolean {
  try {
    if (schedule) isWithin(schedule, new Date(0));
    return false;
  } catch (error) {
    if (error instanceof RangeError) return true;
    throw error;
  }
}

/** The next minute that is within the schedule of a rule, as the rules see it; now without one. */
function momentWithin({ schedule }: Rule, now: Date): Date | undefined {
  if (schedule === null) return now;
  for (let minute = 0; minute < minutesAhead; minute += 1) {
    const at = new Date(now.getTime() + minute * minuteMs);
    if (isWithin(schedule, at)) return at;
  }
  return undefined;
}
