import { expect, test } from "vitest";
import { riskLevel } from "../../../src/monitoring/events/event.ts";

const usual = { low: 0, medium: 30, high: 60, critical: 80 };

test.each([
  [0, "low"],
  [29, "low"],
  [30, "medium"],
  [59, "medium"],
  [60, "high"],
  [79, "high"],
  [80, "critical"],
  [100, "critical"],
])("a score of %d is %s", (score, level) => {
  expect(riskLevel(score, usual)).toBe(level);
});

test("follows the bounds that are configured", () => {
  const strict = { low: 0, medium: 5, high: 10, critical: 100 };
  expect([4, 5, 9, 10, 99, 100].map((score) => riskLevel(score, strict))).toEqual(["low", "medium", "medium", "high", "high", "critical"]);
});
