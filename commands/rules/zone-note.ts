import { fixedZoneWarning } from "../../src/base/clock/fixed-zones.ts";
import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import { pluralize } from "../../src/base/text/format.ts";
import type { Io } from "../io.ts";

/** A rule as far as its hours matter. */
interface Scheduled {
  readonly name: string;
  readonly schedule: { readonly timezone: string } | null;
}

/** Notes zones of schedules that do not follow the clock on the wall, such as EST: half of the year the rule is an hour off. */
export function noteFixedZones(io: Pick<Io, "output">, rules: readonly Scheduled[]): void {
  const zones = new Map<string, string[]>();
  for (const { name, schedule } of rules) {
    if (schedule) zones.set(schedule.timezone, [...(zones.get(schedule.timezone) ?? []), name]);
  }
  for (const [zone, names] of zones) {
    const warning = fixedZoneWarning(zone, localTimeZone());
    if (warning !== undefined) io.output.note(`schedule of ${names.length === 1 ? names[0] : pluralize(names.length, "rule")}: ${warning}`);
  }
}
