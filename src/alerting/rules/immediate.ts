import { createTtlCache } from "../../base/async/ttl-cache.ts";
import type { Clock } from "../../base/clock/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { WakeNote } from "../../work/jobs/wakes-repository.ts";
import { isSet, ofTypes, sameConfidence } from "./conditions.ts";
import type { ObjectSeen, Rule, RuleDefinition } from "./rule.ts";
import { enabledRules } from "./rules-repository.ts";

/** Every process sees a change of the rules after this time at the latest, and its own changes at once. */
const rulesForMs = 1_000;

/** Whether a rule is evaluated while a visit goes on. */
export function isImmediate(rule: Pick<RuleDefinition, "immediate" | "kind" | "risk_threshold">): boolean {
  return rule.immediate && rule.kind === "event" && rule.risk_threshold === null;
}

/**
 * Tells by camera, class and confidence whether a rule may match detections that were just found in one picture. Schedule, mode and place
 * are evaluated later, with everything that is stored of the visit.
 */
export function mayMatch(
  rule: Pick<RuleDefinition, "camera_ids" | "object_types" | "min_confidence">,
  { cameraId, objects }: { readonly cameraId: string; readonly objects: readonly ObjectSeen[] },
): boolean {
  if (isSet(rule.camera_ids) && !rule.camera_ids.includes(cameraId)) return false;
  const listed = isSet(rule.object_types) ? ofTypes(objects, rule.object_types) : objects;
  const least = (rule.min_confidence ?? 0) - sameConfidence;
  return listed.some(({ confidence }) => confidence >= least);
}

/** The immediate rules, cached. */
export interface ImmediateRules {
  /** Returns the enabled immediate rules. Rejects with `DatabaseUnavailable` if they are not cached and the database is unreachable. */
  current(): Promise<readonly Rule[]>;
}

/** Caches the immediate rules of a database, so that pictures cost nothing in a home that has none. */
export function createImmediateRules({ db, clock }: { readonly db: Database; readonly clock: Clock }): ImmediateRules {
  const cache = createTtlCache<readonly Rule[]>();
  const read = async () => (await db.query(enabledRules)).filter(isImmediate);
  db.onCommitted((note) => (note as WakeNote) === "rules" && cache.forget(db));
  return { current: () => cache.current(db, clock.monotonic(), rulesForMs, read) };
}
