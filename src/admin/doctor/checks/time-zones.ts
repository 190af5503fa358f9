import type { Schedule } from "../../../alerting/rules/rule.ts";
import { allRules } from "../../../alerting/rules/rules-repository.ts";
import { describeSchedule } from "../../../alerting/rules/schedule.ts";
import { dayMs } from "../../../base/clock/durations.ts";
import { offsetIn } from "../../../base/clock/time-zone.ts";
import { shellWord } from "../../../base/text/shell-word.ts";
import { type Check, finding, ok } from "../check.ts";
import { listed } from "../wording.ts";

/** Countries change their rules every few years. */
const yearsGood = 3;
const halfYearMs = 182 * dayMs;

const timeZone: Check = {
  id: "time-zone",
  group: "program",
  title: "Time zone",
  severity: "warning",
  finds: "TZ names a zone that does not exist: local times are those of UTC",
  remedy: "Correct TZ, or remove it so that the zone of the machine counts",
  run: ({ machine: { zoneVariable, timeZone } }) => {
    const given = zoneVariable?.replace(/^:/, "") ?? "";
    if (given === "" || given.startsWith("/") || isZone(given)) return ok(timeZone);
    return finding(
      `TZ=${given} is no time zone: logs, the daily cleanup and mails use ${timeZone}`,
      "Set TZ to a name such as Europe/Berlin, or remove it (unset TZ) so that the zone of the machine counts",
    );
  },
};

/** Also POSIX's own form, `CET-1CEST`, which Node.js takes as well. */
function isZone(name: string): boolean {
  if (/^[A-Za-z]{3,}[-+]?\d/.test(name)) return true;
  try {
    offsetIn(name)(0);
    return true;
  } catch {
    return false;
  }
}

/** Whether a zone shows the time of UTC in summer and in winter. */
function isLikeUtc(zone: string, now: number): boolean {
  if (!isZone(zone)) return true;
  const offset = offsetIn(zone);
  return offset(now) === 0 && offset(now + halfYearMs) === 0;
}

const zoneData: Check = {
  id: "time-zone-data",
  group: "program",
  title: "Time-zone data",
  severity: "warning",
  finds: "The rules of the time zones that this Node.js carries are missing, or more than three years old",
  remedy: "Install a newer Node.js",
  run: ({ machine: { zoneDataVersion }, clock }) => {
    const remedy = "Install the current long-term version of Node.js: the data comes with it";
    const year = Number(/^\d{4}/.exec(zoneDataVersion ?? "")?.[0] ?? Number.NaN);
    if (zoneDataVersion === undefined || Number.isNaN(year)) {
      return finding("This Node.js carries no time zones: schedules of rules cannot be judged", remedy, "error");
    }
    if (clock.now().getUTCFullYear() - year <= yearsGood) return ok(zoneDataVersion);
    return finding(`The time zones of this Node.js are those of ${zoneDataVersion}: clock changes since then are not known`, remedy);
  },
};

const ruleZones: Check = {
  id: "rule-time-zones",
  group: "rules",
  title: "Time zones of rules",
  severity: "warning",
  finds: "The hours of a rule are those of UTC, while the machine lives by another zone: probably nobody named one",
  remedy: "Name the zone in the schedule of the rule",
  async run(examination) {
    const own = examination.machine.timeZone;
    const rules = await (await examination.rows()).query(allRules);
    const timed = rules.filter(({ enabled, schedule }) => enabled && schedule?.start_time);
    if (isLikeUtc(own, examination.clock.now().getTime())) return ok(`this machine lives by ${own}`);
    const forgotten = timed.filter(({ schedule }) => schedule?.timezone === "UTC");
    if (forgotten.length === 0) return ok(timed.length === 0 ? "no rule has hours" : "every rule with hours names its zone");
    return finding(
      `${listed(forgotten.map(({ name }) => `"${name}"`))}: the hours are those of UTC, and this machine lives by ${own}`,
      listed(
        forgotten.map(
          ({ name, schedule }) =>
            `homesec rules edit ${shellWord(name)} and write schedule: ${describeSchedule({ ...(schedule as Schedule), timezone: own })}`,
        ),
        3,
      ),
    );
  },
};

export const timeZoneChecks: readonly Check[] = [timeZone, zoneData];
export const ruleZoneChecks: readonly Check[] = [ruleZones];
