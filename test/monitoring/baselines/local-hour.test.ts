import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localHourAt, minuteOf } from "../../../src/monitoring/baselines/local-hour.ts";
import { localTime } from "../../../src/monitoring/upstream/facts.ts";

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const hourIn = (zone: string, at: string) => {
  const { start, end, dayOfWeek, hour } = localHourAt(new Date(at), zone);
  return [start.toISOString(), end.toISOString(), weekdays[dayOfWeek], hour];
};

describe("the hour of a time", () => {
  it.each([
    ["UTC", "2026-03-01T12:30:00Z", "2026-03-01T12:00:00.000Z", "2026-03-01T13:00:00.000Z", "sunday", 12],
    ["Europe/Berlin", "2026-07-05T22:59:59.999Z", "2026-07-05T22:00:00.000Z", "2026-07-05T23:00:00.000Z", "monday", 0],
    ["Asia/Kolkata", "2026-03-01T12:10:00Z", "2026-03-01T11:30:00.000Z", "2026-03-01T12:30:00.000Z", "sunday", 17],
    // clocks go back: the hour from 02:00 to 03:00 occurs twice
    ["Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T00:00:00.000Z", "2026-10-25T01:00:00.000Z", "sunday", 2],
    ["Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25T01:00:00.000Z", "2026-10-25T02:00:00.000Z", "sunday", 2],
    // clocks go forward: 03:00 follows 01:59
    ["Europe/Berlin", "2026-03-29T00:59:00Z", "2026-03-29T00:00:00.000Z", "2026-03-29T01:00:00.000Z", "sunday", 1],
    ["Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00.000Z", "2026-03-29T02:00:00.000Z", "sunday", 3],
  ])("in %s at %s", (zone, at, ...hour) => {
    expect(hourIn(zone, at)).toEqual(hour);
  });

  it("is the one that the clock shows, in every zone and through all changes of clocks", () => {
    const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Havana", "Pacific/Apia"];
    const time = fc.integer({ min: Date.parse("2011-06-01"), max: Date.parse("2030-01-01") });
    fc.assert(
      fc.property(fc.constantFrom(...zones), time, (zone, at) => {
        const hour = localHourAt(new Date(at), zone);
        const shown = localTime(new Date(at), zone);
        expect([weekdays[hour.dayOfWeek], hour.hour]).toEqual([shown.weekday, shown.hour]);
        expect(hour.start.getTime()).toBeLessThanOrEqual(at);
        expect(hour.end.getTime()).toBeGreaterThan(at);
        expect(localHourAt(hour.start, zone)).toEqual(hour);
        expect(localHourAt(new Date(hour.end.getTime() - 1), zone)).toEqual(hour);
        expect(minuteOf(new Date(at), hour)).toBe(Math.min(59, Math.floor((at - hour.start.getTime()) / 60_000)));
      }),
      { numRuns: 300 },
    );
  });
});
