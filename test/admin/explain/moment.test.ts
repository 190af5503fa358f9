import { afterEach, beforeEach, expect, test } from "vitest";
import { shownInGerman } from "../../support/german.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { atSecond, type Stored, storedIn } from "./stored.ts";

let desk: Desk;
let stored: Stored;

beforeEach(async () => {
  desk = await openDesk({ CAMERA_OFFLINE_AFTER_SECONDS: "3600" });
  desk.at(atSecond(7_200));
  stored = storedIn(desk);
  await stored.camera("yard");
});
afterEach(() => desk.close());

const around = async (at: Date, more = "", camera = "yard") =>
  shownInGerman(await desk.ask("explainMoment", { params: { camera_id: camera }, query: `at=${at.toISOString()}${more}` }), [/^no disk$/]);

test("explain: shows the pictures and events around a time, with their outcome", async () => {
  const [first, second] = [await stored.image(), await stored.image({ detections: 0 })];
  await stored.image({ takenAt: atSecond(90) });
  const eventId = await stored.event({ images: [first], score: 42 });
  const { found, outcome, steps } = await around(atSecond(20));
  expect([found, outcome]).toEqual([true, "Camera yard, within 60 s of 2026-03-01T22:15:20.000Z: 2 pictures, 1 event."]);
  expect(steps.map(({ step }) => step)).toEqual(["camera", "detection", "detection", "event"]);
  expect(steps[1]?.text).toMatch(new RegExp(`^Image ${first}, 1.jpg: The detector .* Part of event ${eventId}.$`));
  expect(steps[2]?.text).toContain(
    `Image ${second}, 2.jpg: The detector yolo-test processed it (35 ms of inference, 40 ms in total) and found nothing`,
  );
  expect(steps[3]?.text).toContain(`Event ${eventId} raised no alert: there is no alert rule.`);
  expect((await around(atSecond(20), "&within_seconds=100")).outcome).toContain("3 pictures, 1 event");
});

test("explain: accepts the first and the last possible time, and rejects others", async () => {
  for (const at of ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]) {
    expect(await around(new Date(at), "&within_seconds=3600")).toMatchObject({ found: false });
  }
  for (const at of ["0000-01-01T00:00:00Z", "0001-01-01T00:00:00%2B12:00", "9999-12-31T23:59:59-12:00"]) {
    await expect(desk.ask("explainMoment", { params: { camera_id: "yard" }, query: `at=${at}` })).rejects.toMatchObject({
      kind: "invalid",
    });
  }
});

test("explain: says why a camera showed nothing: offline, too early, in the future, deleted, unknown", async () => {
  const [before, after] = [await stored.image({ takenAt: atSecond(0) }), await stored.image({ takenAt: atSecond(5_000) })];
  const silent = await around(atSecond(2_000));
  expect(silent).toMatchObject({ found: false, steps: [{ step: "camera" }, { step: "file_seen", status: "stopped" }] });
  expect(silent.outcome).toContain(
    `Nearest picture before: 2026-03-01T22:15:00.000Z, 33 min earlier (image ${before}); after: 2026-03-01T23:38:20.000Z, 50 min later (image ${after}).`,
  );
  expect(silent.outcome).toContain("The camera was silent for 83 min; it counts as offline after 60 min.");
  expect((await around(atSecond(-90_000))).outcome).toContain("The camera was added 2026-02-28T22:15:00.000Z.");
  expect((await around(atSecond(9_000))).outcome).toContain("That time is in the future.");
  expect((await around(atSecond(-4_000_000))).outcome).toContain("homesec deletes data older than 30 days.");
  await stored.camera("gate");
  await desk.db.query((sql) => sql`update cameras set status = 'error', status_reason = 'no disk' where camera_id = 'gate'`);
  const gate = await around(atSecond(0), "", "gate");
  expect(gate.outcome).toContain("homesec has no picture of this camera at all.");
  expect(gate.steps[0]?.text).toBe("Camera gate is error now (no disk); it has sent no picture yet.");
  await desk.ask("deleteCamera", { params: { camera_id: "gate" } });
  expect((await around(atSecond(0), "", "gate")).steps[0]).toMatchObject({
    status: "failed",
    text: expect.stringContaining("was deleted"),
  });
  await expect(around(atSecond(0), "", "nobody")).rejects.toMatchObject({ kind: "not_found" });
});
