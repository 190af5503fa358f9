import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { contains, polygonFault } from "../../../src/contract/polygon.ts";
import { factsOf } from "../../../src/monitoring/events/analysis.ts";
import { literalOf, pointsOf } from "../../../src/monitoring/zones/zone.ts";
import { doubtZones } from "../../../src/monitoring/zones/zones-repository.ts";
import { finds, well } from "../../admin/doctor/support.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

const driveway = [
  { x: 0, y: 0.5 },
  { x: 0.5, y: 0.5 },
  { x: 0.5, y: 1 },
  { x: 0, y: 1 },
];
const sky = [
  { x: 0, y: 0 },
  { x: 1, y: 0 },
  { x: 1, y: 0.25 },
];

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  desk.at("2026-03-01T12:00:00Z");
  await desk.db.query(
    (sql) => sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/yard'), ('gate', 'Gate', '/gate')`,
  );
});
afterAll(() => desk.close());

const set = (name: string, points: unknown, camera_id = "yard") => desk.ask("setZone", { params: { camera_id, name }, body: { points } });
const list = async (camera_id = "yard") => (await desk.ask("listZones", { params: { camera_id } })).zones;

/** Stores an event with a car per box, in a picture of 200 x 100 pixels. */
async function eventWith(boxes: readonly (readonly [x: number, y: number, width: number, height: number])[]): Promise<number> {
  return await desk.db.query(async (sql) => {
    const [image] = await sql<[{ id: number }]>`
      insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status, width, height)
      values ('yard', '/yard/' || gen_random_uuid() || '.jpg', 1, 1, 'watch', now(), now(), 'processed', 200, 100)
      returning image_id as id
    `;
    const [event] = await sql<[{ id: number }]>`
      insert into events (camera_id, started_at, ended_at, detection_count, object_types)
      values ('yard', '2026-03-01T11:00:00Z', '2026-03-01T11:00:00Z', ${boxes.length}, '{car}')
      returning event_id as id
    `;
    for (const [x, y, width, height] of boxes) {
      await sql`
        insert into detections (camera_id, event_id, image_id, file_path, detected_at, object_type, confidence, bbox_x, bbox_y, bbox_width, bbox_height)
        values ('yard', ${event.id}, ${image.id}, '/yard/a.jpg', '2026-03-01T11:00:00Z', 'car', 0.9, ${x}, ${y}, ${width}, ${height})
      `;
    }
    return event.id;
  });
}

it("zones: are stored, replaced under their name in any case, listed and deleted", async () => {
  expect(await set("Driveway", driveway)).toMatchObject({ camera_id: "yard", name: "Driveway", points: driveway, doubtful_since: null });
  await set("Auffahrt Süd", sky, "gate");
  await set("driveway", sky);
  expect(await list()).toMatchObject([{ name: "Driveway", points: sky }]);
  await set("Driveway", driveway);
  expect((await desk.ask("listAllZones")).zones.map(({ camera_id, name }) => `${camera_id} ${name}`)).toEqual([
    "gate Auffahrt Süd",
    "yard Driveway",
  ]);
  await desk.ask("deleteZone", { params: { camera_id: "gate", name: "auffahrt süd" } });
  expect(await list("gate")).toEqual([]);
  await expect(desk.ask("deleteZone", { params: { camera_id: "gate", name: "auffahrt süd" } })).rejects.toMatchObject({
    kind: "not_found",
  });
});

it("zones: refuse what is no zone, and say why", async () => {
  await expect(set("a", sky.slice(1))).rejects.toThrow("A zone needs at least 3 corners, this one has 2; add more");
  await expect(set("a,b", sky)).rejects.toThrow("Must have 1 to 40 letters, digits, spaces, hyphens or underscores");
  await expect(set("a", sky, "nowhere")).rejects.toMatchObject({ kind: "not_found" });
  for (let n = 1; n < 20; n += 1) await set(`zone ${n}`, sky);
  await expect(set("one more", sky)).rejects.toThrow("Camera yard has 20 zones already, which is the maximum; delete one first");
  await set("ZONE 7", driveway);
  for (let n = 1; n < 20; n += 1) await desk.ask("deleteZone", { params: { camera_id: "yard", name: `zone ${n}` } });
});

it("zones: detections, events, exports and the facts for the language model name them", async () => {
  const inside = await eventWith([
    [20, 20, 40, 40],
    [110, 60, 20, 20],
  ]);
  const outside = await eventWith([[150, 50, 40, 40]]);
  const unknown = await eventWith([[20, 20, 40, 40]]);
  await desk.db.query((sql) => sql`update detections set image_id = null where event_id = ${unknown}`);
  const of = async (id: number) => await desk.ask("getEvent", { params: { event_id: String(id) } });
  expect(await of(inside)).toMatchObject({ zones: ["Driveway"], detections: [{ zones: ["Driveway"] }, { zones: [] }] });
  expect(await of(outside)).toMatchObject({ zones: [], detections: [{ zones: [] }] });
  expect(await of(unknown)).toMatchObject({ zones: [] });
  const { content } = await desk.askStream("exportEvents", { query: "format=csv" });
  const parts: Uint8Array[] = [];
  for await (const part of content.stream) parts.push(part);
  const csv = Buffer.concat(parts).toString();
  expect(csv.split("\r\n").filter((line) => line.includes(",Driveway,"))).toHaveLength(1);
  const facts = async (id: number) => (await desk.db.query((sql) => factsOf(sql, id, "UTC")))?.facts.objects[0]?.zones;
  expect(await facts(inside)).toEqual(["Driveway"]);
  expect(await facts(outside)).toBeUndefined();
});

it("zones: a rule and its backtest go by the zones of today", async () => {
  const rule = { name: "Driveway", object_types: ["car"], zones: ["driveway"], min_size: 0.3, cooldown_seconds: 0 };
  const { id } = await desk.ask("createRule", { body: rule });
  expect(await desk.ask("getRule", { params: { id } })).toMatchObject({ zones: ["driveway"], not_zones: null, min_size: 0.3 });
  const test = async () =>
    (await desk.ask("testRule", { params: { id } })).results.map(({ matches, matched_conditions, failed_conditions }) =>
      (matches ? matched_conditions : failed_conditions).join("; "),
    );
  expect(await test()).toEqual([
    "object_type in [car]; place of the detection unknown, so zone in [driveway] counts as holding; place of the detection unknown, so size >= 0.3 counts as holding",
    "feet at 0.85, 0.90: not in driveway",
    "object_type in [car]; zone in [driveway]; size >= 0.3",
  ]);
  const draft = async (changes: object) => await desk.ask("backtestDefinition", { body: { definition: { ...rule, ...changes } } });
  expect(await draft({})).toMatchObject({
    events_tested: 3,
    tested: { events_matched: 2 },
    near_misses: { fields: [{ field: "zones", count: 1 }] },
    faults: [],
  });
  expect(await draft({ zones: ["drivewya"], not_zones: ["garden"] })).toMatchObject({
    tested: { events_matched: 0 },
    faults: [
      { field: "zones", message: "No camera has a zone drivewya; did you mean Driveway?" },
      { field: "not_zones", message: "No camera has a zone garden; the zones are Driveway" },
    ],
  });
  await set("driveway", sky);
  expect(await draft({ min_size: null })).toMatchObject({ tested: { events_matched: 1 } });
  await set("driveway", driveway);
  await expect(desk.ask("createRule", { body: { name: "x", kind: "camera_health", zones: ["driveway"] } })).rejects.toThrow("has no zones");
  await desk.ask("updateRule", { params: { id }, body: { zones: [] } });
  expect(await desk.ask("getRule", { params: { id } })).toMatchObject({ zones: null, version: 2 });
});

it("zones: are doubtful after the camera was moved, until someone confirms or draws them again", async () => {
  const given = { db: desk.db, now: "2026-03-01T12:00:00Z" };
  expect(await well("camera-zones", given)).toBe("1 zone");
  await desk.db.query((sql) => doubtZones(sql, "yard", new Date("2026-03-01T11:30:00Z")));
  expect(await list()).toMatchObject([{ doubtful_since: "2026-03-01T11:30:00.000Z" }]);
  expect(await finds("camera-zones", given, "warning")).toContain("yard was moved, so zones and ignored spots may lie elsewhere");
  expect((await desk.ask("confirmZones", { params: { camera_id: "yard" } })).zones).toMatchObject([{ doubtful_since: null }]);
  await desk.db.query((sql) => doubtZones(sql, "yard", new Date("2026-03-01T11:40:00Z")));
  await set("Driveway", driveway);
  expect(await list()).toMatchObject([{ doubtful_since: null }]);
});

it("zones: the database agrees with the program about what lies in a polygon", async () => {
  const share = fc.integer({ min: 0, max: 50 }).map((value) => value / 50);
  const point = fc.record({ x: share, y: share });
  const polygons = fc.array(point, { minLength: 3, maxLength: 6 }).filter((points) => polygonFault(points) === undefined);
  const cases = fc.sample(
    fc.tuple(polygons, fc.record({ x: share.map((x) => x * 0.97 + 0.011), y: share.map((y) => y * 0.97 + 0.013) })),
    300,
  );
  const rows = await desk.db.query(
    (sql) => sql<{ inside: boolean }[]>`
      select c.points::polygon @> point(c.x, c.y) as inside
      from unnest(${cases.map(([points]) => literalOf(points))}::text[], ${cases.map(([, { x }]) => x)}::float8[], ${cases.map(([, { y }]) => y)}::float8[])
        with ordinality as c (points, x, y, position)
      order by c.position
    `,
  );
  for (const [at, [points, p]] of cases.entries()) {
    expect(pointsOf(literalOf(points))).toEqual(points);
    expect(rows[at]?.inside, `${literalOf(points)} ${p.x},${p.y}`).toBe(contains(points, p));
  }
});
