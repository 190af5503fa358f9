import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noGpu } from "../../../src/admin/gpu/gpu.ts";
import { insertGpuStats } from "../../../src/admin/gpu/gpu-repository.ts";
import { cleanUp } from "../../../src/admin/retention/cleanup.ts";
import { thumbnailFiles } from "../../../src/monitoring/detections/thumbnail-files.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { numberEntries, readAfter, readHead } from "../../../src/work/journal/journal-repository.ts";
import { cleanUpAt, keptThumbnail, now, pastDesks } from "./stored-past.ts";

const open = pastDesks();

describe("cleanup", () => {
  it("cleanup: deletes old events with everything that refers to them, soft-deleted ones too, and keeps the rest", async () => {
    const { desk, past } = await open();
    const batchId = await past.batch(31, "closed");
    const old = await past.event(31, { batchId });
    const oldDeleted = await past.event(31, { deleted: true });
    const young = await past.event(29);
    const youngDeleted = await past.event(29, { deleted: true });
    const gone = [
      await past.detection(31, { eventId: old, thumbnail: 500 }),
      await past.detection(31, { eventId: oldDeleted }),
      await past.detection(31),
    ];
    const kept = [await past.detection(29, { eventId: young, thumbnail: 700 }), await past.detection(29)];
    await desk.db.query(
      (sql) => sql`insert into jobs (queue, subject, position, available_at) values ('analyze', ${String(old)}, ${now}, ${now})`,
    );
    expect(await cleanUpAt(desk)).toEqual({
      events_deleted: 2,
      detections_deleted: 3,
      gpu_stats_deleted: 0,
      logs_deleted: 0,
      thumbnails_deleted: 1,
      images_deleted: 0,
      space_reclaimed: 500,
      retention_days: 30,
      dry_run: false,
      timestamp: now.toISOString(),
      by_rule: null,
    });
    const ids = await desk.db.query(async (sql) => ({
      events: (await sql<{ id: number }[]>`select event_id as id from events order by 1`).map(({ id }) => id),
      detections: (await sql<{ id: number }[]>`select detection_id as id from detections order by 1`).map(({ id }) => id),
    }));
    expect(ids).toEqual({ events: [young, youngDeleted], detections: kept });
    expect([await past.count("analysis_attempts"), await past.count("jobs"), await past.count("batches")]).toEqual([2, 0, 0]);
    expect(existsSync(join(desk.dataDir, keptThumbnail(gone[0] ?? 0)))).toBe(false);
    expect(existsSync(join(desk.dataDir, keptThumbnail(kept[0] ?? 0)))).toBe(true);
    expect((await desk.ask("getStorage")).detections_count).toBe(2);
    expect((await desk.ask("getStorage")).events_count).toBe(1);
  });

  it("cleanup: keeps a detection as long as its event, and one whose batch is open", async () => {
    const { desk, past } = await open();
    const event = await past.event(29);
    await past.detection(31, { eventId: event });
    await past.detection(31, { batchId: await past.batch(31, "open") });
    await past.detection(31, { batchId: await past.batch(31, "closed") });
    expect(await cleanUpAt(desk)).toMatchObject({ events_deleted: 0, detections_deleted: 1 });
    expect([await past.count("detections"), await past.count("batches")]).toEqual([2, 1]);
  });

  it("cleanup: deletes GPU samples, dead letters and the start of the journal; clients see a gap", async () => {
    const { desk, past } = await open();
    await desk.db.query(async (sql) => {
      await insertGpuStats(sql, past.ago(31), noGpu);
      await insertGpuStats(sql, past.ago(29), noGpu);
      await sql`
        insert into jobs (queue, subject, status, position, available_at, created_at)
        values ('detect', '1', 'dead', ${now}, ${now}, ${past.ago(31)}),
          ('detect', '2', 'dead', ${now}, ${now}, ${past.ago(29)}),
          ('detect', '3', 'pending', ${now}, ${now}, ${past.ago(31)})
      `;
      await sql`
        insert into journal (type, data, created_at)
        select 'event.deleted', '{"id": 1}', case when n <= 3 then ${past.ago(31)}::timestamptz else ${past.ago(1)}::timestamptz end
        from generate_series(1, 5) as g (n)
      `;
      await numberEntries(sql, 4);
    });
    expect(await cleanUpAt(desk)).toMatchObject({ gpu_stats_deleted: 1 });
    const jobs = await desk.db.query((sql) => sql<{ subject: string }[]>`select subject from jobs order by subject`);
    expect(jobs.map(({ subject }) => subject)).toEqual(["2", "3"]);
    const left = await desk.db.query(async (sql) => ({
      head: await readHead(sql),
      rows: await readAfter(sql, 0, 10),
      all: await past.count("journal"),
    }));
    expect(left).toMatchObject({ head: 4, rows: [{ sequence: 4 }], all: 2 });
  });

  it("cleanup: leaves no gaps in the journal, whatever times its entries have", async () => {
    const { desk, past } = await open();
    // The second was stored while the clock was ahead, the fifth has an old time.
    const times = [31, -300, 31, 1, 31, 1].map((days) => past.ago(days).toISOString());
    await desk.db.query(async (sql) => {
      await sql`
        insert into journal (type, data, created_at)
        select 'event.deleted', '{"id": 1}', t.at::timestamptz
        from unnest(${times}::text[]) with ordinality as t (at, position)
        order by t.position
      `;
      await numberEntries(sql, 10);
    });
    await cleanUpAt(desk);
    const left = await desk.db.query((sql) => readAfter(sql, 0, 10));
    expect(left.map(({ sequence }) => sequence)).toEqual([4, 5, 6]);
  });

  it("cleanup: deletes old anomalies, scene changes and closed incidents", async () => {
    const { desk, past } = await open();
    for (const days of [31, 29]) {
      await desk.db.query(async (sql) => {
        await sql`
          insert into anomalies (camera_id, occurred_at, anomaly_score, expected_frequency, observed_frequency, reason, created_at)
          values ('yard', ${past.ago(days)}, 3, 1, 9, 'many', ${past.ago(days)})
        `;
        await sql`
          insert into scene_changes (camera_id, detected_at, change_type, similarity_score) values ('yard', ${past.ago(days)}, 'view_moved', 0.4)
        `;
        await sql`
          insert into camera_incidents (camera_id, cause, reason, began_at, opened_at, ended_at)
          values ('yard', 'silent', 'nothing came', ${past.ago(40)}, ${past.ago(40)}, ${past.ago(days)})
        `;
      });
    }
    await desk.db.query(
      (sql) => sql`
        insert into camera_incidents (camera_id, cause, reason, began_at, opened_at)
        values ('yard', 'black', 'nothing to see', ${past.ago(40)}, ${past.ago(40)})
      `,
    );
    await cleanUpAt(desk);
    const [left] = await desk.db.query(
      (sql) => sql`
        select (select count(*) from anomalies) as anomalies, (select count(*) from scene_changes) as changes,
          (select count(*) from camera_incidents) as incidents
      `,
    );
    expect(left).toEqual({ anomalies: 1, changes: 1, incidents: 2 });
  });

  it("cleanup: deletes log files by date and nothing else in their folder", async () => {
    const { desk, past } = await open({ LOG_RETENTION_DAYS: "7" });
    for (const day of ["2026-02-21", "2026-02-22", "2026-02-23", "2026-03-01"]) await past.log(day, 10);
    await writeFile(join(desk.dataDir, "logs", "notes.txt"), "mine");
    const oldest = new Date(now.getTime() - 7 * 86_400_000).getDate();
    const names = (days: number[]) => days.filter((day) => day >= oldest).map((day) => `2026-02-${day}.ndjson`);
    const report = await cleanUpAt(desk);
    expect(await readdir(join(desk.dataDir, "logs"))).toEqual([...names([21, 22, 23]), "2026-03-01.ndjson", "notes.txt"]);
    expect(report).toMatchObject({ logs_deleted: 4 - 1 - names([21, 22, 23]).length, space_reclaimed: 10 * report.logs_deleted });
  });

  it("cleanup: uses the retention period that was changed at run time", async () => {
    const { desk, past } = await open();
    await past.event(5);
    await desk.ask("updateConfig", { body: { retention_days: 4 } });
    expect(await cleanUpAt(desk)).toMatchObject({ events_deleted: 1, retention_days: 4 });
  });

  it("cleanup: deletes verdicts and alerts with their events, and cooldowns that ended long ago", async () => {
    const { desk, past } = await open();
    const metadata = { rule_name: "A rule", matched_conditions: [], channels: [], reason: null };
    for (const days of [31, 29]) {
      const event = await past.event(days);
      await desk.db.query(async (sql) => {
        const [{ id }] = await sql<[{ id: string }]>`
          insert into alerts (alert_id, event_id, rule_name, camera_id, severity, dedup_key, alert_metadata, created_at, updated_at)
          values (gen_random_uuid(), ${event}, 'A rule', 'yard', 'high', 'a key', ${sql.json(metadata)}, ${past.ago(days)}, ${past.ago(days)})
          returning alert_id as id
        `;
        const verdict = (outcome: string, alertId: string | null) => sql`
          insert into rule_verdicts (event_id, rule_id, rule_name, rule_version, outcome, matched_conditions, failed_conditions, alert_id, evaluated_at)
          values (${event}, gen_random_uuid(), 'A rule', 1, ${outcome}, '{}', '{}', ${alertId}, ${past.ago(days)})
        `;
        await verdict("raised", id);
        await verdict("not_matched", null);
        await sql`insert into digests (alert_id, due_at, channels, closed_at) values (${id}, ${past.ago(days)}, '{}', ${past.ago(days)})`;
        await sql`
          insert into notifications (notification_id, alert_id, kind, channel, status, expires_at, created_at)
          values (gen_random_uuid(), ${id}, 'alert', 'email', 'sent', ${past.ago(days)}, ${past.ago(days)})
        `;
        await sql`
          insert into cooldowns (dedup_key, alert_id, rule_id, raised_at, ends_at, band)
          values (${`key ${days}`}, ${id}, gen_random_uuid(), ${past.ago(days + 1)}, ${past.ago(days)}, 0)
        `;
        await sql`
          insert into jobs (queue, subject, position, available_at) values ('alert', ${`${event}:stored:1`}, ${now}, ${now})
        `;
      });
    }
    expect(await cleanUpAt(desk)).toMatchObject({ events_deleted: 1 });
    const tables = ["alerts", "rule_verdicts", "digests", "notifications", "cooldowns", "jobs"];
    expect(await Promise.all(tables.map((table) => past.count(table)))).toEqual([1, 2, 1, 1, 1, 1]);
    expect((await desk.ask("listAlerts")).items).toMatchObject([{ created_at: past.ago(29).toISOString() }]);
  });

  it("cleanup: concurrent callers share one report", async () => {
    const { desk, past } = await open();
    for (let n = 0; n < 20; n += 1) await past.event(31);
    const reports = await Promise.all([cleanUpAt(desk), cleanUpAt(desk), cleanUpAt(desk)]);
    expect(reports.map((report) => report.events_deleted)).toEqual([20, 20, 20]);
    expect(await cleanUpAt(desk)).toMatchObject({ events_deleted: 0 });
  });

  it("cleanup: a caller with a shorter retention, or beside an aborted run, gets a run for itself", async () => {
    const { desk, past } = await open();
    for (const days of [31, 5]) await past.event(days);
    const nightly = cleanUpAt(desk);
    await desk.ask("updateConfig", { body: { retention_days: 1 } });
    const own = await cleanUpAt(desk);
    expect((await nightly).retention_days).toBe(30);
    expect(own).toMatchObject({ retention_days: 1, events_deleted: 1 });

    await past.event(3);
    const stop = new AbortController();
    const broken = cleanUp(desk.context as Parameters<typeof cleanUp>[0], { dryRun: false, signal: stop.signal });
    const beside = cleanUpAt(desk);
    stop.abort(new Error("the daemon stops"));
    await Promise.allSettled([broken]);
    expect(await beside).toMatchObject({ events_deleted: expect.any(Number), dry_run: false });
    expect(await past.count("events")).toBe(0);
  });

  it("cleanup: concurrent dry runs share one run, which ends when no caller waits for it", async () => {
    const { desk, past } = await open();
    for (let n = 0; n < 20; n += 1) await past.event(31);
    const context = desk.context as Parameters<typeof cleanUp>[0];
    const [one, other] = await Promise.all([cleanUp(context, { dryRun: true }), cleanUp(context, { dryRun: true })]);
    expect(one).toBe(other);
    const gone = new AbortController();
    const left = cleanUp(context, { dryRun: true, signal: gone.signal });
    const stays = cleanUp(context, { dryRun: true });
    gone.abort();
    await expect(left).rejects.toThrow("aborted");
    expect(await stays).toMatchObject({ events_deleted: 20, dry_run: true });
  });

  it("cleanup: deletes many rows in small transactions", async () => {
    const { desk, past } = await open();
    await desk.db.query(async (sql) => {
      await sql`
        insert into events (camera_id, started_at, ended_at)
        select 'yard', ${past.ago(40)}::timestamptz + n * interval '1 second', ${past.ago(40)}
        from generate_series(1, 1001) as g (n)
      `;
      await sql`
        insert into detections (camera_id, event_id, file_path, detected_at, object_type, confidence)
        select 'yard', e.event_id, '/x', e.started_at, 'person', 0.5
        from events e, generate_series(1, 5)
      `;
      await sql`
        insert into detections (camera_id, file_path, detected_at, object_type, confidence)
        select 'yard', '/x', ${past.ago(40)}, 'person', 0.5
        from generate_series(1, 4500)
      `;
    });
    expect(await cleanUpAt(desk, true)).toMatchObject({ events_deleted: 1001, detections_deleted: 9505 });
    expect(await cleanUpAt(desk)).toMatchObject({ events_deleted: 1001, detections_deleted: 9505 });
    expect([await past.count("events"), await past.count("detections")]).toEqual([0, 0]);
  });
});

describe("interrupted cleanup", () => {
  /** The database of a process that dies after this many transactions. */
  const dying = (db: Database, after: number): Database => {
    let left = after;
    const orDie = async <T>(work: () => Promise<T>): Promise<T> => {
      left -= 1;
      if (left < 0) throw new Error("the process died");
      return await work();
    };
    return {
      ...db,
      pool: db.pool,
      query: (work) => orDie(() => db.query(work)),
      transaction: (work) => orDie(() => db.transaction(work)),
    };
  };

  it("interrupted cleanup: the next run finishes it, wherever it stopped", async () => {
    const { desk, past } = await open({ DELETE_IMAGES: "true" });
    for (let after = 0; after < 40; after += 1) {
      const image = await past.picture(31);
      const event = await past.event(31);
      await past.detection(31, { eventId: event, imageId: image.id, thumbnail: 50 });
      await past.detection(31, { thumbnail: 60 });
      const broken = cleanUp({ ...desk.context, db: dying(desk.db, after) }, { dryRun: false });
      const died = await broken.then(
        () => false,
        () => true,
      );
      await cleanUpAt(desk);
      const thumbnails: string[] = [];
      for await (const files of thumbnailFiles(desk.dataDir)) thumbnails.push(...files.map(({ path }) => path));
      expect(thumbnails).toEqual([]);
      expect(existsSync(image.path)).toBe(false);
      expect([await past.count("events"), await past.count("detections"), await past.count("images")]).toEqual([0, 0, 0]);
      if (!died) return;
    }
    throw new Error("it was never run to its end");
  });

  it("interrupted cleanup: the next run removes leftover thumbnails and previews", async () => {
    const { desk, past } = await open();
    const path = await past.thumbnail(123_456_789, 40);
    const preview = path.replace(/jpg$/, "webp");
    await writeFile(preview, "preview");
    expect(await cleanUpAt(desk, true)).toMatchObject({ thumbnails_deleted: 2, space_reclaimed: 47 });
    expect(await cleanUpAt(desk)).toMatchObject({ thumbnails_deleted: 2, space_reclaimed: 47 });
    expect([existsSync(path), existsSync(preview)]).toEqual([false, false]);
  });

  it("interrupted cleanup: stops at once when the daemon stops", async () => {
    const { desk, past } = await open();
    await past.event(31);
    const stop = AbortSignal.abort(new Error("stopping"));
    await expect(cleanUp(desk.context, { dryRun: false, signal: stop })).rejects.toThrow("stopping");
    expect(await past.count("events")).toBe(1);
  });
});

describe("dry run", () => {
  it("dry run: changes nothing and reports what the next run does", async () => {
    const age = fc.integer({ min: 25, max: 35 });
    const detection = fc.record({ days: age, thumbnail: fc.option(fc.integer({ min: 0, max: 99 })), picture: fc.option(age) });
    const event = fc.record({ days: age, deleted: fc.boolean(), detections: fc.array(detection, { maxLength: 3 }) });
    const world = fc.record({
      events: fc.array(event, { maxLength: 5 }),
      loose: fc.array(fc.record({ detection, batch: fc.constantFrom("open", "closed", undefined) }), { maxLength: 5 }),
      looks: fc.uniqueArray(age, { maxLength: 5 }),
    });
    const { desk, past } = await open({ DELETE_IMAGES: "true", LOG_RETENTION_DAYS: "3" });
    await past.log("2026-02-01", 5);
    await fc.assert(
      fc.asyncProperty(world, async ({ events, loose, looks }) => {
        const store = async (seen: (typeof loose)[number]["detection"], how: { eventId?: number; batchId?: string }) => {
          const imageId = seen.picture === null ? undefined : (await past.picture(seen.picture)).id;
          await past.detection(seen.days, {
            ...how,
            ...(imageId !== undefined && { imageId }),
            ...(seen.thumbnail !== null && { thumbnail: seen.thumbnail }),
          });
        };
        for (const { days, deleted, detections } of events) {
          const eventId = await past.event(days, { deleted });
          for (const each of detections) await store(each, { eventId });
        }
        for (const { detection: each, batch } of loose) await store(each, batch ? { batchId: await past.batch(each.days, batch) } : {});
        for (const days of looks) await desk.db.query((sql) => insertGpuStats(sql, past.ago(days), noGpu));
        const before = [
          await past.count("events"),
          await past.count("detections"),
          await past.count("images"),
          await past.count("gpu_stats"),
        ];
        const dry = await cleanUpAt(desk, true);
        expect([
          await past.count("events"),
          await past.count("detections"),
          await past.count("images"),
          await past.count("gpu_stats"),
        ]).toEqual(before);
        const { by_rule, ...counts } = dry;
        expect(by_rule).toMatchObject([{ events: dry.events_deleted, images: dry.images_deleted, thumbnails: dry.thumbnails_deleted }]);
        expect(await cleanUpAt(desk)).toEqual({ ...counts, dry_run: false, by_rule: null });
        expect(await cleanUpAt(desk, true)).toMatchObject({
          events_deleted: 0,
          detections_deleted: 0,
          thumbnails_deleted: 0,
          images_deleted: 0,
        });
      }),
      { numRuns: 25 },
    );
  });
});
