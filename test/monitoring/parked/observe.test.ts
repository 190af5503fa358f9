import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hourMs, minuteMs } from "../../../src/base/clock/clock.ts";
import { objectTypes } from "../../../src/contract/constants.ts";
import type { Sight } from "../../../src/monitoring/parked/matching.ts";
import { type Observation, type Observed, observe } from "../../../src/monitoring/parked/observe.ts";
import { emptyMemory, Memory, mostPlaces, mostRecent, type ParkingRules } from "../../../src/monitoring/parked/place.ts";
import { randomFrom } from "../../support/chance.ts";
import { atNight, byDay, carBox, neighbourBox, passing, sightOf, walker } from "./scene.ts";

const rules: ParkingRules = { classes: ["car", "truck", "bus", "bicycle", "motorcycle"], afterMs: 30 * minuteMs };
const start = Date.parse("2026-03-01T18:00:00Z");
const picture = (at: number, ...sights: readonly Sight[]): Observation => ({ at, frames: [sights], isBlind: false });

/** Observes pictures one after the other. Returns the last memory, the objects that left, and those that are not parked. */
function watch(pictures: readonly Observation[], memory: Memory = emptyMemory) {
  const seen: Observed[] = [];
  let known = memory;
  for (const one of pictures) {
    const observed = observe(known, one, rules);
    seen.push(observed);
    known = observed.memory;
  }
  const active = pictures.map(({ frames }, at) =>
    frames.flatMap((frame, index) => frame.filter((_, object) => seen[at]?.stays[index]?.[object] === undefined)),
  );
  return { memory: known, gone: seen.flatMap(({ gone }) => gone), active, count: active.flat().length };
}

/** A picture every two minutes from a time on, in which the car is seen as at night. */
function standing(from: number, count: number, random = randomFrom(1), everyMs = 2 * minuteMs, light = atNight): Observation[] {
  return Array.from({ length: count }, (_, n) => picture(from + n * everyMs, ...sightOf(carBox, random, light)));
}

// Chance can make a car leave about once in a few thousand pictures. So these nights are always the same.
const seeds = Array.from({ length: 40 }, (_, n) => n + 1);
/** A car whose place was learned by day. */
const parkedCar = watch(standing(start, 30, randomFrom(1), 2 * minuteMs, byDay)).memory;
const later = parkedCar.at + 2 * minuteMs;

const spot = fc.record({
  x: fc.double({ min: 0, max: 0.8, noNaN: true }),
  y: fc.double({ min: 0, max: 0.8, noNaN: true }),
  width: fc.double({ min: 0.01, max: 0.5, noNaN: true }),
  height: fc.double({ min: 0.01, max: 0.5, noNaN: true }),
});
const sight = fc.record({ objectType: fc.constantFrom(...objectTypes), box: spot, isWeak: fc.boolean() });
const observations = fc.array(
  fc.record({
    at: fc.integer({ min: start, max: start + 200 * hourMs }),
    frames: fc.array(fc.array(sight, { maxLength: 6 }), { maxLength: 3 }),
    isBlind: fc.boolean(),
  }),
  { maxLength: 60 },
);

describe("parked objects: rules", () => {
  it("memory: stays bounded and readable, whatever is seen", () => {
    fc.assert(
      fc.property(observations, (pictures) => {
        const { memory } = watch(pictures);
        expect(Memory.parse(JSON.parse(JSON.stringify(memory)))).toEqual(memory);
        expect(memory.places.length).toBeLessThanOrEqual(mostPlaces);
        expect(memory.places.every(({ recent }) => recent.length <= mostRecent)).toBe(true);
        expect(new Set(memory.places.map(({ id }) => id)).size).toBe(memory.places.length);
      }),
    );
  });

  it("judgement: the same pictures give the same result", () => {
    fc.assert(
      fc.property(observations, (pictures) => {
        expect(watch(pictures)).toEqual(watch(structuredClone(pictures)));
      }),
    );
  });

  it("judgement: the order of the objects in a picture does not matter", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([{ objectType: "truck", box: carBox }, passing(0.3), walker(0.5), walker(0.9)], { minLength: 1 }),
        (sights) => {
          const parked = watch([picture(later, ...sights)], parkedCar);
          const reversed = watch([picture(later, ...sights.toReversed())], parkedCar);
          expect(new Set(parked.active.flat())).toEqual(new Set(reversed.active.flat()));
        },
      ),
    );
  });

  it("judgement: people are never parked, however long they stay", () => {
    fc.assert(
      fc.property(spot, fc.integer({ min: 2, max: 60 }), (box, count) => {
        const person = { objectType: "person", box };
        const pictures = Array.from({ length: count }, (_, n) => picture(start + n * 5 * minuteMs, person));
        expect(watch(pictures).count).toBe(count);
      }),
    );
  });

  it("cold start: nothing is parked before the minimum time, however many pictures show it", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 30 * minuteMs - 1 }), { minLength: 1, maxLength: 200 }), (offsets) => {
        const pictures = offsets.toSorted((a, b) => a - b).map((offset) => picture(start + offset, { objectType: "car", box: carBox }));
        expect(watch(pictures).count).toBe(pictures.length);
      }),
    );
  });

  it("cold start: two bursts half an hour apart are not enough", () => {
    const burst = (at: number) => Array.from({ length: 10 }, (_, n) => picture(at + n * 1_000, { objectType: "car", box: carBox }));
    expect(watch([...burst(start), ...burst(start + 40 * minuteMs)]).count).toBe(20);
  });

  it("parked: after half an hour a car that stands still is no event, with boxes that move, other classes and missing pictures", () => {
    for (const seed of seeds) {
      const everyMs = 20_000 * (1 + (seed % 15));
      const random = randomFrom(seed);
      const before = watch(standing(start, 20, random, 2 * minuteMs, byDay)).memory;
      const { count, gone } = watch(standing(before.at + everyMs, 300, random, everyMs), before);
      expect([seed, before.places.filter(({ state }) => state === "parked").length, count, gone.length]).toEqual([seed, 1, 0, 0]);
    }
  });

  it("parked: the counts say in how many of the last pictures it was seen", () => {
    const car: Sight = { objectType: "car", box: carBox };
    const pictures = Array.from({ length: 40 }, (_, n) =>
      n === 10 || n === 20 ? picture(start + n * minuteMs) : picture(start + n * minuteMs, car),
    );
    const { stays } = observe(watch(pictures).memory, picture(start + 40 * minuteMs, car), rules);
    expect(stays[0]?.[0]).toEqual({ placeId: 1, since: start, seen: 38, pictures: 40 });
  });

  it("order: an older picture is judged by the stays of its time", () => {
    const car = { objectType: "car", box: carBox };
    const old = observe(parkedCar, picture(start + 5 * minuteMs, car, passing(0.5)), rules);
    expect(old.stays[0]?.map((stay) => stay?.since)).toEqual([parkedCar.places[0]?.since, undefined]);
    expect(old.memory.at).toBe(parkedCar.at);
    const away = watch(
      Array.from({ length: 60 }, (_, n) => picture(later + n * minuteMs)),
      parkedCar,
    ).memory;
    expect(watch([picture(later + 10 * minuteMs, car)], away).count).toBe(1);
    expect(watch([picture(start + 5 * minuteMs, car)], away).count).toBe(0);
  });

  it("order: a backlog in any order parks a car after a few pictures, and no passing one", () => {
    const night = [...standing(start, 200, randomFrom(5), 2 * minuteMs, byDay)].map(({ at, frames }, n) =>
      picture(at, ...frames.flat(), ...(n % 3 === 0 ? [passing((n % 5) / 5)] : [])),
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(night, { minLength: night.length }), (shuffled) => {
        const { active, gone, memory } = watch(shuffled);
        const cars = active.flat().filter(({ box }) => box.y > 0.3);
        expect([cars.length < 60, gone.length]).toEqual([true, 0]);
        expect(active.flat().length - cars.length).toBe(67);
        expect(memory.places.filter(({ state }) => state === "parked").length).toBe(1);
      }),
      { numRuns: 20 },
    );
  });

  it("order: pictures of one burst may be stored in any order", () => {
    const burst = [0, 1, 2, 3, 4].map((n) => picture(later + n * 1_000, { objectType: "car", box: carBox }, walker(n / 5)));
    fc.assert(
      fc.property(fc.shuffledSubarray(burst, { minLength: burst.length }), (shuffled) => {
        const { count, gone, memory } = watch(shuffled, parkedCar);
        expect([count, gone.length, memory.places.map(({ state }) => state)]).toEqual([5, 0, ["parked"]]);
      }),
    );
  });
});

describe("parked objects: a night", () => {
  it("leaving: one departure, and coming back one event, though nothing was known about the time between", () => {
    for (const seed of seeds) {
      const empty = Array.from({ length: 60 }, (_, n) => picture(later + n * minuteMs));
      const away = watch(empty, parkedCar);
      expect([away.gone.length, away.gone[0]?.at]).toEqual([1, later]);
      const back = watch(standing(later + 2 * hourMs, 100, randomFrom(seed)), away.memory);
      expect([seed, back.count, back.gone.length]).toEqual([seed, 1, 0]);
    }
  });

  it("leaving: a few pictures without it within a minute are no departure", () => {
    const glared = Array.from({ length: 10 }, (_, n) => picture(later + n * 5_000));
    const { gone, memory } = watch([...glared, ...standing(later + 2 * minuteMs, 30)], parkedCar);
    expect([gone.length, memory.places.map(({ state }) => state)]).toEqual([0, ["parked"]]);
  });

  it("leaving: a detector that finds it half of the time needs more pictures", () => {
    const dark = { ...atNight, recall: 0.5 };
    const random = randomFrom(7);
    const dim = Array.from({ length: 100 }, (_, n) => picture(later + n * minuteMs, ...sightOf(carBox, random, dark)));
    expect(watch(dim, parkedCar)).toMatchObject({ count: 0, gone: [] });
  });

  it("hidden: people and vans in front of it do not make it leave, and are events", () => {
    const van: Sight = { objectType: "person", box: { x: 0.3, y: 0.3, width: 0.4, height: 0.6 } };
    const { gone, count } = watch(
      [...Array.from({ length: 30 }, (_, n) => picture(later + n * minuteMs, van)), ...standing(later + hourMs, 10)],
      parkedCar,
    );
    expect([gone.length, count]).toEqual([0, 30]);
  });

  it("neighbours: one leaves, the other stays", () => {
    const random = randomFrom(3);
    const steady = { jitter: 0.06, recall: 0.95, glare: 0 };
    const both = Array.from({ length: 60 }, (_, n) =>
      picture(start + n * minuteMs, ...sightOf(carBox, random, steady), ...sightOf(neighbourBox, random, steady)),
    );
    const known = watch(both);
    expect(known.memory.places.filter(({ state }) => state === "parked")).toHaveLength(2);
    const one = Array.from({ length: 60 }, (_, n) =>
      picture(known.memory.at + (n + 1) * minuteMs, ...sightOf(neighbourBox, random, steady)),
    );
    const { gone, count } = watch(one, known.memory);
    expect([gone.length, gone[0]?.place.box.x.toFixed(1), count]).toEqual([1, "0.4", 0]);
  });

  it("passing cars: every one is an event, though they pass the same places all night", () => {
    const cars = Array.from({ length: 300 }, (_, n) =>
      Array.from({ length: 5 }, (_, k) => picture(start + n * 3 * minuteMs + k * 1_000, passing((k + (n % 3) / 3) / 5))),
    );
    expect(watch(cars.flat()).count).toBe(1500);
  });

  it("passing cars: different cars that stop at one gate are events, with one picture each and none without a car", () => {
    const random = randomFrom(11);
    const vary = (share: number): number => 1 + (2 * random() - 1) * share;
    const gate = Array.from({ length: 100 }, (_, n): Observation => {
      const box = {
        x: carBox.x * vary(0.2),
        y: carBox.y * vary(0.1),
        width: carBox.width * vary(0.25),
        height: carBox.height * vary(0.25),
      };
      return picture(start + n * 20 * minuteMs, { objectType: "car", box });
    });
    expect(watch(gate).count).toBe(100);
  });

  it("passing cars: one that stops at the place of a car that left is one event, and no departure", () => {
    const away = watch(
      Array.from({ length: 60 }, (_, n) => picture(later + n * minuteMs)),
      parkedCar,
    ).memory;
    const stop = [0, 1, 2].map((n) => picture(away.at + hourMs + n * 2_000, { objectType: "car", box: carBox }));
    const empty = Array.from({ length: 20 }, (_, n) => picture(away.at + 2 * hourMs + n * minuteMs));
    const { count, gone, memory } = watch([...stop, ...empty], away);
    expect([count, gone.length, memory.places[0]?.state]).toEqual([1, 0, "left"]);
  });

  it("first picture after hours: an object that is still there is no event", () => {
    expect(watch([picture(parkedCar.at + 9 * hourMs, { objectType: "truck", box: carBox })], parkedCar).count).toBe(0);
  });

  it("twice: an object that the detector finds as car and as truck is one", () => {
    const twice = [
      { objectType: "car", box: carBox },
      { objectType: "truck", box: { ...carBox, width: 0.28 } },
    ];
    expect(watch([picture(later, ...twice)], parkedCar).count).toBe(0);
  });

  it("weak: a detection below the threshold confirms a known object, and starts nothing", () => {
    const weak = { objectType: "car", box: carBox, isWeak: true };
    const dim = Array.from({ length: 60 }, (_, n) => picture(later + n * minuteMs, weak));
    expect(watch(dim, parkedCar)).toMatchObject({ gone: [], memory: { places: [{ state: "parked" }] } });
    expect(watch(dim).memory.places).toEqual([]);
  });

  it("blind: while the camera sees black, nothing leaves", () => {
    const black = Array.from({ length: 60 }, (_, n) => ({ ...picture(later + n * minuteMs), isBlind: true }));
    expect(watch(black, parkedCar).gone).toEqual([]);
  });
});
