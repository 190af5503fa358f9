import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { decodeCursor, encodeCursor, KeyInstant, makePage } from "../../src/contract/cursor.ts";
import { Problem } from "../../src/contract/problem.ts";

const Key = z.tuple([z.string(), z.int()]);

describe("cursor", () => {
  it("cursor: preserves any key, Unicode included, and needs no URL encoding", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.maxSafeInteger(), fc.string(), (text, number, listName) => {
        const cursor = encodeCursor(listName, [text, number]);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(cursor, listName, Key)).toEqual([text, number]);
      }),
    );
  });

  it("cursor: is rejected after a change of any character", () => {
    const cursor = encodeCursor("events", ["2026-01-31T22:15:00.123456Z", 17]);
    for (let at = 0; at < cursor.length; at += 1) {
      const changed = cursor.slice(0, at) + (cursor[at] === "A" ? "B" : "A") + cursor.slice(at + 1);
      expect(refusal(() => decodeCursor(changed, "events", Key)).items).toMatchObject([{ loc: ["query", "cursor"], type: "value_error" }]);
    }
  });

  it.each(["", "x", "%00", "null", "e30", "\u0000", "ö".repeat(50), "A".repeat(100_000)])("cursor: rejects %j", (text) => {
    expect(refusal(() => decodeCursor(text, "events", Key)).kind).toBe("invalid");
  });

  it("cursor: is rejected by another list and for another sort key", () => {
    const cursor = encodeCursor("events", ["a", 1]);
    expect(refusal(() => decodeCursor(cursor, "detections", Key)).kind).toBe("invalid");
    expect(refusal(() => decodeCursor(cursor, "events", z.tuple([z.int()]))).kind).toBe("invalid");
  });

  it("cursor: accepts only timestamps with six fractional digits", () => {
    expect(KeyInstant.safeParse("2026-01-31T22:15:00.123456Z").success).toBe(true);
    expect(KeyInstant.safeParse("2026-13-31T22:15:00.123456Z").success).toBe(false);
    expect(KeyInstant.safeParse("2026-01-31T22:15:00.123Z").success).toBe(false);
  });

  it.each(["0000-01-01T00:00:00.000000Z", "2026-02-30T00:00:00.000000Z", "2026-01-01T24:00:00.000000Z"])(
    "cursor: rejects a time that no database stores: %s",
    (text) => {
      expect(KeyInstant.safeParse(text).success).toBe(false);
    },
  );

  it.each(["\0", "\ud800"])("cursor: rejects a text that no database stores: %j", (text) => {
    expect(refusal(() => decodeCursor(encodeCursor("events", [text, 1]), "events", Key)).kind).toBe("invalid");
  });
});

describe("makePage", () => {
  const page = (rows: number[], limit: number, offset?: number, after?: readonly number[]) =>
    makePage({ listName: "numbers", rows, limit, offset, after, total: 9, key: (row) => [row] });

  it("makePage: drops the extra row and continues after the last one it shows", () => {
    const { items, pagination } = page([3, 2, 1], 2);
    expect(items).toEqual([3, 2]);
    expect(pagination).toMatchObject({ total: 9, limit: 2, offset: 0, has_more: true });
    expect(decodeCursor(pagination.next_cursor ?? "", "numbers", z.tuple([z.int()]))).toEqual([2]);
  });

  it("makePage: the last page has no next cursor, even if it is full or empty", () => {
    expect(page([2, 1], 2).pagination).toMatchObject({ has_more: false, next_cursor: null });
    expect(page([], 2).pagination).toMatchObject({ has_more: false, next_cursor: null });
  });

  it("makePage: the total is the number of shown rows if they are all rows, whatever a later count says", () => {
    expect(page([2, 1], 2).pagination.total).toBe(2);
    expect(page([], 2).pagination.total).toBe(0);
    expect(page([2, 1], 5, 4).pagination.total).toBe(6);
    // these pages do not show every row
    expect(page([], 2, 4).pagination.total).toBe(9);
    expect(page([3, 2, 1], 2).pagination.total).toBe(9);
    expect(page([2, 1], 5, undefined, [3]).pagination.total).toBe(9);
  });

  it("makePage: warns only if the request used offset", () => {
    expect(page([1], 2)).not.toHaveProperty("deprecation_warning");
    expect(page([1], 2, 0).deprecation_warning).toContain("cursor");
    expect(page([1], 2, 4).pagination.offset).toBe(4);
  });
});

function refusal(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error("it was accepted");
}
