import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { minuteMs } from "../../src/base/clock/clock.ts";
import { factsOf } from "../../src/monitoring/events/analysis.ts";
import type { EventFacts } from "../../src/monitoring/upstream/facts.ts";
import { writePrompt } from "../../src/monitoring/upstream/prompt.ts";
import { atNight, byDay, carBox, passing, seededRandom, sightOf, walker } from "../monitoring/parked/scene.ts";
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
    const random = seededRandom(1);
    for (let n = 0; n < 25; n += 1) await see(start + n * 2 * minuteMs, ...sightOf(carBox, random, byDay));
    const events = await newEvents();
    expect(events.length).toBeGreaterThan(5);
    expect(Math.max(...events.map(({ ended_at }) => Date.parse(String(ended_at))))).toBeLessThan(start + 31 * minuteMs);
  });

  it("opens no event with moving headlights, and stores every detection with the start of its stay", async () => {
    const random = seededRandom(2);
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
    const random = seededRandom(3);
    for (let n = 0; n < 8; n += 1) await see(camera.now() + 2_000, walker(n / 8), ...(n > 2 && n < 6 ? [] : sightOf(carBox, random)));
    const events = await newEvents();
    expect(events.map(({ object_types, detection_count }) => [object_types, detection_count])).toEqual([[["person"], 8]]);
    const facts = await factsOfEvent(events[0]?.id);
    expect(facts?.parked).toEqual([{ type: expect.stringMatching(/car|truck|bus/), since: new Date(start).toISOString() }]);
    expect(writePrompt(facts as EventFacts)).toContain("they are not part of it");
  });

  it("opens an event for a car that passes", async () => {
    const random = seededRandom(4);
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
    const random = seededRandom(5);
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

describe("a place that is ignored", () => {
  const bush = { objectType: "person", box: { x: 0.5, y: 0.2, width: 0.1, height: 0.4 } };
  const jitter = (by: number) => ({ ...bush, box: { ...bush.box, x: bush.box.x + by, height: bush.box.height - by } });
  const walker = { objectType: "person", box: { x: 0.1, y: 0.2, width: 0.1, height: 0.4 } };
  let maskId: number;
  beforeAll(async () => {
    await desk.db.query(async (sql) => {
      await emptyTables(sql, "cameras, journal, jobs");
      await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'yard', '/yard')`;
    });
    known = 0;
    desk.at(new Date(start + 20 * minuteMs));
  });
  const detections = async (query: string) => (await desk.ask("listDetections", { query })).items;

  it("shows first what a mask would have hidden, and hides nothing yet", async () => {
    for (let n = 0; n < 3; n += 1) await see(start + n * 5 * minuteMs, jitter(n * 0.01), ...(n === 2 ? [walker] : []));
    expect(await newEvents()).toHaveLength(3);
    const [newest] = await detections("object_type=person");
    const tried = await desk.ask("tryMask", { params: { detection_id: String((await detections(""))[2]?.id) } });
    expect(tried).toMatchObject({ camera_id: "yard", object_type: "person", days: 30, detection_count: 3, event_count: 2 });
    expect(tried.examples.map(({ detected_at }) => Date.parse(detected_at))).toEqual([2, 1, 0].map((n) => start + n * 5 * minuteMs));
    expect(newest?.mask_id).toBeNull();
    expect(await desk.ask("listMasks")).toEqual({ masks: [] });
  });

  it("stores and counts what it hides, and opens events of everything else", async () => {
    const first = (await detections("")).at(-1);
    const mask = await desk.ask("createMask", { params: { detection_id: String(first?.id) } });
    expect(mask).toMatchObject({ camera_id: "yard", object_type: "person", hidden_count: 0, box: { x: 0.5, y: 0.2 } });
    expect((await desk.ask("createMask", { params: { detection_id: String(first?.id) } })).id).toBe(mask.id);
    maskId = mask.id;
    await see(start + 30 * minuteMs, jitter(0.02));
    await see(start + 35 * minuteMs, bush, { ...bush, objectType: "dog" });
    const events = await newEvents();
    expect(events.map(({ object_types }) => object_types)).toEqual([["dog"]]);
    const hidden = await detections("hidden=true");
    expect(hidden.map(({ mask_id, event_id, batch_id }) => [mask_id, event_id, batch_id])).toEqual([
      [maskId, null, null],
      [maskId, null, null],
    ]);
    expect((await detections("hidden=false")).length).toBe(5);
    expect((await desk.ask("listMasks", { query: "camera_id=yard" })).masks).toMatchObject([{ id: maskId, hidden_count: 2 }]);
    const [first_] = hidden.toReversed();
    const [image] = (await desk.ask("listImages", { query: "limit=2" })).items.toReversed();
    const { outcome } = await desk.ask("explainImage", { params: { image_id: String(image?.id) } });
    expect(outcome).toBe(
      `The picture led to no event. Mask ${maskId} hides person (detection ${first_?.id}), so it opens no event; \`homesec cameras masks list\` shows masks.`,
    );
  });

  it("is doubtful after the camera was moved, and ends when it is deleted; what it hid stays hidden", async () => {
    await desk.db.query((sql) => sql`update camera_masks set doubtful_since = now()`);
    await desk.ask("confirmZones", { params: { camera_id: "yard" } });
    expect((await desk.ask("listMasks")).masks).toMatchObject([{ doubtful_since: null }]);
    await desk.ask("deleteMask", { params: { id: String(maskId) } });
    await expect(desk.ask("deleteMask", { params: { id: String(maskId) } })).rejects.toMatchObject({ kind: "not_found" });
    await see(start + 60 * minuteMs, bush);
    expect(await newEvents()).toHaveLength(1);
    expect(await detections("hidden=true")).toHaveLength(2);
  });

  it("hides the departure of a parked car, too", async () => {
    const random = seededRandom(6);
    for (let n = 0; n < 25; n += 1) await see(start + (120 + n * 2) * minuteMs, ...sightOf(carBox, random, byDay));
    await newEvents();
    const cars = (await detections("limit=10")).filter(({ object_type }) => object_type !== "person");
    for (const { id } of cars) await desk.ask("createMask", { params: { detection_id: String(id) } });
    for (let n = 0; n < 30; n += 1) await see(clock + minuteMs);
    expect(await newEvents()).toEqual([]);
  });
});
