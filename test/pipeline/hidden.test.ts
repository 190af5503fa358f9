import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { minuteMs } from "../../src/base/clock/clock.ts";
import { byDay, carBox, sightOf } from "../monitoring/parked/scene.ts";
import { randomFrom } from "../support/chance.ts";
import type { Desk } from "../support/operations.ts";
import { type YardCamera, yardCamera } from "./yard-camera.ts";

let camera: YardCamera;
let desk: Desk;
const start = Date.parse("2026-03-01T16:00:00Z");

describe("a place that is ignored", () => {
  const bush = { objectType: "person", box: { x: 0.5, y: 0.2, width: 0.1, height: 0.4 } };
  const jitter = (by: number) => ({ ...bush, box: { ...bush.box, x: bush.box.x + by, height: bush.box.height - by } });
  const walker = { objectType: "person", box: { x: 0.1, y: 0.2, width: 0.1, height: 0.4 } };
  let maskId: number;
  beforeAll(async () => {
    camera = await yardCamera();
    desk = camera.desk;
    desk.at(new Date(start + 20 * minuteMs));
  });
  afterAll(() => camera.close());
  const see: YardCamera["see"] = (at, ...sights) => camera.see(at, ...sights);
  const newEvents: YardCamera["newEvents"] = () => camera.newEvents();
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
    const random = randomFrom(6);
    for (let n = 0; n < 25; n += 1) await see(start + (120 + n * 2) * minuteMs, ...sightOf(carBox, random, byDay));
    await newEvents();
    const cars = (await detections("limit=10")).filter(({ object_type }) => object_type !== "person");
    for (const { id } of cars) await desk.ask("createMask", { params: { detection_id: String(id) } });
    for (let n = 0; n < 30; n += 1) await see(camera.now() + minuteMs);
    expect(await newEvents()).toEqual([]);
  });
});
