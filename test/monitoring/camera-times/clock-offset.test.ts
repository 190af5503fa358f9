import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clockFix, clockOffset, clockText, looksLikeZone } from "../../../src/monitoring/camera-times/clock-offset.ts";

describe("clock offset", () => {
  it("pictures that are late by the same time tell the clock, whatever single uploads took", () => {
    const seconds = fc.integer({ min: -90_000, max: 90_000 });
    const delays = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 8, maxLength: 10 });
    fc.assert(
      fc.property(seconds, delays, fc.integer({ min: 100, max: 40_000 }), (offset, late, much) => {
        const found = clockOffset([...late.map((delay) => offset - delay), offset - much]);
        expect(Math.abs((found ?? Number.NaN) - offset)).toBeLessThanOrEqual(20);
      }),
    );
  });

  it("a backlog, a clock that was just set, and few pictures tell nothing", () => {
    expect(clockOffset([-18_000, -17_400, -16_800, -16_200, -15_600, -15_000])).toBeNull();
    expect(clockOffset([0, 0, 0, -7_200, -7_200, -7_200, -7_200, -7_200, -7_200, -7_200])).toBeNull();
    expect(clockOffset([-7_200, -7_200, -7_200, -7_200])).toBeNull();
  });

  it("whole and half hours suggest the zone, other offsets the clock", () => {
    for (const offset of [3_600, -7_190, 19_800, 12_630]) expect(looksLikeZone(offset)).toBe(true);
    for (const offset of [0, 61, -400, 5_000, 900]) expect(looksLikeZone(offset)).toBe(false);
    expect(clockText(-7_190)).toBe("the clock is 2 h behind");
    expect(clockText(200)).toBe("the clock is 3 min ahead");
    expect(clockText(59)).toBe("the clock is right");
    expect(clockFix("yard", -7_190)).toContain("homesec cameras update yard --time-zone ZONE");
    expect(clockFix("yard", 200)).toBe("Set a time server (NTP) in the camera");
  });
});
