import { describe, expect, it } from "vitest";
import { instantAt, muteEndAt, nextMorning } from "../../web/parts/mute-ends.ts";

const berlin = "Europe/Berlin";

describe("end of a silence", () => {
  it.each([
    ["in the evening", "2026-01-10T20:00:00Z", "2026-01-11T06:00:00.000Z", false],
    ["after midnight", "2026-01-10T23:30:00Z", "2026-01-11T06:00:00.000Z", true],
    ["shortly before the morning", "2026-01-11T05:30:00Z", "2026-01-12T06:00:00.000Z", false],
    ["before the clocks go forward", "2026-03-28T21:00:00Z", "2026-03-29T05:00:00.000Z", false],
    ["before the clocks go back", "2026-10-24T21:00:00Z", "2026-10-25T06:00:00.000Z", false],
  ])("end of a silence: the next morning is seven o'clock of the home, asked %s", (_when, now, at, isToday) => {
    expect(nextMorning(new Date(now), berlin)).toEqual({ at: new Date(at), isToday });
    expect(muteEndAt({ kind: "morning" }, new Date(now), berlin)).toEqual(new Date(at));
  });

  it("end of a silence: without an end it stays below the 30 days that homesec allows", () => {
    const now = new Date("2026-01-10T20:00:00Z");
    expect(muteEndAt({ kind: "ended" }, now, berlin).getTime() - now.getTime()).toBe(30 * 86_400_000 - 60_000);
  });

  it.each([
    ["2026-01-31T22:15", "2026-01-31T21:15:00.000Z"],
    ["2026-07-31T22:15", "2026-07-31T20:15:00.000Z"],
    ["2026-03-29T03:30", "2026-03-29T01:30:00.000Z"],
    ["2026-10-25T01:30", "2026-10-24T23:30:00.000Z"],
  ])("end of a silence: %s on the clock of the home is %s", (shown, instant) => {
    expect(instantAt(shown, berlin)?.toISOString()).toBe(instant);
  });

  it("end of a silence: an empty field is no time", () => {
    expect(instantAt("", berlin)).toBeUndefined();
  });
});
