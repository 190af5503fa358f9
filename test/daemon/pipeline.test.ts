import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import WebSocket from "ws";
import type { Clock } from "../../src/base/clock/clock.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { timed } from "../support/timed.ts";
import { detectorStandIn, languageModelStandIn, onePerson, type StandIn } from "../support/upstream.ts";

let database: TestDatabase;
let detector: StandIn;
let model: StandIn;
let daemon: TestDaemon;
/** How far the daemon's clock is ahead, so that the test need not wait for the breaker's half minute. */
let aheadMs = 0;
const clock: Clock = { now: () => new Date(Date.now() + aheadMs), monotonic: () => performance.now() + aheadMs };

beforeEach(async () => {
  aheadMs = 0;
  [database, detector, model] = await Promise.all([testDatabase(), detectorStandIn(), languageModelStandIn()]);
  daemon = await testDaemon({
    env: {
      DATABASE_URL: database.url,
      DETECTOR_URL: detector.url,
      LANGUAGE_MODEL_URL: model.url,
      BATCH_WINDOW_SECONDS: "3",
      BATCH_IDLE_TIMEOUT_SECONDS: "1",
    },
    clock,
  });
});

afterEach(async () => {
  await daemon.stop();
  await Promise.all([detector.close(), model.close(), database.close()]);
});

async function get<T>(path: string): Promise<T> {
  const response = await fetch(`${daemon.url}${path}`);
  return (await response.json()) as T;
}

interface EventList {
  readonly items: readonly {
    readonly id: number;
    readonly camera_id: string;
    readonly risk_score: number | null;
    readonly risk_level: string | null;
    readonly reasoning: string;
    readonly analysis_status: string;
    readonly detection_ids: readonly number[];
  }[];
  readonly pagination: { readonly total: number };
}

describe("from a picture to a scored event", () => {
  test("a picture in a new folder produces a camera, detections, an event and a score, announced live in order", async () => {
    const heard: { type: string; sequence?: number; data: Record<string, unknown> }[] = [];
    const socket = new WebSocket(`${daemon.url.replace("http", "ws")}/ws/events`);
    socket.on("message", (text) => heard.push(JSON.parse(String(text))));
    await new Promise((resolve) => socket.once("open", resolve));

    await renameIn(join(daemon.cameraRoot, "front_door", "2026", "01", "a.jpg"), await uniqueJpeg());
    const judged = await eventually(() => heard.find(({ type, data }) => type === "event.updated" && data["risk_score"] === 42));
    socket.close();

    expect(judged.data).toMatchObject({ camera_id: "front_door", risk_level: "medium", analysis_status: "completed", detection_count: 1 });
    const order = heard.map(({ type }) => type).filter((type) => type !== "worker_status");
    expect(order).toEqual([
      "connected",
      "camera_status", // registered
      "camera_status", // online
      "detection.new",
      "detection.batch",
      "event",
      "batch.analysis_started",
      "event.updated",
      "batch.analysis_completed",
    ]);
    const sequences = heard.flatMap(({ sequence }) => sequence ?? []);
    expect(sequences).toEqual(sequences.map((_, index) => (sequences[0] as number) + index));

    const events = await get<EventList>("/api/events");
    expect(events.pagination.total).toBe(1);
    expect(events.items[0]).toMatchObject({
      camera_id: "front_door",
      risk_score: 42,
      risk_level: "medium",
      reasoning: "It was one person.",
    });
    const detections = await get<{ items: { id: number; object_type: string; event_id: number }[] }>("/api/detections");
    expect(detections.items).toMatchObject([{ object_type: "person", event_id: events.items[0]?.id }]);
    const cameras = await get<{ cameras: { camera_id: string; status: string }[] }>("/api/cameras");
    expect(cameras.cameras).toMatchObject([{ camera_id: "front_door", status: "online" }]);
    const snapshot = await fetch(`${daemon.url}/api/cameras/front_door/snapshot`);
    expect([snapshot.status, snapshot.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  });

  test("pictures within the idle time form one event, and later ones the next", async () => {
    for (const name of ["a", "b", "c"]) await renameIn(join(daemon.cameraRoot, "yard", `${name}.jpg`), await uniqueJpeg());
    await eventually(async () => (await get<EventList>("/api/events")).pagination.total === 1);
    await renameIn(join(daemon.cameraRoot, "yard", "d.jpg"), await uniqueJpeg());
    const events = await eventually(async () => {
      const list = await get<EventList>("/api/events");
      return list.pagination.total === 2 && list.items.every(({ analysis_status }) => analysis_status === "completed") ? list : undefined;
    });
    expect(events.items.map(({ detection_ids }) => detection_ids.length)).toEqual([1, 3]);
  });

  test("batches close within 250 ms of their due time, by idle time and by window", timed, async () => {
    const lateness = () =>
      database.db.query(
        (sql) => sql<{ late_ms: number; reason: string }[]>`
          select (extract(epoch from b.closed_at - b.due_at) * 1000)::float8 as late_ms, b.close_reason as reason
          from batches b
          where b.status = 'closed'
          order by b.opened_at`,
      );
    // by the idle time
    await renameIn(join(daemon.cameraRoot, "idle", "a.jpg"), await uniqueJpeg());
    await eventually(async () => (await lateness()).length === 1);
    // by the window: a picture every 0.4 s for more than 3 s
    for (let n = 0; n < 9; n += 1) {
      await renameIn(join(daemon.cameraRoot, "busy", `${n}.jpg`), await uniqueJpeg(n));
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    await eventually(async () => (await lateness()).some(({ reason }) => reason === "window"));
    await eventually(async () => (await database.db.query((sql) => sql`select 1 from batches b where b.status = 'open'`)).length === 0);
    for (const { late_ms } of await lateness()) {
      expect(late_ms).toBeGreaterThanOrEqual(0);
      expect(late_ms).toBeLessThan(250);
    }
  });

  test("detector down: pictures are deferred, and processed automatically when it responds again", async () => {
    await detector.setMode("down");
    for (const name of ["a", "b", "c", "d", "e"]) await renameIn(join(daemon.cameraRoot, "yard", `${name}.jpg`), await uniqueJpeg());
    const statuses = () =>
      database.db.query((sql) => sql<{ status: string }[]>`select i.status from images i`).then((rows) => rows.map(({ status }) => status));
    await eventually(async () => (await statuses()).filter((status) => status === "deferred").length === 5);
    const health = await fetch(`${daemon.url}/api/system/health`);
    expect([health.status, ((await health.json()) as { status: string }).status]).toEqual([503, "degraded"]);
    await detector.setMode("ok");
    aheadMs += 31_000;
    await eventually(async () => (await statuses()).every((status) => status === "processed"), { timeoutMs: 45_000 });
    const detections = await get<{ pagination: { total: number } }>("/api/detections");
    expect(detections.pagination.total).toBe(5);
  });

  test("language model down: the event is stored without a score, and scored when the model responds again", async () => {
    await model.setMode("error");
    await renameIn(join(daemon.cameraRoot, "yard", "a.jpg"), await uniqueJpeg());
    const [event] = await eventually(async () => {
      const { items } = await get<EventList>("/api/events");
      return items.length === 1 ? items : undefined;
    });
    expect(event).toMatchObject({ risk_score: null, risk_level: null, reasoning: "", analysis_status: "pending" });
    await eventually(() => model.requests >= 1);
    await model.setMode("ok");
    aheadMs += 31_000;
    await eventually(async () => (await get<EventList>("/api/events")).items[0]?.risk_score === 42, { timeoutMs: 45_000 });
  });

  test("two unreadable replies leave a failed analysis with null score and empty reasoning", async () => {
    await model.close();
    model = await languageModelStandIn({ answer: () => ({ content: "I would rather not say." }) });
    await daemon.stop();
    daemon = await testDaemon({
      env: { DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, BATCH_IDLE_TIMEOUT_SECONDS: "1" },
    });
    await renameIn(join(daemon.cameraRoot, "yard", "a.jpg"), await uniqueJpeg());
    const event = await eventually(async () => {
      const { items } = await get<EventList>("/api/events");
      return items[0]?.analysis_status === "failed" ? items[0] : undefined;
    });
    expect(event).toMatchObject({ risk_score: null, risk_level: null, reasoning: "" });
    expect(model.requests).toBe(2);
    const pipeline = await get<{ analysis_worker: { dead: number } }>("/api/system/pipeline");
    expect(pipeline.analysis_worker.dead).toBe(1);
  });

  test("a picture that the detector refuses is skipped with the reason and becomes a dead letter; the next one is processed", async () => {
    await detector.setMode("refuse");
    await renameIn(join(daemon.cameraRoot, "yard", "a.jpg"), await uniqueJpeg());
    const rows = () =>
      database.db.query(
        (sql) => sql<{ status: string; reason: string | null }[]>`select i.status, i.reason from images i order by i.image_id`,
      );
    await eventually(async () => (await rows())[0]?.status === "skipped");
    expect(await rows()).toMatchObject([{ status: "skipped", reason: "refused" }]);
    const pipeline = await get<{ detection_worker: { dead: number } }>("/api/system/pipeline");
    expect(pipeline.detection_worker.dead).toBe(1);
    await detector.setMode("ok");
    await renameIn(join(daemon.cameraRoot, "yard", "b.jpg"), await uniqueJpeg());
    await eventually(async () => (await rows())[1]?.status === "processed");
  });

  test("detections below the confidence threshold are discarded, and the picture is still processed", async () => {
    await daemon.stop();
    await detector.close();
    detector = await detectorStandIn({ answer: () => onePerson(0.49) });
    daemon = await testDaemon({ env: { DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url } });
    await renameIn(join(daemon.cameraRoot, "yard", "a.jpg"), await uniqueJpeg());
    const images = () =>
      database.db.query((sql) => sql<{ status: string; count: number }[]>`select i.status, i.detection_count as count from images i`);
    await eventually(async () => (await images())[0]?.status === "processed");
    expect(await images()).toEqual([{ status: "processed", count: 0 }]);
    expect((await get<{ items: unknown[] }>("/api/detections")).items).toEqual([]);
  });

  test("a text file named like a picture is skipped with a reason and never reaches the detector", async () => {
    await renameIn(join(daemon.cameraRoot, "yard", "x.jpg"), Buffer.from("this is no picture\n".repeat(50)));
    await writeFile(join(daemon.cameraRoot, "yard", "note.txt"), "nor is this");
    const rows = () =>
      database.db.query((sql) => sql<{ status: string; reason: string | null }[]>`select i.status, i.reason from images i`);
    await eventually(async () => (await rows()).length === 1);
    expect(await rows()).toEqual([{ status: "skipped", reason: "not_an_image" }]);
    expect(detector.requests).toBe(0);
  });
});
