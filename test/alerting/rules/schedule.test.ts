import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Schedule } from "../../../src/alerting/rules/rule.ts";
import { describeSchedule, isWithin } from "../../../src/alerting/rules/schedule.ts";
import { weekdays } from "../../../src/base/clock/calendar.ts";
import { scheduleWith } from "./rule-values.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const weekMinutes = 7 * 1440;

describe("schedule", () => {
  const night = { start_time: "22:00", end_time: "06:00", timezone: "Europe/Berlin" };
  const friday = scheduleWith({ ...night, days: ["friday"] });
  it.each<[string, Schedule, string, boolean]>([
    ["takes its start in", scheduleWith({ start_time: "09:00", end_time: "17:00" }), "2026-03-02T09:00:00Z", true],
    ["leaves its end out", scheduleWith({ start_time: "09:00", end_time: "17:00" }), "2026-03-02T17:00:00Z", false],
    ["takes the last moment before its end in", scheduleWith({ start_time: "09:00", end_time: "17:00" }), "2026-03-02T16:59:59.999Z", true],
    ["counts in its own zone", scheduleWith(night), "2026-03-02T21:00:00Z", true],
    ["counts in its own zone", scheduleWith(night), "2026-03-02T20:59:00Z", false],
    ["over midnight belongs to the day on which it starts", friday, "2026-03-07T04:59:00Z", true],
    ["over midnight ends on the day after", friday, "2026-03-07T05:00:00Z", false],
    ["over midnight does not begin on the day before", friday, "2026-03-06T03:00:00Z", false],
    ["without times is a whole day", scheduleWith({ days: ["sunday"] }), "2026-03-01T23:59:59Z", true],
    ["without times ends with its day", scheduleWith({ days: ["sunday"] }), "2026-03-02T00:00:00Z", false],
    ["without anything is always", scheduleWith(), "1969-12-31T23:59:00Z", true],
    [
      "with the same start and end is 24 hours",
      scheduleWith({ days: ["monday"], start_time: "18:00", end_time: "18:00" }),
      "2026-03-03T17:59:00Z",
      true,
    ],
    [
      "with the same start and end is no more than 24 hours",
      scheduleWith({ days: ["monday"], start_time: "18:00", end_time: "18:00" }),
      "2026-03-03T18:00:00Z",
      false,
    ],
    // The clock jumps from 02:00 to 03:00.
    [
      "that starts in the hour left out begins with the change",
      scheduleWith({ ...night, start_time: "02:30" }),
      "2026-03-29T01:00:00Z",
      true,
    ],
    [
      "that starts in the hour left out is not there before",
      scheduleWith({ ...night, start_time: "02:30" }),
      "2026-03-29T00:59:00Z",
      false,
    ],
    // And back from 03:00 to 02:00.
    ["holds in both of the hours that are shown twice", scheduleWith({ ...night, end_time: "02:30" }), "2026-10-25T00:29:00Z", true],
    ["holds in both of the hours that are shown twice", scheduleWith({ ...night, end_time: "02:30" }), "2026-10-25T01:29:00Z", true],
    ["ends in both of the hours that are shown twice", scheduleWith({ ...night, end_time: "02:30" }), "2026-10-25T00:30:00Z", false],
  ])("%s", (_what, schedule, at, expected) => {
    expect(isWithin(schedule, new Date(at))).toBe(expected);
  });

  it.each<[Partial<Schedule>, string]>([
    [{ days: ["monday", "tuesday", "wednesday", "thursday", "friday"], ...night }, "mon-fri 22:00-06:00 Europe/Berlin"],
    [{ days: ["sunday", "saturday"], start_time: "08:00", end_time: "09:00" }, "sat,sun 08:00-09:00 UTC"],
    [{ days: ["monday", "wednesday", "friday", "saturday", "sunday"] }, "mon,wed,fri-sun UTC"],
    [{ days: [...weekdays] }, "UTC"],
  ])("%j is written %s", (fields, text) => {
    expect(describeSchedule(scheduleWith(fields))).toBe(text);
  });
});

/** The minutes of the week inside a schedule, Monday first: walks through each window minute by minute. */
function minutesOf({ days, start_time, end_time }: Schedule): Uint8Array {
  const minute = (text: string) => text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  const start = minute(start_time ?? "00:00");
  const end = minute(end_time ?? "00:00");
  const holds = new Uint8Array(weekMinutes);
  weekdays.forEach((name, day) => {
    if (days.length > 0 && !days.includes(name)) return;
    let at = start;
    do {
      holds[(day * 1440 + at) % weekMinutes] = 1;
      at += 1;
    } while (at % 1440 !== end);
  });
  return holds;
}

/** The platform's wall clock at an instant: the minute of the week, Monday first. */
function wallOf(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
  return (instant) => {
    const [, day = "", hour, minute] = /(\w{3})\W+(\d\d):(\d\d)/.exec(format.format(instant)) ?? [];
    return days.indexOf(day) * 1440 + Number(hour) * 60 + Number(minute);
  };
}

const zones = [
  ...["UTC", "Europe/Berlin", "Europe/London", "Atlantic/Azores", "America/New_York", "America/Los_Angeles", "America/St_Johns"],
  ...["America/Havana", "America/Santiago", "America/Nuuk", "Africa/Casablanca", "Africa/Cairo", "Asia/Beirut", "Asia/Jerusalem"],
  ...["Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Auckland", "Antarctica/Troll"],
];
const times: readonly (readonly [string | null, string | null])[] = [
  ["22:00", "06:00"],
  ["01:00", "03:00"],
  ["02:30", "02:31"],
  ["23:30", "00:30"],
  ["02:15", "02:15"],
  ["00:00", "00:00"],
  ["00:30", "02:45"],
  [null, null],
];
const schedules = times.flatMap(([start_time, end_time]) =>
  [[], ["sunday" as const], ["saturday" as const, "thursday" as const]].map((days) => scheduleWith({ days, start_time, end_time })),
);

describe("schedule: agrees with a walk through every window", () => {
  // Past years: versions of Node.js disagree about the clock changes of future years.
  const begin = Date.parse("2024-01-01T00:00:00Z");
  const end = Date.parse("2026-01-01T00:00:00Z");

  it.each(zones)("schedule: in %s, around the clock changes of 2024 and 2025 minute by minute, and at times between", (timezone) => {
    const wall = wallOf(timezone);
    const here = schedules.map((schedule) => ({ schedule: { ...schedule, timezone }, holds: minutesOf(schedule) }));
    const step = 12 * hourMs;
    const instants: number[] = [];
    let changes = 0;
    for (let at = begin; at < end; at += step) {
      instants.push(at + ((at / step) % 720) * minuteMs);
      if ((wall(at + step) - wall(at) + weekMinutes) % weekMinutes === 720) continue;
      changes += 1;
      for (let minute = at - 6 * hourMs; minute < at + step + 6 * hourMs; minute += minuteMs) instants.push(minute);
    }
    const wrong: string[] = [];
    for (const instant of instants) {
      const shown = wall(instant);
      const at = new Date(instant);
      for (const { schedule, holds } of here) {
        if (isWithin(schedule, at) !== (holds[shown] === 1)) wrong.push(`${at.toISOString()} ${describeSchedule(schedule)}`);
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(changes).toBeGreaterThanOrEqual(["UTC", "Asia/Kolkata", "Asia/Kathmandu"].includes(timezone) ? 0 : 4);
  });

  it("schedule: with any days and times, at any time, in any zone", () => {
    const time = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));
    const schedule = fc
      .record({
        days: fc.uniqueArray(fc.constantFrom(...weekdays)),
        start_time: time,
        end_time: time,
        timezone: fc.constantFrom(...zones),
      })
      .map(scheduleWith);
    const walls = new Map(zones.map((zone) => [zone, wallOf(zone)]));
    fc.assert(
      fc.property(schedule, fc.integer({ min: begin, max: end }), (given, instant) => {
        const shown = walls.get(given.timezone)?.(instant) ?? Number.NaN;
        expect(isWithin(given, new Date(instant))).toBe(minutesOf(given)[shown] === 1);
      }),
      { numRuns: 1_500 },
    );
  });
});
