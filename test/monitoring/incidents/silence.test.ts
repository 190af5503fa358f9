import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { leastSilenceMs, rhythmOf } from "../../../src/monitoring/cameras/rhythm.ts";
import { offlineSilentCameras } from "../../../src/monitoring/cameras/silence.ts";
import { clearCameraError, markCameraError, markCameraSeen } from "../../../src/monitoring/cameras/status.ts";
import { followStatus } from "../../../src/monitoring/incidents/incidents.ts";
import { type AlertDesk, openAlertDesk } from "../../alerting/alerts/alert-desk.ts";

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk();
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const noon = new Date("2026-03-01T12:00:00Z");
const at = (ms: number) => new Date(noon.getTime() + ms);

/** Uploads pictures of the yard with these gaps; the last one is at noon or at the given time. */
async function uploads(gapsMs: readonly number[], last = noon): Promise<void> {
  let time = last.getTime();
  const times = [time, ...gapsMs.toReversed().map((gap) => (time -= gap))].map((ms) => new Date(ms).toISOString());
  await desk.db.transaction(async (sql) => {
    await sql`
      insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status)
      select 'yard', t.time, 1, 0, 'watch', t.time::timestamptz, t.time::timestamptz, 'processed'
      from unnest(${times}::text[]) t (time)
    `;
    await markCameraSeen(sql, "yard", noon, noon);
  });
}

/** Checks every 5 s, as the daemon does, or every `stepMs`. Returns the seconds until the yard was offline, or undefined. */
async function silentAfter(
  lookForMs: number,
  options: { readonly fixedSeconds?: number; readonly listeningSince?: Date; readonly stepMs?: number } = {},
) {
  for (let ms = 0; ms <= lookForMs; ms += options.stepMs ?? 5 * second) {
    const { fixedSeconds: offlineAfterSeconds, listeningSince } = options;
    if ((await offlineSilentCameras(desk.db, { now: at(ms), offlineAfterSeconds, listeningSince })) > 0) return ms / second;
  }
  return undefined;
}
/** Gaps of a camera that uploads on motion: ten pictures in a row, then nothing for 20 minutes. */
const onMotion = Array.from({ length: 150 }, (_, index) => (index % 10 === 0 ? 20 * minute : second));
const many = (gap: number, count = 120) => Array.from({ length: count }, (_, index) => gap + (index % 7) * 100);
const events = async () => (await desk.ask("listEvents", { query: "kind=camera_health" })).items.toReversed();

describe("how long a camera may be quiet", () => {
  it("is five pictures for one that uploads every minute, and a day for one that uploads on motion", async () => {
    await uploads(many(minute));
    expect(await silentAfter(10 * minute)).toBe(305);
    expect((await desk.journal("camera_status")).at(-1)).toMatchObject({
      status: "offline",
      reason: "No picture for 5 min, while one every 1 min is usual",
    });
    await desk.empty();
    await uploads(onMotion);
    expect(await silentAfter(2 * day, { stepMs: minute })).toBe((day + minute) / second);
    expect((await desk.journal("camera_status")).at(-1)).toMatchObject({
      status: "offline",
      reason: "No picture for 1 d; it uploads at irregular times, so it may have seen nothing",
    });
  });

  it("is what a person has set, for every camera, however it uploads", async () => {
    await uploads(many(minute));
    expect(await silentAfter(70 * minute, { fixedSeconds: 3600 })).toBe(3605);
    await desk.empty();
    await uploads(onMotion);
    expect(await silentAfter(70 * minute, { fixedSeconds: 3600 })).toBe(3605);
    await desk.empty();
    await uploads(many(minute));
    expect(await silentAfter(3 * minute, { fixedSeconds: 60 })).toBe(65);
  });

  it("is five pictures for one that uploads every six hours, once that is learned", async () => {
    await uploads(many(6 * hour, 50));
    expect(await silentAfter(2 * day, { stepMs: minute })).toBe((30 * hour + minute) / second);
  });

  it("is not learned from second names: a camera whose newest picture has a link to it is missed as soon as another one", async () => {
    await uploads(many(minute));
    // a link that is replaced for each picture, a moment later
    await desk.db.query(
      (sql) => sql`
        insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status, reason)
        select i.camera_id, 'lastsnap.jpg', 1, i.image_id, 'watch', i.found_at, i.taken_at + interval '200 ms', 'skipped', 'moved'
        from images i
      `,
    );
    expect(await silentAfter(70 * minute)).toBe(305);
  });

  it("is learned from no picture of a time that the clock has left", async () => {
    await uploads(
      Array.from({ length: 250 }, (_, index) => (index % 10 === 0 ? 20 * minute : second)),
      at(24 * 60 * minute),
    );
    await uploads(many(minute));
    expect(await silentAfter(10 * minute)).toBe(305);
  });

  it("is never less than three minutes, unless a person has set less", async () => {
    await uploads(many(10 * second, 200));
    expect(await silentAfter(10 * minute)).toBe(185);
    await desk.empty();
    await uploads(many(10 * second, 200));
    expect(await silentAfter(10 * minute, { fixedSeconds: 20 })).toBe(25);
  });

  it("ignores times when homesec was not running", async () => {
    await uploads(many(minute));
    expect(await silentAfter(20 * minute, { listeningSince: at(10 * minute) })).toBe(600 + 305);
  });

  it("does not change much with a few outages in what was learned", () => {
    const gaps = [...many(minute, 197), 5 * 60 * minute, 40 * minute, 3 * minute];
    expect(rhythmOf(gaps)?.limitMs).toBe(rhythmOf(many(minute, 197))?.limitMs);
  });

  it("holds for any gaps: never under three minutes, never under twice what 98 % of the gaps are below, in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 7_200_000 }), { maxLength: 250 }), (gaps) => {
        const rhythm = rhythmOf(gaps);
        expect(rhythmOf(gaps.toReversed())).toEqual(rhythm);
        if (!rhythm) return;
        expect(rhythm.limitMs).toBeGreaterThanOrEqual(leastSilenceMs);
        expect(gaps.filter((gap) => 2 * gap > rhythm.limitMs).length).toBeLessThanOrEqual(gaps.length * 0.02);
      }),
    );
  });

  it("is a day for a camera that paused and came back three times within a week", async () => {
    await uploads(many(minute));
    for (const day of [1, 2, 3]) {
      await desk.db.query(
        (sql) => sql`
          insert into camera_incidents (camera_id, cause, reason, began_at, opened_at, ended_at)
          values ('yard', 'silent', 'x', ${at(-day * 24 * 60 * minute)}, ${at(-day * 24 * 60 * minute)}, ${at(-day * 23 * 60 * minute)})
        `,
      );
    }
    expect(await silentAfter(2 * day, { stepMs: minute })).toBe((day + minute) / second);
  });
});

describe("a camera that fell silent", () => {
  const fallSilent = async () => {
    await uploads(many(minute));
    await silentAfter(10 * minute);
    desk.at(at(6 * minute));
    await followStatus(desk.db, at(6 * minute));
  };

  it("is one event without detections and judgement until the camera is back", async () => {
    await fallSilent();
    expect(await followStatus(desk.db, at(7 * minute))).toBe(0);
    const [event, ...others] = await events();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      ...{ kind: "camera_health", camera_id: "yard", risk_score: null, risk_level: null, analysis_status: "completed", detection_ids: [] },
      ...{ started_at: noon.toISOString(), ended_at: at(6 * minute).toISOString() },
      summary: "Camera Yard is silent: no picture for 5 min, while one every 1 min is usual.",
    });
    expect(await desk.db.query((sql) => sql`select 1 from jobs where queue = 'analyze'`)).toHaveLength(0);
    await desk.db.transaction((sql) => markCameraSeen(sql, "yard", at(125 * minute), at(125 * minute)));
    expect(await followStatus(desk.db, at(126 * minute))).toBe(1);
    expect(await events()).toMatchObject([
      {
        ended_at: at(125 * minute).toISOString(),
        summary: "Camera Yard was silent for 2 h 5 min: no picture for 5 min, while one every 1 min is usual.",
      },
    ]);
    expect((await desk.journal("event")).length).toBe(1);
    expect((await desk.journal("event.updated")).at(-1)).toMatchObject({ kind: "camera_health", ended_at: at(125 * minute).toISOString() });
  });

  it("alerts by rules of its kind, and by no other", async () => {
    await desk.rule({ name: "Any event" });
    await desk.rule({ name: "Cameras", kind: "camera_health" });
    await desk.rule({ name: "The gate", kind: "camera_health", camera_ids: ["gate"] });
    await fallSilent();
    await desk.look();
    expect(
      (await desk.verdicts()).map(({ rule_name, outcome, matched_conditions, failed_conditions }) => [
        rule_name,
        outcome,
        matched_conditions,
        failed_conditions,
      ]),
    ).toEqual([
      ["Any event", "not_matched", [], ["kind camera_health is not event"]],
      ["Cameras", "raised", ["kind = camera_health"], []],
      ["The gate", "not_matched", ["kind = camera_health"], ["camera_id yard not in [gate]"]],
    ]);
    const [event] = await events();
    expect(await desk.alerts()).toMatchObject([{ event_id: event?.id, camera_id: "yard", alert_metadata: { rule_name: "Cameras" } }]);
    const { outcome, steps } = await desk.ask("explainEvent", { params: { event_id: String(event?.id) } });
    expect(outcome).toContain('was raised by rule "Cameras"');
    expect(steps.map(({ step }) => step)).toEqual(expect.arrayContaining(["event", "rule", "alert"]));
    expect(steps.some(({ step }) => step === "score")).toBe(false);
  });

  it("is silent still when its folder could not be read for a while, until a picture comes that is later than the silence", async () => {
    await fallSilent();
    await desk.db.transaction((sql) => markCameraError(sql, "yard", "The folder is missing", at(20 * minute)));
    await followStatus(desk.db, at(20 * minute));
    await desk.db.transaction((sql) => clearCameraError(sql, "yard", at(30 * minute)));
    await followStatus(desk.db, at(31 * minute));
    const silent = "Camera Yard is silent: no picture for 5 min, while one every 1 min is usual.";
    expect((await events()).map(({ summary }) => summary)).toEqual([
      silent,
      "Camera Yard could not be read from for 11 min: the folder is missing.",
    ]);
    expect((await desk.journal("camera_status")).at(-1)).toMatchObject({
      ...{ status: "offline", previous_status: "error", reason: "No picture for 5 min, while one every 1 min is usual" },
    });
    await desk.db.transaction((sql) => markCameraError(sql, "yard", "The folder is missing", at(32 * minute)));
    await desk.db.transaction((sql) => markCameraSeen(sql, "yard", at(2 * minute), at(2 * minute)));
    await followStatus(desk.db, at(33 * minute));
    expect((await events())[0]?.summary).toBe(silent);
    await desk.db.transaction((sql) => markCameraSeen(sql, "yard", at(25 * minute), at(25 * minute)));
    await followStatus(desk.db, at(34 * minute));
    expect((await events())[0]?.summary).toContain("Camera Yard was silent for 25 min");
    expect(await followStatus(desk.db, at(35 * minute))).toBe(0);
  });

  it("that is deleted has no incident any more", async () => {
    await fallSilent();
    await desk.ask("deleteCamera", { params: { camera_id: "yard" } });
    await followStatus(desk.db, at(8 * minute));
    expect((await events())[0]?.summary).toContain("was silent for 8 min");
  });
});

it("a camera that is set offline raises no incident; a restored one starts again", async () => {
  await desk.ask("createCamera", { body: { name: "Garage" } });
  const garage = { params: { camera_id: "garage" } };
  await desk.db.transaction((sql) => markCameraSeen(sql, "garage", noon, noon));
  expect(await desk.ask("updateCamera", { ...garage, body: { status: "offline" } })).toMatchObject({ status: "offline" });
  expect(await followStatus(desk.db, at(minute))).toBe(0);
  await desk.db.transaction((sql) => markCameraSeen(sql, "garage", at(2 * minute), at(2 * minute)));
  for (let ms = 0; ms <= 2 * 60 * minute; ms += minute) await offlineSilentCameras(desk.db, { now: at(ms), offlineAfterSeconds: 3600 });
  expect(await followStatus(desk.db, at(120 * minute))).toBe(1);
  await desk.ask("deleteCamera", garage);
  await followStatus(desk.db, at(121 * minute));
  const [first, ...none] = await events();
  expect([first?.summary, none]).toEqual(["Camera Garage was silent for 1 h 59 min: no picture for 1 h.", []]);
  const later = 21 * 24 * 60 * minute;
  desk.at(at(later));
  expect(await desk.ask("restoreCamera", garage)).toMatchObject({ status: "unknown" });
  await offlineSilentCameras(desk.db, { now: at(later + minute), offlineAfterSeconds: 3600 });
  expect(await followStatus(desk.db, at(later + minute))).toBe(0);
  expect(await events()).toHaveLength(1);
});

it("a folder that cannot be read is an incident with a separate cause, besides the silence that follows", async () => {
  await desk.db.transaction((sql) => markCameraError(sql, "yard", "The folder is missing", noon));
  await followStatus(desk.db, noon);
  await desk.db.transaction((sql) => markCameraSeen(sql, "yard", at(minute), at(minute)));
  await followStatus(desk.db, at(minute));
  expect((await events()).map(({ summary }) => summary)).toEqual(["Camera Yard could not be read from for 1 min: the folder is missing."]);
});
