import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { minuteMs } from "../../src/base/clock/clock.ts";
import { factsOf } from "../../src/monitoring/events/analysis.ts";
import type { EventFacts } from "../../src/monitoring/upstream/facts.ts";
import { writePrompt } from "../../src/monitoring/upstream/prompt.ts";
import { atNight, byDay, carBox, passing, sightOf, walker } from "../monitoring/parked/scene.ts";
import { randomFrom } from "../support/chance.ts";
import type { Desk } from "../support/operations.ts";
import { type YardCamera, yardCamera } from "./yard-camera.ts";

/** Pictures of one night; the long form has 1,000. */
const nightPictures = process.env["PARKED_NIGHT"] === "long" ? 1_000 : 150;

let camera: YardCamera;
let desk: Desk;
beforeAll(async () => {
  camera = await yardCamera();
  desk = camera.desk;
});
afterAll(() => camera.close());

const see: YardCamera["see"] = (at, ...sights) => camera.see(at, ...sights);
const newEvents: YardCamera["newEvents"] = () => camera.newEvents();

const factsOfEvent = async (id: number | undefined) => (await desk.db.query((sql) => factsOf(sql, id ?? 0, "UTC")))?.facts;

const start = Date.parse("2026-03-01T16:00:00Z");

describe("a night with a parked car", () => {
  it("is an event at first, and none as soon as it was there for half an hour", async () => {
    const random = randomFrom(1);
    for (let n = 0; n < 25; n += 1) await see(start + n * 2 * minuteMs, ...sightOf(carBox, random, byDay));
    const events = await newEvents();
    expect(events.length).toBeGreaterThan(5);
    expect(Math.max(...events.map(({ ended_at }) => Date.parse(String(ended_at))))).toBeLessThan(start + 31 * minuteMs);
  });

  it("opens no event with moving headlights, and stores every detection with the start of its stay", async () => {
    const random = randomFrom(2);
    for (let n = 0; n < nightPictures; n += 1) await see(camera.now() + minuteMs, ...sightOf(carBox, random));
    expect(await newEvents()).toEqual([]);
    const { items } = await desk.ask("listDetections", { query: "limit=50" });
    expect(
      items.every(
        ({ parked_since, event_id, batch_id }) =>
          String(parked_since) === new Date(start).toISOString() && event_id === null && batch_id === null,
      ),
    ).toBe(true);
  });

  it("is listed with the start of its stay and the number of pictures, and explains why a picture led to no event", async () => {
    const { enabled, parked } = await desk.ask("getCameraParking", { params: { camera_id: "yard" } });
    expect(enabled).toBe(true);
    expect(parked).toEqual([expect.objectContaining({ parked_since: new Date(start).toISOString(), picture_count: 40 })]);
    const { items } = await desk.ask("listDetections", { query: "limit=1" });
    expect(items[0]?.id).toBe(parked[0]?.detection_id);
    const { items: images } = await desk.ask("listImages", { query: "limit=200" });
    const shown = images.find(({ taken_at }) => taken_at === items[0]?.detected_at);
    const { outcome, steps } = await desk.ask("explainImage", { params: { image_id: String(shown?.id) } });
    expect(outcome).toMatch(
      /^The picture led to no event: it shows parked objects only. (Car|Truck|Bus) at 0\.\d+, 0\.\d+ is parked there since 2026-03-01T16:00:00.000Z, seen in \d+ of 40 pictures: no event\.$/,
    );
    expect(steps.map(({ step }) => step)).toContain("parked");
  });

  it("opens one event for a person who walks past it, which holds the person only", async () => {
    const random = randomFrom(3);
    for (let n = 0; n < 8; n += 1) await see(camera.now() + 2_000, walker(n / 8), ...(n > 2 && n < 6 ? [] : sightOf(carBox, random)));
    const events = await newEvents();
    expect(events.map(({ object_types, detection_count }) => [object_types, detection_count])).toEqual([[["person"], 8]]);
    const facts = await factsOfEvent(events[0]?.id);
    expect(facts?.parked).toEqual([{ type: expect.stringMatching(/car|truck|bus/), since: new Date(start).toISOString() }]);
    expect(writePrompt(facts as EventFacts)).toContain("they are not part of it");
  });

  it("opens an event for a car that passes", async () => {
    const random = randomFrom(4);
    for (let n = 0; n < 4; n += 1)
      await see(camera.now() + (n === 0 ? 5 * minuteMs : 1_000), passing(n / 4), ...sightOf(carBox, random, atNight));
    expect((await newEvents()).map(({ detection_count }) => detection_count)).toEqual([4]);
  });

  it("makes one event of its departure, with its last detection", async () => {
    for (let n = 0; n < 30; n += 1) await see(camera.now() + minuteMs);
    const events = await newEvents();
    const texts = events.map(({ object_types, detection_count, summary }) => `${object_types.length} ${detection_count} ${summary}`);
    expect(texts).toEqual([expect.stringMatching(/^1 1 A (car|truck|bus) left that was parked for \d+ h( \d+ min)?\.$/)]);
    const { detections } = await desk.ask("getEvent", { params: { event_id: String(events[0]?.id) } });
    expect(detections.map(({ parked_since }) => String(parked_since))).toEqual([new Date(start).toISOString()]);
    expect(await factsOfEvent(events[0]?.id)).toMatchObject({ departure: { parkedSince: new Date(start).toISOString() } });
    const { steps } = await desk.ask("explainEvent", { params: { event_id: String(events[0]?.id) } });
    expect(steps.find(({ step }) => step === "event")?.text).toContain("that was parked there since 2026-03-01T16:00:00.000Z");
    expect((await desk.ask("getCameraParking", { params: { camera_id: "yard" } })).parked).toEqual([]);
  });

  it("makes one event of its return, and none after it", async () => {
    const random = randomFrom(5);
    for (let n = 0; n < 60; n += 1) await see(camera.now() + minuteMs, ...sightOf(carBox, random, byDay));
    expect((await newEvents()).map(({ detection_count }) => detection_count)).toEqual([1]);
  });

  it("opens events again once it is turned off for the camera", async () => {
    const asked = { params: { camera_id: "yard" }, body: { enabled: false } };
    expect(await desk.ask("setCameraParking", asked)).toEqual({ camera_id: "yard", enabled: false, parked: [] });
    for (let n = 0; n < 3; n += 1) await see(camera.now() + 5 * minuteMs, { objectType: "car", box: carBox });
    expect((await newEvents()).length).toBe(3);
    expect(await desk.ask("setCameraParking", { ...asked, body: { enabled: true } })).toMatchObject({ enabled: true, parked: [] });
  });
});

describe("a parked car at the edge of the picture", () => {
  // From the night of test/parked-night: 800 by 600 pixels. Rounded, some boxes end one pixel beyond the right edge.
  const edgeBoxes = [
    [696, 163, 101, 135],
    [689, 166, 111, 121],
    [690, 167, 110, 117],
    [695, 163, 103, 134],
    [694, 166, 106, 119],
    [692, 166, 108, 121],
    [694, 170, 106, 119],
    [698, 163, 99, 131],
  ] as const;

  it("opens no event once it is parked, if boxes end one pixel outside and the detector reports no size", async () => {
    const from = camera.now() + 60 * minuteMs;
    for (let n = 0; n < 40; n += 1) {
      const [x, y, width, height] = edgeBoxes[n % edgeBoxes.length] as (typeof edgeBoxes)[number];
      await see(from + n * 2 * minuteMs, { objectType: "car", box: { x: x / 800, y: y / 600, width: width / 800, height: height / 600 } });
    }
    const ends = (await newEvents()).map(({ ended_at }) => Date.parse(String(ended_at)));
    expect(Math.max(...ends)).toBeLessThan(from + 40 * minuteMs);
  });
});
