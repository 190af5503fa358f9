import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { Problem } from "../../contract/problem.ts";
import type { ruleRoutes } from "../../contract/routes/rules.ts";
import type { Rule, RuleDefinition } from "./rule.ts";

/** The fields of a rule as the user sent them; a field that was left out is undefined. */
export type RuleChange = Omit<z.output<typeof ruleRoutes.createRule.body>, "name"> & { readonly name?: string | undefined };

const defaults: Omit<RuleDefinition, "name"> = {
  enabled: true,
  kind: "event",
  severity: "medium",
  risk_threshold: null,
  object_types: null,
  camera_ids: null,
  zones: null,
  not_zones: null,
  min_size: null,
  min_confidence: null,
  schedule: null,
  modes: null,
  dedup_key_template: "{camera_id}:{rule_id}",
  cooldown_seconds: 300,
  channels: null,
  escalate: false,
  digest: false,
  immediate: false,
};

/** Returns the definition of a new rule. Throws `Problem("invalid")` for the same reasons as `changedDefinition`. */
export function newDefinition(given: RuleChange & { readonly name: string }): RuleDefinition {
  return changedDefinition({ ...defaults, name: given.name }, given);
}

/**
 * Applies changes to a definition; undefined fields keep their value, and an empty list of classes, cameras, zones or modes removes the condition.
 * Throws `Problem("invalid")` for a camera-health rule with a condition that no incident can meet, and for an immediate rule that could not
 * alert during a visit.
 */
export function changedDefinition(before: RuleDefinition, given: RuleChange): RuleDefinition {
  const pick = <K extends Exclude<keyof RuleDefinition, "schedule">>(key: K) =>
    given[key] === undefined ? before[key] : (given[key] as RuleDefinition[K]);
  const definition: RuleDefinition = {
    name: pick("name"),
    enabled: pick("enabled"),
    kind: pick("kind"),
    severity: pick("severity"),
    risk_threshold: pick("risk_threshold"),
    object_types: noneWhenEmpty(pick("object_types")),
    camera_ids: noneWhenEmpty(pick("camera_ids")),
    zones: noneWhenEmpty(pick("zones")),
    not_zones: noneWhenEmpty(pick("not_zones")),
    min_size: pick("min_size"),
    min_confidence: pick("min_confidence"),
    schedule: given.schedule === undefined ? before.schedule : given.schedule && { ...given.schedule, days: given.schedule.days ?? [] },
    modes: noneWhenEmpty(pick("modes")),
    dedup_key_template: pick("dedup_key_template"),
    cooldown_seconds: pick("cooldown_seconds"),
    channels: pick("channels"),
    escalate: pick("escalate"),
    digest: pick("digest"),
    immediate: pick("immediate"),
  };
  const unmeetable = (["risk_threshold", "object_types", "zones", "not_zones", "min_size", "min_confidence"] as const).find(
    (field) => definition[field] !== null,
  );
  if (definition.kind === "camera_health" && unmeetable) {
    throw new Problem(
      "invalid",
      `A rule of kind camera_health has no ${unmeetable}: an incident of a camera has neither score nor detections`,
      {
        items: [{ loc: ["body", unmeetable], msg: "Must be null in a rule of kind camera_health", type: "value_error" }],
      },
    );
  }
  refuseFutileImmediate(definition);
  return definition;
}

/** An immediate rule alerts before there is a score, and incidents of cameras are no visits. */
function refuseFutileImmediate({ immediate, kind, risk_threshold }: RuleDefinition): void {
  if (!immediate || (kind === "event" && risk_threshold === null)) return;
  const [field, reason] =
    kind === "event"
      ? (["risk_threshold", "an event has its score only after the visit. Remove the threshold, or set immediate to false"] as const)
      : (["kind", "an incident of a camera is no visit and alerts at once anyway. Set immediate to false"] as const);
  throw new Problem("invalid", `An immediate rule cannot have this ${field}: ${reason}`, {
    items: [{ loc: ["body", "immediate"], msg: `Must be false with this ${field}: ${reason}`, type: "value_error" }],
  });
}

/** Returns the part of a rule that the user defines. */
export function definitionOf({
  id: _id,
  version: _version,
  created_at: _created,
  updated_at: _updated,
  ...definition
}: Rule): RuleDefinition {
  return definition;
}

/** Tells whether two definitions are equal. */
export function sameDefinition(one: RuleDefinition, other: RuleDefinition): boolean {
  return isDeepStrictEqual(one, other);
}

function noneWhenEmpty(list: string[] | null): string[] | null {
  return list && list.length > 0 ? list : null;
}
