import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import type { Clock } from "../../../src/base/clock/clock.ts";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { picturePath, renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";
import { detectorStandIn, type StandIn } from "../../support/upstream.ts";
import { black, shifted } from "../scenes/sequences.ts";

/*
 * A whole daemon, real pictures, real folders. Three cameras: one is turned, one is dead and sends black pictures, one sends the same
 * picture again and again. A look at each second, and 15 s of the clock between two pictures.
 */

let database: TestDatabase;
let detector: StandIn;
/** Receives the rule's `webhook` channel and an outbound webhook. */
let channel: Receiver;
let hook: Receiver;
let daemon: TestDaemon;
let socket: WebSocket;
let ahead = 0;
const heard: { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[] = [];

const ask = async (call: string, body?: object) => {
  const [method = "GET", path = ""] = call.split(" ");
  const init = body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(`${daemon.url}/api/${path}`, { method, ...init });
  expect(response.status, call).toBeLessThan(300);
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely in tests
  return (await response.json()) as any;
};
const incidents = async (cameraId: string): Promise<readonly { id: number; summary: string }[]> =>
  (await ask(`GET events?kind=camera_health&camera_id=${cameraId}`)).items;
const posted = () => channel.received.map(({ body }) => JSON.parse(body));
const told = () => hook.received.map(({ body }) => JSON.parse(body));

let pictures = 0;
async function upload(camera: string, bytes: Buffer, modified?: Date): Promise<void> {
  pictures += 1;
  await renameIn(join(daemon.cameraRoot, camera, `${String(pictures).padStart(4, "0")}.jpg`), bytes, modified);
}
/** Waits until the worker has processed the newest picture of each camera. */
const looks = () => new Promise((resolve) => setTimeout(resolve, 1_300));

beforeAll(async () => {
  const nothing = { detections: [], inference_time_ms: 1, image_width: 768, image_height: 576 };
  [database, detector, channel, hook] = await Promise.all([
    testDatabase(),
    detectorStandIn({ answer: () => nothing }),
    receiver(),
    receiver(),
  ]);
  const clock: Clock = { now: () => new Date(Date.now() + ahead), monotonic: () => performance.now() };
  daemon = await testDaemon({
    env: { DATABASE_URL: database.url, DETECTOR_URL: detector.url, DEFAULT_WEBHOOK_URL: channel.url, CAMERA_CHECK_SECONDS: "1" },
    clock,
  });
  socket = new WebSocket(`${daemon.url.replace("http", "ws")}/ws/events`);
  socket.on("message", (text) => heard.push(JSON.parse(String(text))));
  await new Promise((resolve) => socket.once("open", resolve));
  await ask("POST alerts/rules", { name: "A camera needs me", kind: "camera_health", severity: "high", channels: ["webhook"] });
  await ask("POST outbound-webhooks", { name: "All", url: hook.url, event_types: ["event_created", "anomaly_detected"] });

  await upload("turned", await uniqueJpeg());
  const references = () => database.db.query((sql) => sql`select 1 from camera_views v where v.camera_id = 'turned'`);
  await eventually(async () => (await references()).length === 1, { what: "the first look" });
  const still = await readFile(picturePath(3));
  for (let round = 0; round < 8; round += 1) {
    ahead += 15_000;
    await Promise.all([
      upload("turned", await shifted(await readFile(picturePath(round)), 0.3)),
      upload("dead", await black()),
      upload("stuck", still),
    ]);
    await looks();
  }
}, 90_000);
afterAll(async () => {
  socket.terminate();
  await daemon.stop();
  await Promise.all([database.close(), detector.close(), channel.close(), hook.close()]);
});

describe("from pictures in a folder to the recipient:", () => {
  test.each([
    ["turned", /^Camera turned sees something else than before: the camera was moved/],
    ["dead", /^Camera dead sends black pictures: no picture shows anything\.$/],
    ["stuck", /^Camera stuck sends the same picture again and again: the last \d+ pictures have the same content/],
  ])("the camera that is %s: one incident, its alert and its message", async (camera, summary) => {
    await eventually(() => posted().some((each) => each.alert.dedup_key.startsWith(`${camera}:`)));
    const [incident, ...others] = await incidents(camera);
    expect(others).toEqual([]);
    expect(incident?.summary).toMatch(summary);
    const { items: alerts } = await ask(`GET alerts?camera_id=${camera}`);
    expect(alerts).toMatchObject([
      { event_id: incident?.id, severity: "high", alert_metadata: { matched_conditions: ["kind = camera_health"] } },
    ]);
    expect(posted().filter(({ alert }) => alert.event_id === incident?.id)).toMatchObject([{ type: "security_alert" }]);
    await eventually(() => told().some(({ event_type, data }) => event_type === "event_created" && data.id === incident?.id));
    expect(heard.find(({ type, data }) => type === "event" && data["id"] === incident?.id)?.data).toMatchObject({ kind: "camera_health" });
  });

  test.each([
    ["dead", "black"],
    ["stuck", "same picture"],
  ])("live clients hear of the camera that is %s with the reason", (camera, reason) => {
    const statuses = heard.filter(({ type, data }) => type === "camera_status" && data["camera_id"] === camera);
    expect(statuses.at(-1)?.data).toMatchObject({ status: "online", reason: expect.stringContaining(reason) });
  });

  test("the scene change is stored, broadcast and sent, and once it is acknowledged it is over", async () => {
    const { scene_changes, total_changes } = await ask("GET cameras/turned/scene-changes");
    expect(total_changes).toBe(1);
    const [change] = scene_changes;
    expect(change).toMatchObject({ change_type: "view_moved", acknowledged: false, file_path: expect.stringContaining("/turned/") });
    expect(heard.filter(({ type }) => type === "scene_change").map(({ data }) => data)).toEqual([
      expect.objectContaining({ id: change.id }),
    ]);
    const sent = await eventually(() => told().find(({ event_type }) => event_type === "anomaly_detected"));
    expect(sent.data).toMatchObject({ kind: "scene_change", camera_id: "turned", score: change.similarity_score });

    await ask(`POST cameras/turned/scene-changes/${change.id}/acknowledge`);
    await upload("turned", await shifted(await readFile(picturePath(1)), 0.3));
    const end = await eventually(() => posted().find(({ type }) => type === "security_alert_ended"));
    expect(end.incident).toMatchObject({
      camera_id: "turned",
      summary: expect.stringContaining("Camera turned saw something else than before for"),
    });
    await looks();
    expect((await ask("GET cameras/turned/scene-changes")).total_changes).toBe(1);
  });

  test("a camera whose clock jumps: one incident, its alert and its reason, until its clock is right again", async () => {
    const uploads = async (count: number, hoursBehind: number) => {
      for (let index = 0; index < count; index += 1) {
        await upload("drifting", await uniqueJpeg(index), new Date(Date.now() - hoursBehind * 3_600_000));
      }
    };
    const reasons = () =>
      heard.filter(({ type, data }) => type === "camera_status" && data["camera_id"] === "drifting").map(({ data }) => data["reason"]);
    await uploads(1, 0);
    await looks();
    await uploads(24, 0);
    await looks();
    expect(await incidents("drifting")).toEqual([]);
    await uploads(5, 1);
    const [incident] = await eventually(
      async () => {
        const found = await incidents("drifting");
        return found.length > 0 ? found : undefined;
      },
      { timeoutMs: 20_000 },
    );
    expect(incident?.summary).toMatch(
      /^Camera drifting has a clock that jumped: the times of its files jumped back by (1 h|59 min|1 h 1 min) against their arrival\.$/,
    );
    await eventually(() => posted().some(({ alert }) => alert?.event_id === incident?.id));
    await eventually(() => reasons().includes(incident?.summary));
    await uploads(5, 0);
    await eventually(() => posted().find(({ type, incident: over }) => type === "security_alert_ended" && over.camera_id === "drifting"), {
      timeoutMs: 20_000,
    });
    expect((await incidents("drifting")).map(({ summary }) => summary)).toEqual([
      expect.stringMatching(/^Camera drifting had a clock that had jumped for /),
    ]);
    expect(reasons().at(-1)).toMatch(/^Over after .*: The times of its files jumped back/);
  });

  test("a dead camera that sends pictures again: the incident ends and its recipients are notified", async () => {
    await upload("dead", await uniqueJpeg(2));
    await eventually(() => posted().find(({ type, incident }) => type === "security_alert_ended" && incident.camera_id === "dead"), {
      timeoutMs: 20_000,
    });
    expect((await incidents("dead"))[0]?.summary).toMatch(/^Camera dead sent black pictures for /);
  });
});
