import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  countDetections,
  type DetectionFilter,
  detectionsOfEvent,
  listDetections,
} from "../../../src/monitoring/detections/detections-repository.ts";
import { countEvents, type EventFilter, listEvents } from "../../../src/monitoring/events/events-repository.ts";
import type { Sql } from "../../../src/platform/database/database.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { planIn } from "../../support/plans.ts";
import { fillHistory } from "../../support/recorded.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await fillHistory(database.db, { cameras: 8, events: 30_000, detectionsPerEvent: 3 });
  await database.db.query((sql) => sql`vacuum analyze events, detections`);
});
afterAll(() => database.close());

const planOf = (work: (sql: Sql) => Promise<unknown>) => planIn(database.db, work, 600);

const from = new Date("2026-02-20T00:00:00Z");
const to = new Date("2026-02-21T00:00:00Z");

describe("a page of the list reads no table whole, wherever in the list it is", () => {
  const events: Record<string, EventFilter> = {
    "all events": {},
    "events of a camera": { cameraIds: ["cam3"] },
    "events of some cameras": { cameraIds: ["cam1", "cam3", "cam5"] },
    "events of a level": { riskLevels: ["critical"] },
    "events of two levels": { riskLevels: ["high", "critical"] },
    "events with a class": { objectTypes: ["dog"] },
    "events of some days": { from, to },
    "events to be reviewed": { reviewed: false },
    "events of a score": { minRiskScore: 95 },
    "events stored lately": { createdSince: new Date("2026-03-01T00:00:00Z") },
    "events of a camera stored lately": { cameraIds: ["cam2"], createdSince: new Date("2026-03-01T00:00:00Z") },
    "events of a camera and level": { cameraIds: ["cam2"], riskLevels: ["low"] },
  };
  it.each(Object.entries(events))("%s", async (_, filter) => {
    for (const after of [undefined, ["2026-02-21T00:00:00.000000Z", 20_000] as const]) {
      const { wholeTables, blocks } = await planOf((sql) => listEvents(sql, { filter, after, offset: 0, limit: 51 }));
      expect(wholeTables).toEqual([]);
      expect(blocks).toBeLessThan(600);
    }
  });

  const detections: Record<string, DetectionFilter> = {
    "all detections": {},
    "detections of a camera": { cameraIds: ["cam3"] },
    "detections of some cameras": { cameraIds: ["cam1", "cam3", "cam5"] },
    "detections of a class": { objectTypes: ["cat"] },
    "detections of two classes": { objectTypes: ["cat", "dog"] },
    "detections of some days": { from, to },
    "detections that are sure": { minConfidence: 0.95 },
    "detections of an event": { eventId: 15_000 },
    "detections of a camera and class": { cameraIds: ["cam2"], objectTypes: ["dog"] },
  };
  it.each(Object.entries(detections))("%s", async (_, filter) => {
    for (const after of [undefined, ["2026-02-21T00:00:00.000000Z", 60_000] as const]) {
      const { wholeTables, blocks } = await planOf((sql) => listDetections(sql, { filter, after, offset: 0, limit: 51 }));
      expect(wholeTables).toEqual([]);
      expect(blocks).toBeLessThan(600);
    }
  });

  it("the detections of one event", async () => {
    const { wholeTables, blocks } = await planOf((sql) => detectionsOfEvent(sql, 15_000));
    expect([wholeTables, blocks < 20]).toEqual([[], true]);
  });
});

describe("a total", () => {
  it("of what was stored lately reads no table whole", async () => {
    const { wholeTables, blocks } = await planOf((sql) =>
      countEvents(sql, { createdSince: new Date("2026-03-01T00:00:00Z"), kind: "event" }),
    );
    expect([wholeTables, blocks < 600]).toEqual([[], true]);
  });

  it("without a filter, or of cameras, touches neither table", async () => {
    for (const filter of [{}, { cameraIds: ["cam1", "cam2"] }]) {
      expect((await planOf((sql) => countEvents(sql, { ...filter, kind: "event" }))).blocks).toBeLessThan(10);
      expect((await planOf((sql) => countDetections(sql, filter))).blocks).toBeLessThan(10);
    }
  });
});
