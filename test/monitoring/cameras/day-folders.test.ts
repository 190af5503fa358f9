import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOfPeriod, isDayName } from "../../../src/monitoring/cameras/day-folders.ts";

const two = (number: number): string => String(number).padStart(2, "0");
const day = fc.date({ min: new Date(2000, 0, 1, 12), max: new Date(2099, 11, 30, 12), noInvalidDate: true });

describe("day folders", () => {
  it.each([
    ["2026-11-25", true],
    ["20261125", true],
    ["20261125140730", true],
    ["rec_2026_11_25", true],
    ["2026-11", false],
    ["front-door", false],
    ["cam-2026", false],
    ["192.168.1.20", false],
    ["1202611251", false],
    ["2026-13-01", false],
  ])("day folders: %s is the name of a day: %s", (name, is) => expect(isDayName(name)).toBe(is));

  it("day folders: a path with a date belongs to its day, whatever is around it", () => {
    fc.assert(
      fc.property(day, fc.constantFrom("/", "-", "_", ""), fc.constantFrom("", "001/jpg/", "snap/"), (date, separator, before) => {
        const name = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join(separator);
        const end = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1);
        for (const after of ["", "/14/07", "/001/jpg"]) expect(endOfPeriod(`${before}${name}${after}`)).toEqual(end);
      }),
    );
  });

  it("day folders: the folder of a month belongs to the month, and a name without a date to nothing", () => {
    expect(endOfPeriod("2026/11")).toEqual(new Date(2026, 11, 1));
    expect(endOfPeriod("2026-12")).toEqual(new Date(2027, 0, 1));
    for (const path of ["", "alarm", "14/07", "2026", "202611", "001/jpg"]) expect(endOfPeriod(path)).toBeUndefined();
  });
});
