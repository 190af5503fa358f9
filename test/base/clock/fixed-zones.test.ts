import { describe, expect, it } from "vitest";
import { fixedZoneWarning } from "../../../src/base/clock/fixed-zones.ts";

const berlin = "Europe/Berlin";

describe("zone of a schedule", () => {
  it.each([
    [
      "EST",
      berlin,
      "EST is 5 hours behind UTC all year, without daylight saving time; if you mean the local clock, write America/New_York",
    ],
    [
      "est",
      "America/Toronto",
      "est is 5 hours behind UTC all year, without daylight saving time; if you mean the local clock, write America/Toronto",
    ],
    ["MST", berlin, "MST is 7 hours behind UTC all year, without daylight saving time; if you mean the local clock, write America/Denver"],
    ["GMT", berlin, "GMT is the time of UTC all year, without daylight saving time; if you mean the local clock, write Europe/London"],
    ["BST", berlin, "BST is 6 hours ahead of UTC all year, without daylight saving time; if you mean the local clock, write Europe/London"],
    [
      "Etc/GMT-1",
      berlin,
      "Etc/GMT-1 is 1 hour ahead of UTC all year, without daylight saving time; if you mean the local clock, write Europe/Berlin",
    ],
    [
      "Etc/GMT+5",
      berlin,
      "Etc/GMT+5 is 5 hours behind UTC all year, without daylight saving time; write the name of a place, such as Europe/Berlin",
    ],
  ])("%s on a machine in %s: a warning names the zone that was meant", (zone, machine, warning) => {
    expect(fixedZoneWarning(zone, machine)).toBe(warning);
  });

  it.each([berlin, "America/New_York", "America/Phoenix", "UTC", "Etc/UTC", "CET", "EST5EDT", "PST", "HST"])("%s: no warning", (zone) => {
    expect(fixedZoneWarning(zone, berlin)).toBeUndefined();
  });
});
