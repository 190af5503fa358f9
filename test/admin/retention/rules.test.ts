import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanUpDisk } from "../../../src/admin/retention/disk-pressure.ts";
import type { Desk } from "../../support/operations.ts";
import { cleanUpAt, keptThumbnail, pastDesks, type StoredPast } from "./stored-past.ts";

const open = pastDesks();
const set = (desk: Desk, body: Readonly<Record<string, unknown>>) => desk.ask("setRetention", { body });
const level = (desk: Desk, id: number, risk: string | null) =>
  desk.db.query((sql) => sql`update events set risk_level = ${risk} where event_id = ${id}`);
const left = async (desk: Desk) =>
  (await desk.db.query((sql) => sql<{ id: number }[]>`select event_id as id from events order by 1`)).map(({ id }) => id);

/** An event with a picture and a thumbnail. */
async function seen(desk: Desk, past: StoredPast, days: number, risk: string | null) {
  const picture = await past.picture(days);
  const event = await past.event(days);
  await level(desk, event, risk);
  const detection = await past.detection(days, { eventId: event, imageId: picture.id, thumbnail: 10 });
  const file = join(desk.dataDir, keptThumbnail(detection));
  return { event, has: () => [existsSync(picture.path), existsSync(file)] };
}

describe("retention rules", () => {
  it("retention rules: events, originals and thumbnails go at their own times, as the dry run says by rule", async () => {
    const { desk, past } = await open({ DELETE_IMAGES: "true" });
    await set(desk, { camera_id: "yard", risk_level: "high", event_days: 365, original_days: 60, thumbnail_days: 90 });
    await set(desk, { risk_level: "low", event_days: 7 });
    const high = await Promise.all([50, 80, 100, 400].map((days) => seen(desk, past, days, "high")));
    const low = await Promise.all([6, 8].map((days) => seen(desk, past, days, "low")));
    const other = await Promise.all([8, 31].map((days) => seen(desk, past, days, null)));
    const dry = await cleanUpAt(desk, true);
    expect(dry.by_rule).toEqual([
      {
        ...{ camera_id: "yard", risk_level: "high", event_days: 365, original_days: 60, thumbnail_days: 90 },
        ...{ events: 1, images: 3, thumbnails: 2, bytes: 320 },
      },
      {
        ...{ camera_id: null, risk_level: "low", event_days: 7, original_days: 7, thumbnail_days: 7 },
        ...{ events: 1, images: 1, thumbnails: 1, bytes: 110 },
      },
      {
        ...{ camera_id: null, risk_level: null, event_days: 30, original_days: 30, thumbnail_days: 30 },
        ...{ events: 1, images: 1, thumbnails: 1, bytes: 110 },
      },
    ]);
    const { by_rule, timestamp, dry_run, ...counts } = dry;
    expect(await cleanUpAt(desk)).toMatchObject(counts);
    expect(await left(desk)).toEqual([...high.slice(0, 3), low[0], other[0]].map((each) => each?.event).toSorted((a = 0, b = 0) => a - b));
    expect([...high, ...low, ...other].map((each) => each.has())).toEqual([
      ...[
        [true, true],
        [false, true],
        [false, false],
        [false, false],
      ],
      ...[
        [true, true],
        [false, false],
      ],
      ...[
        [true, true],
        [false, false],
      ],
    ]);
    // a second run finds nothing more to do, and each picture was counted once
    expect(await cleanUpAt(desk)).toMatchObject({ events_deleted: 0, images_deleted: 0, thumbnails_deleted: 0, space_reclaimed: 0 });
    // the ledger forgets a picture whose level nothing says any more with the rest of its camera
    expect(await past.count("images")).toBe(6);
  });

  it("retention rules: without DELETE_IMAGES no rule deletes a picture, and a full disk overrides rules but not pins", async () => {
    const { desk, past } = await open();
    await set(desk, { camera_id: "yard", event_days: 365 });
    const [old, pinned] = [await seen(desk, past, 100, "low"), await seen(desk, past, 100, "low")];
    await desk.ask("updateEvent", { params: { event_id: String(pinned.event) }, body: { pinned: true } });
    await cleanUpAt(desk);
    expect([await left(desk), old.has()[0]]).toEqual([[old.event, pinned.event], true]);
    await cleanUpDisk(desk.context, async () => ({ totalBytes: 100, usedBytes: 100, freeBytes: 0 }));
    expect(await left(desk)).toEqual([pinned.event]);
  });

  it("retention rules: refuse what cannot be, with the reason, and a preview saves nothing", async () => {
    const { desk, past } = await open({ DELETE_IMAGES: "true" });
    const refused = async (body: Readonly<Record<string, unknown>>, why: string): Promise<void> => {
      await expect(set(desk, body)).rejects.toThrow(why);
      await expect(desk.ask("previewRetention", { body })).rejects.toThrow(why);
    };
    await refused({ event_days: 90 }, "Name a camera, a risk level, or both");
    await refused({ camera_id: "yard" }, "Give at least one period");
    await refused({ camera_id: "yrad", event_days: 90 }, "Camera yrad does not exist");
    await refused(
      { risk_level: "low", event_days: 7, original_days: 8 },
      "The original pictures cannot be kept for 8 days: the events are",
    );
    await refused({ risk_level: "low", thumbnail_days: 31 }, "The thumbnails cannot be kept for 31 days: RETENTION_DAYS is 30");
    await past.event(8);
    const preview = await desk.ask("previewRetention", { body: { camera_id: "yard", event_days: 7 } });
    expect([preview.events_deleted, preview.by_rule?.map(({ events }) => events), await past.count("retention_rules")]).toEqual([
      1,
      [1, 0],
      0,
    ]);
    const rule = await set(desk, { camera_id: "yard", event_days: 40 });
    expect(rule.effective).toEqual({ event_days: 40, original_days: 30, thumbnail_days: 30 });
    expect((await set(desk, { camera_id: "yard", event_days: 7 })).id).toBe(rule.id);
    expect((await desk.ask("listRetention")).rules).toHaveLength(1);
    expect(await cleanUpAt(desk)).toMatchObject({ events_deleted: 1 });
    await desk.ask("deleteRetention", { params: { rule_id: String(rule.id) } });
    await expect(desk.ask("deleteRetention", { params: { rule_id: String(rule.id) } })).rejects.toThrow("does not exist");
  });

  it("retention rules: whatever the rules, pinned events stay, and every other one goes at the time of the rule that decides", async () => {
    const { desk, past } = await open({ DELETE_IMAGES: "true" });
    await desk.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('gate', 'Gate', '/srv/gate')`);
    const days = fc.integer({ min: 1, max: 60 });
    const camera = fc.constantFrom("yard", "gate");
    const risk = fc.constantFrom("low", "high", null);
    const rules = fc.uniqueArray(
      fc.record({ camera: fc.option(camera), risk, days }).filter((rule) => rule.camera !== null || rule.risk !== null),
      {
        ...{ maxLength: 6, selector: (rule) => `${rule.camera} ${rule.risk}` },
      },
    );
    const events = fc.array(fc.record({ camera, risk, age: fc.integer({ min: 0, max: 61 }), pinned: fc.boolean() }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(rules, events, async (someRules, someEvents) => {
        await desk.db.query((sql) => sql`truncate retention_rules, events cascade`);
        for (const rule of someRules) await set(desk, { camera_id: rule.camera, risk_level: rule.risk, event_days: rule.days });
        const ids: number[] = [];
        for (const each of someEvents) {
          const id = await past.event(each.age + 0.5);
          ids.push(id);
          await desk.db.query(
            (sql) => sql`
              update events set camera_id = ${each.camera}, risk_level = ${each.risk}, pinned_at = ${each.pinned ? past.now : null}
              where event_id = ${id}
            `,
          );
        }
        const fitting = (which: (typeof someEvents)[number]) =>
          [
            [which.camera, which.risk],
            [which.camera, null],
            [null, which.risk],
          ]
            .map(([c, r]) => someRules.find((rule) => rule.camera === c && rule.risk === r && (c !== null || r !== null)))
            .find((rule) => rule !== undefined);
        const stay = ids.filter((_, at) => {
          const each = someEvents[at];
          return each && (each.pinned || each.age + 0.5 < (fitting(each)?.days ?? 30));
        });
        const dry = await cleanUpAt(desk, true);
        const done = await cleanUpAt(desk);
        expect(await left(desk)).toEqual(stay);
        expect([dry.events_deleted, done.events_deleted]).toEqual([ids.length - stay.length, ids.length - stay.length]);
      }),
      { numRuns: 15 },
    );
  });
});
