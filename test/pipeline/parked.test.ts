import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { minuteMs } from "../../src/base/clock/clock.ts";
import { closeDueBatches } from "../../src/monitoring/batches/aggregation.ts";
import { factsOf } from "../../src/monitoring/events/analysis.ts";
import type { LedgerImage } from "../../src/monitoring/images/images-repository.ts";
import type { Sight } from "../../src/monitoring/parked/matching.ts";
import type { EventFacts } from "../../src/monitoring/upstream/facts.ts";
import { writePrompt } from "../../src/monitoring/upstream/prompt.ts";
import { storeFindings } from "../../src/pipeline/store-findings.ts";
import { configuredSettings } from "../../src/platform/config/settings.ts";
import { atNight, byDay, carBox, passing, seededRandom, sightOf, walker } from "../monitoring/parked/scene.ts";
import { emptyTables } from "../support/empty-tables.ts";
import { type Desk, openDesk } from "../support/operations.ts";

/** Pictures of one night; the long form has 1,000. */
const nightPictures = process.env["PARKED_NIGHT"] === "long" ? 1_000 : 150;
const parking = { classes: ["car", "truck", "bus"], afterMs: 30 * minuteMs };
const size = { width: 1000, height: 500 };

let desk: Desk;
let clock: number;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

/** Stores a picture of the camera with these objects as the detect stage does, and closes the batches that are due. */
async function see(at: number, ...sights: readonly (Sight & { readonly confidence?: number })[]): Promise<void> {
  clock = at;
  const now = new Date(at);
  const settings = configuredSettings(desk.context.config);
  await desk.db.transaction(async (sql) => {
    await closeDueBatches(sql, now, settings);
    const [row] = await sql<[{ imageId: number; jobId: number; claim: number }]>`
      with image as (
        insert into images (camera_id, path, size_bytes, modified_ns, media_type, width, height, found_by, found_at, taken_at, status)
        values ('yard', ${`/yard/${at}.jpg`}, 1, ${at}, 'image/jpeg', ${size.width}, ${size.height}, 'watch', ${now}, ${now}, 'pending')
        returning image_id
      )
      insert into jobs (queue, subject, priority, position, available_at, status, claims)
      select 'detect', i.image_id::text, 0, ${now}, ${now}, 'running', 1
      from image i
      returning subject::bigint as "imageId", job_id as "jobId", claims as claim
    `;
    const image: LedgerImage = {
      ...{ imageId: row.imageId, cameraId: "yard", path: `/yard/${at}.jpg`, sizeBytes: 1, modifiedNs: BigInt(at), mediaType: "image/jpeg" },
      ...({ ...size, foundBy: "watch", foundAt: now, takenAt: now, status: "pending", sameContentAs: null, continues: null } as const),
    };
    const job = {
      ...{ jobId: row.jobId, claim: row.claim, subject: String(row.imageId), priority: 0, position: now },
      ...{ attempts: 1, deferrals: 0, blamed: 0 },
    };
    const detections = sights.map(({ objectType, box, confidence = 0.8 }) => ({
      objectType: objectType as "car",
      confidence,
      box: {
        x: Math.max(0, Math.round(box.x * size.width)),
        y: Math.max(0, Math.round(box.y * size.height)),
        width: Math.round(box.width * size.width),
        height: Math.round(box.height * size.height),
      },
    }));
    const seen = { kind: "detected", detector: "test", inferenceMs: 1, width: null, height: null, detections, leftOut: [] } as const;
    const picture = { job, image, seen, findings: detections.map((found) => ({ found, frame: null })), detail: null, startedAt: now };
    await storeFindings(sql, [picture], { settings, batchMaxDetections: 500, enrichmentWaitMs: 0, parking, now });
  });
}

/** Closes all batches, and returns the events since the last call. */
let known = 0;
async function newEvents() {
  const now = new Date(clock + 2 * minuteMs);
  await desk.db.transaction((sql) => closeDueBatches(sql, now, configuredSettings(desk.context.config)));
  const { items } = await desk.ask("listEvents", { query: "limit=100" });
  const fresh = items.filter(({ id }) => id > known).toSorted((a, b) => a.id - b.id);
  known = Math.max(known, ...fresh.map(({ id }) => id));
  return fresh;
}

const factsOfEvent = async (id: number | undefined) => (await desk.db.query((sql) => factsOf(sql, id ?? 0, "UTC")))?.facts;

const start = Date.parse("2026-03-01T16:00:00Z");

describe("a night with a parked car", () => {
  beforeAll(async () => {
    await desk.db.query(async (sql) => {
      await emptyTables(sql, "cameras, journal, jobs");
      await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'yard', '/yard')`;
    });
    known = 0;
  });

  it("is an event at first, and none as soon as it was there for half an hour", async () => {
    const random = seededRandom(1);
    for (let n = 0; n < 25; n += 1) await see(start + n * 2 * minuteMs, ...sightOf(carBox, random, byDay));
    const events = await newEvents();
    expect(events.length).toBeGreaterThan(5);
    expect(Math.max(...events.map(({ ended_at }) => Date.parse(String(ended_at))))).toBeLessThan(start + 31 * minuteMs);
  });

  it("opens no event with moving headlights, and stores every detection with the start of its stay", async () => {
    const random = seededRandom(2);
    for (let n = 0; n < nightPictures; n += 1) await see(clock + minuteMs, ...sightOf(carBox, random));
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
    for (let n = 0; n < 8; n += 1) await see(clock + 2_000, walker(n / 8), ...(n > 2 && n < 6 ? [] : sightOf(carBox, random)));
    const events = await newEvents();
    expect(events.map(({ object_types, detection_count }) => [object_types, detection_count])).toEqual([[["person"], 8]]);
    const facts = await factsOfEvent(events[0]?.id);
    expect(facts?.parked).toEqual([{ type: expect.stringMatching(/car|truck|bus/), since: new Date(start).toISOString() }]);
    expect(writePrompt(facts as EventFacts)).toContain("they are not part of it");
  });

  it("opens an event for a car that passes", async () => {
    const random = seededRandom(4);
    for (let n = 0; n < 4; n += 1) await see(clock + (n === 0 ? 5 * minuteMs : 1_000), passing(n / 4), ...sightOf(carBox, random, atNight));
    expect((await newEvents()).map(({ detection_count }) => detection_count)).toEqual([4]);
  });

  it("makes one event of its departure, with its last detection", async () => {
    for (let n = 0; n < 30; n += 1) await see(clock + minuteMs);
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
    for (let n = 0; n < 60; n += 1) await see(clock + minuteMs, ...sightOf(carBox, random, byDay));
    expect((await newEvents()).map(({ detection_count }) => detection_count)).toEqual([1]);
  });

  it("opens events again once it is turned off for the camera", async () => {
    const asked = { params: { camera_id: "yard" }, body: { enabled: false } };
    expect(await desk.ask("setCameraParking", asked)).toEqual({ camera_id: "yard", enabled: false, parked: [] });
    for (let n = 0; n < 3; n += 1) await see(clock + 5 * minuteMs, { objectType: "car", box: carBox });
    expect((await newEvents()).length).toBe(3);
    expect(await desk.ask("setCameraParking", { ...asked, body: { enabled: true } })).toMatchObject({ enabled: true, parked: [] });
  });
});
