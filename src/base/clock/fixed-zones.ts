import { hourMs } from "./clock.ts";
import { offsetIn } from "./time-zone.ts";

/** Abbreviations that mean something else than the wall clock of the people who use them, and the zone that they mean. */
const meantBy: Readonly<Record<string, string>> = {
  EST: "America/New_York",
  MST: "America/Denver",
  AST: "America/Halifax",
  GMT: "Europe/London",
  BST: "Europe/London",
};

/** In winter and in summer of the northern half. */
const [january, july] = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)];

/**
 * Explains that a zone does not follow the clock on the wall, such as `EST`, which has no daylight saving time, and names the zone that was
 * probably meant: that of the machine if it fits. Undefined for a zone of a place, and for UTC.
 */
export function fixedZoneWarning(zone: string, machineZone: string): string | undefined {
  const name = zone.toUpperCase();
  const known = meantBy[name];
  if (known === undefined && !/^ETC\/GMT[+-]\d+$/.test(name)) return undefined;
  const [winter, summer] = [january, july].map(offsetIn(zone));
  const clock = `${zone} is ${offsetText(winter ?? 0)}${winter === summer ? " all year, without daylight saving time" : " in winter"}`;
  const isAlike = offsetIn(machineZone)(january) === (known === undefined ? winter : offsetIn(known)(january));
  const meant = isAlike && isPlace(machineZone) ? machineZone : known;
  return `${clock}; ${meant === undefined ? "write the name of a place, such as Europe/Berlin" : `if you mean the local clock, write ${meant}`}`;
}

/** Whether a zone is named after a place, and not itself one of those above. */
const isPlace = (zone: string): boolean => zone.includes("/") && !zone.toUpperCase().startsWith("ETC/");

function offsetText(offsetMs: number): string {
  const hours = Math.abs(offsetMs) / hourMs;
  if (hours === 0) return "the time of UTC";
  return `${hours} ${hours === 1 ? "hour" : "hours"} ${offsetMs < 0 ? "behind" : "ahead of"} UTC`;
}
