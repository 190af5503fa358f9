import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { numberedName, numberedSlug, slugOf } from "../../../src/monitoring/cameras/camera.ts";

describe("slugOf", () => {
  it.each([
    ["Front Door", "front_door"],
    ["  Front   Door!  ", "front_door"],
    ["front-door", "front-door"],
    ["cam__1", "cam__1"],
    ["-_-", "-_-"],
    ["Größe", "grosse"],
    ["Straße 7", "strasse_7"],
    ["Ærøskøbing", "aeroskobing"],
    ["Łódź", "lodz"],
    ["İstanbul", "istanbul"],
    ["Ｆｕｌｌ　ｗｉｄｔｈ", "full_width"],
    ["Door 🚪", "door"],
    ["a/b\\c", "a_b_c"],
    ["x".repeat(200), "x".repeat(64)],
    // the API uses the path /cameras/deleted itself
    ["Deleted", "camera_deleted"],
    ["deleted", "camera_deleted"],
    [`${"x".repeat(63)} y`, "x".repeat(63)],
  ])("%s becomes %s", (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  it("gives names without Latin letters unique, stable ids", () => {
    const ids = ["庭", "門", "🚪", "🚪🚪", " ", "..."].map(slugOf);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^camera_[0-9a-f]{8}$/);
    expect(slugOf("庭")).toBe(ids[0]);
  });

  it("is an id for any name, and stays what it is when made again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 255 }), fc.integer({ min: 1, max: 100_000 }), (name, n) => {
        expect(slugOf(name)).toMatch(/^[a-z0-9_-]{1,64}$/);
        expect(slugOf(slugOf(name))).toBe(slugOf(name));
        expect(numberedSlug(slugOf(name), n)).toMatch(/^[a-z0-9_-]{1,64}$/);
        expect([...numberedName(name, n)].length).toBeLessThanOrEqual(255);
      }),
    );
  });
});
