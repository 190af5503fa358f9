import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Desk, openDesk } from "../../support/operations.ts";
import { fillHistory } from "../../support/recorded.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

const stats = (query = "") => desk.ask("getDetectionStats", { query });

it("are empty at first", async () => {
  const { trends, ...rest } = await stats();
  expect(rest).toEqual({ total_detections: 0, detections_by_class: {}, object_class_distribution: [], average_confidence: null });
  expect(trends).toHaveLength(30);
  expect(trends[0]).toEqual({ timestamp: "2026-01-31T00:00:00.000Z", detection_count: 0 });
  expect(trends.at(-1)).toEqual({ timestamp: "2026-03-01T00:00:00.000Z", detection_count: 0 });
  expect(await desk.ask("listDetectionLabels")).toEqual({ labels: [] });
});

it("count by class and day", async () => {
  // three per minute until noon, alternating classes
  await fillHistory(desk.db, { cameras: 3, events: 1_200, detectionsPerEvent: 3 });
  const everything = await stats();
  expect(everything).toMatchObject({
    total_detections: 3_600,
    detections_by_class: { person: 900, car: 900, dog: 900, cat: 900 },
    object_class_distribution: ["car", "cat", "dog", "person"].map((object_class) => ({ object_class, count: 900 })),
  });
  expect(everything.average_confidence).toBeCloseTo(0.745, 3);
  expect(everything.trends.slice(-3).map((point) => point.detection_count)).toEqual([0, 479 * 3, 721 * 3]);
  expect(await stats("object_type=Dog&object_type=unicorn")).toMatchObject({ total_detections: 900, detections_by_class: { dog: 900 } });
  expect(await stats("camera_id=cam1")).toMatchObject({ total_detections: 1_200 });
  const { trends } = await stats("start_date=2026-02-28&end_date=2026-02-28");
  expect(trends).toEqual([{ timestamp: "2026-02-28T00:00:00.000Z", detection_count: 479 * 3 }]);
  expect((await stats("start_date=2026-03-02&end_date=2026-03-01")).trends).toEqual([]);
  expect((await stats("end_date=0001-01-03")).trends).toHaveLength(3);
  expect((await stats("start_date=0001-01-01&end_date=9999-12-31")).total_detections).toBe(3_600);
});

it("agree with the list for any filter", async () => {
  const time = fc.integer({ min: 0, max: 26 * 60 }).map((n) => new Date(Date.parse("2026-02-28T10:30:00Z") + n * 60_000).toISOString());
  const edge = fc.option(
    fc.oneof(
      time,
      time.map((text) => text.slice(0, 10)),
    ),
    { nil: undefined },
  );
  const camera = fc.option(fc.constantFrom("cam0", "cam2"), { nil: undefined });
  const type = fc.option(fc.constantFrom("dog", "car"), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(edge, edge, camera, type, async (start_date, end_date, camera_id, object_type) => {
      const filter = Object.entries({ start_date, end_date, camera_id, object_type }).flatMap(([key, value]) =>
        value ? [[key, value]] : [],
      );
      const query = new URLSearchParams(Object.fromEntries(filter)).toString();
      const { items, pagination } = await desk.ask("listDetections", { query: `limit=1000&${query}` });
      const answer = await stats(query);
      expect(answer.total_detections).toBe(pagination.total);
      expect(answer.trends.reduce((sum, point) => sum + point.detection_count, 0)).toBe(pagination.total);
      if (pagination.has_more || items.length === 0) return;
      // rounded to four places; a sum halfway between two values may round either way
      const average = items.reduce((sum, item) => sum + item.confidence, 0) / items.length;
      expect(Math.abs((answer.average_confidence ?? Number.NaN) - average)).toBeLessThanOrEqual(0.000_05 + 1e-9);
    }),
    { numRuns: 60 },
  );
});

it("follow corrections and deletions", async () => {
  await desk.db.query((sql) => sql`update detections set object_type = 'bird', confidence = 1 where object_type = 'dog'`);
  await desk.db.query((sql) => sql`delete from detections where object_type <> 'bird' and detection_id % 3 > 0`);
  const [counted] = await desk.db.query(
    (sql) => sql<[{ birds: number; others: number }]>`
    select count(*) filter (where d.object_type = 'bird') as birds, count(*) filter (where d.object_type = 'car') as others from detections d
  `,
  );
  expect(await stats("object_type=bird")).toMatchObject({ total_detections: counted.birds, average_confidence: 1 });
  const { labels } = await desk.ask("listDetectionLabels");
  expect(labels[0]).toEqual({ label: "bird", count: counted.birds });
  expect(labels.find(({ label }) => label === "car")).toEqual({ label: "car", count: counted.others });
  expect(labels.map(({ label }) => label).toSorted()).toEqual(["bird", "car", "cat", "person"]);
});
