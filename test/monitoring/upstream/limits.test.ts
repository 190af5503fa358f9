import { expect, test } from "vitest";
import { excerpt } from "../../../src/monitoring/upstream/call.ts";
import { readDetections } from "../../../src/monitoring/upstream/detector-answer.ts";

test("an excerpt of an answer is never cut in the middle of a character", () => {
  for (let shift = 0; shift < 4; shift += 1) {
    const text = `${"x".repeat(shift)}${"😀".repeat(600)}`;
    expect(excerpt(text)).not.toMatch(/\p{Surrogate}/u);
    expect(() => readDetections(text)).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/\p{Surrogate}/u) }));
  }
});

test("an overlong duration is read as null", () => {
  const reading = (ms: unknown) => readDetections(JSON.stringify({ detections: [], inference_time_ms: ms })).inferenceMs;
  expect([1.5, 0, 86_400_000, 86_400_001, 1e308, -1].map(reading)).toEqual([1.5, 0, 86_400_000, null, null, null]);
});
