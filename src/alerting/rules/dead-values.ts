import { objectTypes } from "../../contract/constants.ts";
import { objectTypeOf } from "../../monitoring/detector-model/class-names.ts";
import { nearest } from "../../platform/config/nearest.ts";
import type { RuleChange } from "./definition.ts";

/**
 * One sentence for each value of a rule that can never match or send anything: a class that no detector reports, and the channel `push` without
 * a channel to phones. The interface accepts both, so the API logs them.
 */
export function deadValues(
  { object_types, channels }: Pick<RuleChange, "object_types" | "channels">,
  { hasPhones }: { readonly hasPhones: boolean },
): readonly string[] {
  return [
    ...classFaults(object_types ?? []).map((fault) => `object_types: ${fault}`),
    ...(channels?.includes("push") && !hasPhones
      ? ["channels: push sends nothing until you add a channel to phones: homesec channels add"]
      : []),
  ];
}

/** One sentence for each class that no detector reports, with the class that was probably meant. */
export function classFaults(names: readonly string[]): readonly string[] {
  const unknown = names.filter((name) => !objectTypes.some((type) => type === name.toLowerCase()));
  return unknown.map((name) => {
    const meant = objectTypeOf(name) ?? nearest(name, objectTypes);
    return `no detector reports ${name}; ${meant === undefined ? `the classes are ${objectTypes.join(", ")}` : `did you mean ${meant}?`}`;
  });
}

/** One sentence for each zone that no camera has, with the zone that was probably meant. `known`: the names of all zones. */
export function zoneFaults(names: readonly string[], known: readonly string[]): readonly string[] {
  const unknown = names.filter((name) => !known.some((zone) => zone.toLowerCase() === name.toLowerCase()));
  return unknown.map((name) => {
    const meant = nearest(name, known);
    const zones = [...new Set(known)].join(", ") || "none";
    return `no camera has a zone ${name}; ${meant === undefined ? `the zones are ${zones}` : `did you mean ${meant}?`}`;
  });
}
