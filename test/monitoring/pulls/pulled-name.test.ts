import fc from "fast-check";
import { expect, it } from "vitest";
import { matchesFilePattern, whyNoFilePattern } from "../../../src/monitoring/cameras/file-pattern.ts";
import { pulledName } from "../../../src/monitoring/pulls/pulled-name.ts";

const at = new Date("2026-11-28T08:13:49.123Z");
const pathOf = (pattern: string | null): string => {
  const { folders, name } = pulledName(pattern, at, "jpg");
  return [...folders, name].join("/");
};

it("pulled picture: its name has its time, and fits the pattern of its camera", () => {
  expect(pathOf(null)).toBe("2026-11-28/pull-20261128T081349.123Z.jpg");
  expect(pathOf("ch01*")).toBe("2026-11-28/ch01pull-20261128T081349.123Z.jpg");
  expect(pathOf("*_0?.jpg")).toBe("2026-11-28/pull-20261128T081349.123Z_00.jpg");
  expect(pathOf("**/ch02/*")).toBe("pull/ch02/pull-20261128T081349.123Z.jpg");
});

it("pulled picture: any pattern takes its own pictures", () => {
  const part = fc.constantFrom("*", "**", "?", "ch01", "a", "_", ".", "jpg", "/");
  const pattern = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(pattern, (text) => {
      fc.pre(whyNoFilePattern(text) === undefined);
      expect(matchesFilePattern(text, pathOf(text)), pathOf(text)).toBe(true);
    }),
  );
});
