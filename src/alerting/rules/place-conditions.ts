import type { Point } from "../../contract/polygon.ts";
import { type Area, zonesAt } from "../../monitoring/zones/zone.ts";
import { mostConfident, type ObjectSeen, type PlacedObject, type RuleDefinition, type RuleFacts } from "./rule.ts";

/** Boxes are whole pixels, so a share that is smaller by less than this is the same. */
const sameSize = 1e-6;

type PlaceConditions = Pick<RuleDefinition, "zones" | "not_zones" | "min_size">;

/** Tells whether a rule has a condition on the place or the size of a detection. */
export function hasPlace({ zones, not_zones, min_size }: PlaceConditions): boolean {
  return zones !== null || not_zones !== null || min_size !== null;
}

/** The outcome of the conditions on place and size. */
export interface PlaceVerdict {
  readonly matched: readonly string[];
  readonly failed: readonly string[];
  /** The detections that meet all of them; after a failure, those that met the conditions before it. */
  readonly remaining: readonly ObjectSeen[];
}

/**
 * Evaluates where the detections of these classes are and how tall. One detection must meet all conditions together. Where the place of a
 * detection is unknown, a condition counts as holding: better one alert too many than a missed one.
 */
export function judgePlace(rule: PlaceConditions, facts: RuleFacts, classes: readonly ObjectSeen[]): PlaceVerdict {
  const names = new Set(classes.map(({ objectType }) => objectType));
  let remaining = (facts.placed ?? []).filter(({ objectType }) => names.has(objectType));
  const matched: string[] = [];
  const failed: string[] = [];
  for (const condition of conditionsOf(rule, facts)) {
    const holding = remaining.filter(condition.holds);
    const known = holding.filter((seen) => !condition.isUnknown(seen));
    const best = mostConfident(remaining);
    if (holding.length === 0) failed.push(condition.failure(best));
    else {
      remaining = holding;
      matched.push(known.length > 0 ? condition.wanted : `place of the detection unknown, so ${condition.wanted} counts as holding`);
    }
  }
  return { matched, failed, remaining };
}

interface Condition {
  readonly wanted: string;
  readonly holds: (seen: PlacedObject) => boolean;
  readonly isUnknown: (seen: PlacedObject) => boolean;
  /** The failed condition for the most confident detection. */
  readonly failure: (best: PlacedObject | undefined) => string;
}

function conditionsOf({ zones, not_zones, min_size }: PlaceConditions, facts: RuleFacts): readonly Condition[] {
  return [
    ...(zones === null ? [] : [insideOf(zones, facts)]),
    ...(not_zones === null ? [] : [outsideOf(not_zones, facts)]),
    ...(min_size === null ? [] : [atLeast(min_size)]),
  ];
}

function insideOf(names: readonly string[], { zones = [], cameraId }: RuleFacts): Condition {
  const areas = named(zones, names);
  const wanted = names.join(" or ");
  return {
    wanted: `zone in [${names.join(", ")}]`,
    // A camera without such a zone sees nothing in it
    holds: ({ feet }) => areas.length > 0 && (feet === null || zonesAt(areas, feet).length > 0),
    isUnknown: ({ feet }) => feet === null,
    failure: (best) => {
      if (areas.length === 0) return `no zone ${wanted} at ${cameraId}`;
      return best?.feet ? `feet at ${placeText(best.feet)}: not in ${wanted}` : `no detection in ${wanted}`;
    },
  };
}

function outsideOf(names: readonly string[], { zones = [] }: RuleFacts): Condition {
  const areas = named(zones, names);
  return {
    wanted: `zone not in [${names.join(", ")}]`,
    holds: ({ feet }) => feet === null || zonesAt(areas, feet).length === 0,
    isUnknown: ({ feet }) => feet === null && areas.length > 0,
    failure: (best) =>
      best?.feet
        ? `feet at ${placeText(best.feet)}: in ${zonesAt(areas, best.feet).join(" and ")}`
        : `no detection outside ${names.join(" and ")}`,
  };
}

function atLeast(share: number): Condition {
  return {
    wanted: `size >= ${shareText(share)}`,
    holds: ({ height }) => height === null || height >= share - sameSize,
    isUnknown: ({ height }) => height === null,
    failure: (best) =>
      best?.height == null
        ? `no detection with a size >= ${shareText(share)}`
        : `size ${shareText(best.height)} of ${best.objectType} < ${shareText(share)}`,
  };
}

/** Names are compared without case. */
function named(zones: readonly Area[], names: readonly string[]): readonly Area[] {
  return zones.filter(({ name }) => names.some((wanted) => wanted.toLowerCase() === name.toLowerCase()));
}

function placeText({ x, y }: Point): string {
  return `${x.toFixed(2)}, ${y.toFixed(2)}`;
}

function shareText(share: number): string {
  return String(Number(share.toFixed(4)));
}
