import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wallClock } from "../../../src/base/clock/time-zone.ts";

const hourMs = 3_600_000;
const dayOf = (date: string) => Date.parse(date) / (24 * hourMs);
const at = (instant: number) => new Date(instant).toISOString();

describe("start of a day", () => {
  it.each([
    ["UTC", "2026-03-29", "2026-03-29T00:00:00.000Z"],
    ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00.000Z"],
    ["Europe/Berlin", "2026-03-30", "2026-03-29T22:00:00.000Z"],
    ["Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00.000Z"],
    ["Europe/Berlin", "2026-10-26", "2026-10-25T23:00:00.000Z"],
    ["Asia/Kolkata", "2026-01-01", "2025-12-31T18:30:00.000Z"],
    ["Asia/Kathmandu", "2026-01-01", "2025-12-31T18:15:00.000Z"],
    // Midnight is skipped: the day begins at 01:00
    ["America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00.000Z"],
    ["Asia/Beirut", "2024-03-31", "2024-03-30T22:00:00.000Z"],
    // Midnight is repeated: the day begins with the first
    ["America/Havana", "2024-11-03", "2024-11-03T04:00:00.000Z"],
    // The day before is an hour longer
    ["America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00.000Z"],
    // A skipped day begins with the next one
    ["Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00.000Z"],
    ["Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00.000Z"],
    // Local solar time
    ["Africa/Monrovia", "1900-01-01", "1900-01-01T00:43:08.000Z"],
  ])("start of a day: in %s of %s is %s", (zone, date, begin) => {
    expect(at(wallClock(zone).startOfDay(dayOf(date)))).toBe(begin);
  });
});

describe("full hours", () => {
  const hours = (zone: string, from: string, count: number) => {
    const clock = wallClock(zone);
    const times = [Date.parse(from)];
    for (let n = 1; n < count; n += 1) times.push(clock.nextHour(times.at(-1) ?? 0));
    return times.map((time) => at(time).slice(11, 16));
  };
  it.each([
    ["Europe/Berlin", "2026-03-29T00:00:00Z", ["00:00", "01:00", "02:00"]],
    ["Asia/Kolkata", "2026-03-29T00:30:00Z", ["00:30", "01:30", "02:30"]],
    ["Asia/Kolkata", "2026-03-29T00:45:00Z", ["00:45", "02:30", "03:30"]],
    // The clock goes from 02:00 back to 01:30: the hour from 01:00 lasts ninety minutes
    ["Australia/Lord_Howe", "2026-04-04T14:00:00Z", ["14:00", "15:30", "16:30"]],
    // And from 02:00 forward to 02:30
    ["Australia/Lord_Howe", "2026-10-03T14:30:00Z", ["14:30", "16:00", "17:00"]],
  ])("full hours: in %s from %s are %j", (zone, from, expected) => {
    expect(hours(zone, from, expected.length)).toEqual(expected);
  });
});

it("time zones: days and hours have no gaps, in every zone", () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
  const instants = fc.integer({ min: Date.parse("1890-01-01"), max: Date.parse("2040-01-01") });
  fc.assert(
    fc.property(zones, instants, (zone, instant) => {
      const clock = wallClock(zone);
      const day = clock.dayAt(instant);
      const begin = clock.startOfDay(day);
      expect(begin).toBeLessThanOrEqual(instant);
      expect(clock.startOfDay(day + 1)).toBeGreaterThanOrEqual(begin);
      // The longest day has 25 hours, or includes the last hour of the day before
      expect(instant - begin).toBeLessThan(26 * hourMs);
      let hour = begin;
      for (let n = 0; hour <= instant; n += 1) {
        expect(n).toBeLessThan(27);
        const next = clock.nextHour(hour);
        expect(next - hour).toBeGreaterThan(0);
        expect(next - hour).toBeLessThan(3 * hourMs);
        hour = next;
      }
    }),
    { numRuns: 3_000 },
  );
});

it("time zones: an unknown zone is refused", () => {
  expect(() => wallClock("Europe/Atlantis")).toThrow(RangeError);
});
