import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inPatternOrder, matchesFilePattern, sharerOf, whyNoFilePattern } from "../../../src/monitoring/cameras/file-pattern.ts";

describe("file pattern", () => {
  it.each([
    ["ch01*", "ch01_20250314.jpg", true],
    ["ch01*", "2025-03-14/CH01_093015.JPG", true],
    ["ch01*", "ch01/093015.jpg", false],
    ["ch01*", "x_ch01.jpg", false],
    ["ch02/**", "ch02/2025/03/a.jpg", true],
    ["ch02/**", "2025/ch02/a.jpg", false],
    ["*/ch02/*", "2025-03-14/ch02/a.jpg", true],
    ["**/ch02/**", "2025/03/14/ch02/09/a.jpg", true],
    ["Channel?_*", "channel1_a.jpg", true],
    ["Channel?_*", "channel10_a.jpg", false],
    ["*", "any/where.jpg", true],
    ["a.b", "axb", false],
  ])("%s and %s: %s", (pattern, path, matches) => {
    expect(matchesFilePattern(pattern, path)).toBe(matches);
  });

  it("a pattern with more fixed characters goes first, and the camera without one takes the rest", () => {
    const cameras = [
      { camera_id: "nvr", file_pattern: null },
      { camera_id: "one", file_pattern: "ch1*" },
      { camera_id: "ten", file_pattern: "ch10*" },
    ];
    const taker = (path: string, of = cameras): string | undefined => sharerOf(inPatternOrder(of), path)?.camera_id;
    expect(taker("ch10_a.jpg")).toBe("ten");
    expect(taker("ch1_a.jpg")).toBe("one");
    expect(taker("ch2_a.jpg")).toBe("nvr");
    expect(taker("ch2_a.jpg", cameras.slice(1))).toBeUndefined();
    fc.assert(
      fc.property(fc.shuffledSubarray(cameras, { minLength: 3 }), fc.string(), (order, path) => {
        expect(taker(path, order)).toBe(taker(path));
      }),
    );
  });

  it("a wrong pattern is refused, and any other is matched in a moment", () => {
    for (const pattern of ["/ch01*", "ch01//a", "../x*", "./a", "***", "**/*", "a".repeat(201)])
      expect(whyNoFilePattern(pattern), pattern).toBeDefined();
    const piece = fc.constantFrom("*", "**", "?", "a", "/", "b", "[", "(", "😀");
    const text = (most: number) => fc.array(piece, { maxLength: most }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text(60), text(60), (pattern, path) => {
        const start = performance.now();
        matchesFilePattern(pattern, `${path}${"a".repeat(2_000)}`);
        expect(performance.now() - start).toBeLessThan(500);
        // a text matches itself
        if (!/[*?]/.test(path)) expect(matchesFilePattern(path, path)).toBe(true);
      }),
    );
  });
});
