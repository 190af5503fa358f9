import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guessId, listCandidates, matchId } from "../../commands/input/match-id.ts";
import { isUuid, shortIds } from "../../commands/output/short-ids.ts";

/** Different UUIDs. Each shares a beginning of any length with the first. */
const ids = fc.tuple(fc.uuid(), fc.array(fc.tuple(fc.uuid(), fc.nat(35)), { maxLength: 20 })).map(([first, others]) => {
  return [...new Set([first, ...others.map(([own, length]) => first.slice(0, length) + own.slice(length))])].filter(isUuid);
});

describe("short ids", () => {
  it("short ids: each is found again as its own id, and no shorter one would do for all", () => {
    fc.assert(
      fc.property(ids, (all) => {
        const short = shortIds(all);
        const candidates = all.map((id) => ({ id }));
        expect(short.map((text) => matchId(text, candidates))).toEqual(candidates.map((each) => [each]));
        const length = short[0]?.length ?? 8;
        expect(short.every((text) => text.length === length && length >= 8)).toBe(true);
        if (length > 8) expect(new Set(all.map((id) => id.slice(0, length - 1))).size).toBeLessThan(all.length);
      }),
    );
  });

  it("short ids: other texts stay whole, and a repeated id does not lengthen the others", () => {
    const id = "5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a11";
    expect(shortIds([id, "front-door", id])).toEqual(["5f0c9d6e", "front-door", "5f0c9d6e"]);
  });
});

describe("ids and names", () => {
  const night = { id: "5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a11", name: "Person at night" };
  const dog = { id: "5f0c11a2-62b1-4c3a-9b0e-5f6f0d5a7c11", name: "Dog" };
  const otherDog = { id: "0e3cb4f5-62b1-4c3a-9b0e-5f6f0d5a7c11", name: "dog" };
  const all = [night, dog, otherDog];

  it("ids and names: an id, its start with or without dashes in any case, and a name in any case are found", () => {
    for (const text of [
      night.id,
      night.id.toUpperCase(),
      "5f0c9d6e",
      "5F0C9",
      "5f0c9d6e3f6b",
      "5f0c9d6e-3f6b-",
      "Person at night",
      "person AT night",
    ])
      expect(matchId(text, all), text).toEqual([night]);
    expect(matchId("Dog", all)).toEqual([dog]);
    expect(matchId("DOG", all)).toEqual([dog, otherDog]);
    expect(matchId("5f0c", all)).toEqual([night, dog]);
  });

  it("ids and names: fewer than four characters, the end of an id and the start of a name are not found", () => {
    for (const text of ["5f0", "0", "", "0c6f1f0e7a11", "Person", "----"]) expect(matchId(text, all), text).toEqual([]);
  });

  it("ids and names: a name wins over the start of another id", () => {
    const beef = { id: "11111111-62b1-4c3a-9b0e-5f6f0d5a7c11", name: "5f0c9d" };
    expect(matchId("5f0c9d", [...all, beef])).toEqual([beef]);
  });

  it("ids and names: a camera id counts as its start only where that is allowed", () => {
    const cameras = [
      { id: "front-door", name: "Front door" },
      { id: "garage", name: "Garage" },
    ];
    expect(matchId("front", cameras)).toEqual([cameras[0]]);
    expect(matchId("front", cameras, { byPrefix: false })).toEqual([]);
    expect(matchId("front DOOR", cameras, { byPrefix: false })).toEqual([cameras[0]]);
  });

  it("ids and names: a typing error or the start of a name leads to a guess", () => {
    expect(guessId("Person at nigt", all)).toBe("Person at night");
    expect(guessId("Pers", all)).toBe("Person at night");
    expect(guessId("5f0c9d6f", all)).toBe("5f0c9d6e");
    expect(guessId("something else", all)).toBeUndefined();
  });

  it("ids and names: the list of candidates has ids as short as they can be typed, and their names", () => {
    expect(listCandidates([night, dog], all)).toBe("5f0c9d6e (Person at night), 5f0c11a2 (Dog)");
    const many = Array.from({ length: 10 }, (_, n) => ({ id: `5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a1${n}`, about: "front-door" }));
    expect(listCandidates(many, many)).toMatch(/^5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a10 \(front-door\), .* and 2 more$/);
  });
});
