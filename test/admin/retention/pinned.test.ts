import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cleanUpDisk } from "../../../src/admin/retention/disk-pressure.ts";
import { updateReviews } from "../../../src/monitoring/events/review-repository.ts";
import type { Desk } from "../../support/operations.ts";
import { cleanUpAt, keptThumbnail, now, pastDesks } from "./stored-past.ts";

const open = pastDesks();
const pin = (desk: Desk, id: number, pinned = true) => desk.ask("updateEvent", { params: { event_id: String(id) }, body: { pinned } });
const ids = async (desk: Desk, query = "") => (await desk.ask("listEvents", { query })).items.map(({ id }) => id);
/** An alert of an event with its delivery to a webhook, as old as the event. */
const insertAlert = (desk: Desk, eventId: number, at: Date) =>
  desk.db.query(
    (sql) => sql`
      with w as (
        insert into webhooks (webhook_id, name, url, event_types, integration_type, sealed_secret, max_retries, retry_delay_seconds, total_deliveries, created_at, updated_at)
        values (gen_random_uuid(), 'Siren', 'http://127.0.0.1:9/', '{alert_fired}', 'generic', '\x01', 4, 10, 0, ${at}, ${at})
        returning webhook_id
      ), r as (
        insert into rules (rule_id, name, severity, dedup_key_template, cooldown_seconds, channels, created_at, updated_at)
        values (gen_random_uuid(), 'People', 'high', '{camera_id}', 300, '{email}', ${at}, ${at})
        returning rule_id
      ), a as (
        insert into alerts (alert_id, event_id, rule_id, rule_name, camera_id, severity, dedup_key, status, created_at, updated_at)
        select gen_random_uuid(), ${eventId}, r.rule_id, 'People', 'yard', 'high', 'yard', 'delivered', ${at}, ${at} from r
        returning alert_id
      )
      insert into webhook_deliveries (webhook_id, event_type, event_id, data, emitted_at, status, created_at, message_id)
      select w.webhook_id, 'alert_fired', a.alert_id::text, '{}', ${at}, 'success', ${at}, gen_random_uuid() from w, a
    `,
  );

describe("pinned events", () => {
  it("pinned event: outlives every cleanup with its detections, pictures, alerts and deliveries, until it is unpinned", async () => {
    const { desk, past } = await open({ DELETE_IMAGES: "true" });
    const picture = await past.picture(40);
    const event = await past.event(40);
    const detection = await past.detection(40, { eventId: event, imageId: picture.id, thumbnail: 300 });
    const other = await past.picture(40);
    await past.detection(40, { eventId: await past.event(40), imageId: other.id });
    await insertAlert(desk, event, past.ago(40));
    await pin(desk, event);
    expect(await cleanUpAt(desk, true)).toMatchObject({
      events_deleted: 1,
      detections_deleted: 1,
      images_deleted: 1,
      thumbnails_deleted: 0,
    });
    expect(await cleanUpAt(desk)).toMatchObject({ events_deleted: 1, detections_deleted: 1, images_deleted: 1, thumbnails_deleted: 0 });
    const disk = async () => ({ totalBytes: 100, usedBytes: 100, freeBytes: 0 });
    expect(await cleanUpDisk(desk.context, disk)).toMatchObject({ events: 0, detections: 0, images: 0 });
    const stays = async (): Promise<readonly boolean[]> => [
      (await ids(desk)).includes(event),
      (await past.count("detections")) === 1,
      (await past.count("alerts")) + (await past.count("webhook_deliveries")) === 2,
      existsSync(picture.path),
      existsSync(join(desk.dataDir, keptThumbnail(detection))),
    ];
    expect(await stays()).toEqual([true, true, true, true, true]);
    expect(existsSync(other.path)).toBe(false);
    await pin(desk, event, false);
    expect(await cleanUpAt(desk)).toMatchObject({ events_deleted: 1, detections_deleted: 1, images_deleted: 1, thumbnails_deleted: 1 });
    expect(await stays()).toEqual([false, false, false, false, false]);
  });

  it("pinned incident: stays with its event", async () => {
    const { desk, past } = await open();
    const incidents = await desk.db.query(
      (sql) => sql<{ id: number }[]>`
        with e as (
          insert into events (kind, camera_id, started_at, ended_at, summary)
          select 'camera_health', 'yard', ${past.ago(40)}, ${past.ago(40)}, 'Silent.' from generate_series(1, 2)
          returning event_id
        )
        insert into camera_incidents (camera_id, cause, reason, began_at, opened_at, ended_at, event_id)
        select 'yard', 'silent', 'No picture', ${past.ago(40)}, ${past.ago(40)}, ${past.ago(40)}, e.event_id from e
        returning event_id as id
      `,
    );
    const id = incidents[0]?.id ?? 0;
    await pin(desk, id);
    expect(await cleanUpAt(desk)).toMatchObject({ events_deleted: 1 });
    expect([await ids(desk, "kind=all&pinned=true"), await past.count("camera_incidents")]).toEqual([[id], 1]);
  });

  it("pinned event: says who pinned it first and when, is listed and searched, and one transaction tells live clients", async () => {
    const { desk, past } = await open();
    const [event, other] = [await past.event(1), await past.event(1)];
    await desk.db.query((sql) => sql`update events set summary = 'A ladder'`);
    await desk.db.transaction((sql) => updateReviews(sql, [{ id: event, pinned: true }], "anna", past.ago(0.5)));
    await desk.db.transaction((sql) => updateReviews(sql, [{ id: event, pinned: true, notes: "evidence" }], "ben", now));
    expect(await desk.ask("getEvent", { params: { event_id: String(event) } })).toMatchObject({
      ...{ pinned: true, pinned_at: past.ago(0.5).toISOString(), pinned_by: "anna", notes: "evidence" },
    });
    expect([await ids(desk, "pinned=true"), await ids(desk, "pinned=false")]).toEqual([[event], [other]]);
    const found = await desk.ask("searchEvents", { query: "q=ladder&pinned=true" });
    expect([found.items.map(({ id }) => id), found.pagination.total]).toEqual([[event], 1]);
    const steps = (await desk.ask("explainEvent", { params: { event_id: String(event) } })).steps;
    expect(steps.map(({ text }) => text)).toContain("anna pinned it.");
    await desk.ask("updateEvents", { body: { events: [{ id: other, pinned: true }] } });
    expect((await desk.journal("event.updated")).at(-1)).toMatchObject({ id: other, pinned: true, pinned_by: null });
    await pin(desk, event, false);
    expect(await ids(desk, "pinned=true")).toEqual([other]);
  });

  it("pinned event: is not deleted by hand, and neither are its detections, until it is unpinned", async () => {
    const { desk, past } = await open();
    const event = await past.event(1);
    const detection = await past.detection(1, { eventId: event });
    await pin(desk, event);
    const params = { event_id: String(event) };
    await expect(desk.ask("deleteEvent", { params })).rejects.toThrow(
      `Event ${event} is pinned; first unpin it: \`homesec events unpin ${event}\``,
    );
    expect((await desk.ask("deleteEvents", { body: { event_ids: [event, 999] } })).results.map(({ error }) => error)).toEqual([
      expect.stringContaining(`Event ${event} is pinned`),
      "Event 999 does not exist",
    ]);
    expect((await desk.ask("deleteDetections", { body: { detection_ids: [detection] } })).results).toMatchObject([
      { status: "failed", error: `Detection ${detection} belongs to event ${event}, which is pinned` },
    ]);
    await pin(desk, event, false);
    await desk.ask("deleteEvent", { params });
    await expect(pin(desk, event)).rejects.toThrow(`Event ${event} is deleted`);
  });
});
