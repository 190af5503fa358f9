import { afterEach, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { Breaker } from "../../../src/monitoring/upstream/breaker.ts";
import { createDetector, type Detector, type DetectorOptions, type DetectorResult } from "../../../src/monitoring/upstream/detector.ts";
import { timed } from "../../support/timed.ts";
import { detectorStandIn, onePerson, type StandIn, type StandInMode, type StandInOptions } from "../../support/upstream.ts";
import { virtualClock } from "./virtual-clock.ts";

const picture = { bytes: Buffer.from([0xff, 0xd8, 0, 1, 2, 13, 10, 0xff, 0xd9]), fileName: 'front "door".jpg', mediaType: "image/jpeg" };
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

interface Bench {
  readonly standIn: StandIn;
  readonly detector: Detector;
  readonly breaker: Breaker;
  readonly clock: ReturnType<typeof virtualClock>;
}

async function bench(options: StandInOptions & Partial<DetectorOptions> = {}): Promise<Bench> {
  const standIn = await detectorStandIn(options);
  const clock = virtualClock();
  const breaker = new Breaker("detector", { clock });
  const detector = createDetector({ url: standIn.url, breaker, clock, log: silentLog, timeoutMs: 1_000, ...options });
  opened.push(standIn, detector);
  return { standIn, detector, breaker, clock };
}

async function detectWith(body: object | string): Promise<DetectorResult> {
  const { detector } = await bench({ answer: () => body });
  return detector.detect(picture);
}

/** Number of parts that were left out, by reason. */
function leftOutOf(result: DetectorResult): Record<string, number> {
  return Object.fromEntries(result.kind === "detected" ? result.leftOut.map(({ reason, count }) => [reason, count]) : []);
}

function answerWith(...detections: unknown[]): object {
  return { detections, inference_time_ms: 12.5, image_width: 640, image_height: 480 };
}

test("sends the picture unchanged as the form field file, and says what was seen", async () => {
  const { detector, standIn } = await bench();
  const result = await detector.detect(picture);
  expect(result).toEqual({
    kind: "detected",
    detector: standIn.url,
    detections: [{ objectType: "person", confidence: 0.9, box: { x: 10, y: 20, width: 60, height: 120 } }],
    inferenceMs: 1,
    width: 768,
    height: 576,
    leftOut: [],
  });
  const sent = standIn.last;
  const form = await new Response(sent?.body, { headers: { "content-type": sent?.contentType ?? "" } }).formData();
  const file = form.get("file") as File;
  expect([...form.keys()]).toEqual(["file"]);
  expect(file.type).toBe("image/jpeg");
  expect(Buffer.from(await file.arrayBuffer())).toEqual(picture.bytes);
});

test("an empty list is an answer", async () => {
  expect(await detectWith(answerWith())).toMatchObject({ kind: "detected", detections: [], inferenceMs: 12.5, leftOut: [] });
});

test("detector: classes other than the nine are left out and counted, with an example", async () => {
  const entries = ["person", "Dog", "traffic light", "", null, 7].map((name) => ({ class: name, confidence: 0.8, bbox: null }));
  const result = await detectWith(answerWith(...entries));
  expect(result).toMatchObject({
    leftOut: [
      { reason: "other_class", count: 1, example: "traffic light" },
      { reason: "unknown_class", count: 3, example: '{"class":"","confidence":0.8,"bbox":null}' },
    ],
  });
  expect(result.kind === "detected" && result.detections.map(({ objectType }) => objectType)).toEqual(["person", "dog"]);
});

const boxes: [name: string, bbox: unknown, expected: unknown][] = [
  ["inside", { x: 1, y: 2, width: 3, height: 4 }, { x: 1, y: 2, width: 3, height: 4 }],
  ["fractions are rounded at their edges", { x: 1.4, y: 1.6, width: 3.2, height: 3.2 }, { x: 1, y: 2, width: 4, height: 3 }],
  ["beyond the left upper corner", { x: -10, y: -20, width: 30, height: 40 }, { x: 0, y: 0, width: 20, height: 20 }],
  ["beyond the right lower corner", { x: 630, y: 470, width: 1e308, height: 1e308 }, { x: 630, y: 470, width: 10, height: 10 }],
  ["wholly outside", { x: 700, y: 10, width: 5, height: 5 }, "outside"],
  ["ends where the picture begins", { x: -5, y: 10, width: 5, height: 5 }, "outside"],
  ["no width", { x: 5, y: 5, width: 0, height: 5 }, "empty_box"],
  ["less than half a pixel", { x: 5, y: 5, width: 0.3, height: 5 }, "empty_box"],
  ["negative height", { x: 5, y: 5, width: 5, height: -5 }, "bad_box"],
  ["text", { x: "5", y: 5, width: 5, height: 5 }, "bad_box"],
  ["null in it", { x: null, y: 5, width: 5, height: 5 }, "bad_box"],
  ["a list that may be corners or sizes", [1, 2, 3, 4], "bad_box"],
  ["corners instead of sizes", { x1: 1, y1: 1, x2: 3, y2: 3 }, { x: 1, y: 1, width: 2, height: 2 }],
  ["absent", undefined, null],
];

test.each(boxes)("detector: a detection is kept, with a box that can be read: %s", async (_, bbox, expected) => {
  const result = await detectWith(answerWith({ class: "cat", confidence: 0.7, bbox }));
  const box = typeof expected === "string" ? null : expected;
  expect(result).toMatchObject({ kind: "detected", detections: [{ objectType: "cat", confidence: 0.7, box }] });
  expect(leftOutOf(result)).toEqual(typeof expected === "string" ? { [expected]: 1 } : {});
});

test("a confidence that is none costs that detection only", async () => {
  const values = [0.5, 0, 1, -0.1, 1.1, "0.9", null, true, [0.9]].map((confidence) => ({ class: "car", confidence, bbox: null }));
  const result = await detectWith(answerWith(...values));
  expect(leftOutOf(result)).toEqual({ bad_confidence: 6 });
  expect(result.kind === "detected" && result.detections.map(({ confidence }) => confidence)).toEqual([0.5, 0, 1]);
});

test("detector: NaN and Infinity, as Python writes them, cost one detection or its box", async () => {
  const text = `{"detections": [{"class": "person", "confidence": NaN, "bbox": null},
    {"class": "person", "confidence": 0.8, "bbox": {"x": -Infinity, "y": 1, "width": 2, "height": 3}},
    {"class": "person", "confidence": 1e999, "bbox": null},
    {"class": "person", "confidence": 0.9, "label": "says \\"NaN\\" here", "bbox": {"x": 1, "y": 1, "width": 2, "height": 3}}],
    "inference_time_ms": NaN, "image_width": 100, "image_height": 100}`;
  const result = await detectWith(text);
  expect(result).toMatchObject({
    kind: "detected",
    detections: [
      { confidence: 0.8, box: null },
      { confidence: 0.9, box: { x: 1, y: 1, width: 2, height: 3 } },
    ],
    inferenceMs: null,
  });
  expect(leftOutOf(result)).toEqual({ bad_confidence: 2, bad_box: 1 });
});

test("entries that are no objects and an absurd number of detections do no harm", async () => {
  const many = Array.from({ length: 2_000 }, (_, n) => ({ class: "person", confidence: n / 2_000, bbox: null }));
  const result = await detectWith(answerWith(null, 5, "person", [], ...many));
  expect(leftOutOf(result)).toEqual({ not_an_object: 4, too_many: 1_500 });
  expect(result.kind === "detected" && result.detections.length === 500 && result.detections[0]?.confidence).toBe(0.9995);
});

test("without the size of the picture boxes still are whole, positive pixels", async () => {
  const body = { detections: [{ class: "bus", confidence: 0.6, bbox: { x: -3, y: 4.2, width: 1e12, height: 9 } }] };
  expect(await detectWith(body)).toMatchObject({
    detections: [{ box: { x: 0, y: 4, width: 65_535, height: 9 } }],
    width: null,
    height: null,
    inferenceMs: null,
  });
});

test.each([
  ["a list", "[]"],
  ["null", "null"],
  ["no detections", '{"objects": []}'],
  ["detections that are no list", '{"detections": {"0": {}}}'],
  ["cut JSON", '{"detections": [{"class": "person"'],
  ["very deep", "[".repeat(1_000_000)],
])("an answer that is no detector's answer means later: %s", async (_, body) => {
  expect(await detectWith(body)).toMatchObject({ kind: "unavailable", reason: "unreadable" });
});

const failures: [StandInMode, string][] = [
  ["down", "unreachable"],
  ["hang", "timeout"],
  ["slow", "timeout"],
  ["reset", "broke_off"],
  ["cut", "broke_off"],
  ["garbage", "unreadable"],
  ["html", "unreadable"],
  ["empty", "unreadable"],
  ["huge", "unreadable"],
  ["error", "status"],
  ["redirect", "status"],
];

test.each(failures)("a detector in mode %s is unavailable (%s), and counts as failed", async (mode, reason) => {
  const { detector, standIn, breaker, clock } = await bench();
  await standIn.setMode(mode);
  const result = await detector.detect(picture);
  expect(result).toMatchObject({ kind: "unavailable", reason });
  expect(result.kind === "unavailable" && result.retryAt.getTime() > clock.now().getTime() && result.detail !== "").toBe(true);
  expect(breaker.state().failure_count).toBe(1);
  await standIn.setMode("ok");
  expect((await detector.detect(picture)).kind).toBe("detected");
  expect(breaker.state().failure_count).toBe(0);
});

test("a redirect is not followed", async () => {
  const { detector, standIn } = await bench();
  await standIn.setMode("redirect");
  await detector.detect(picture);
  expect(standIn.requests).toBe(1);
});

test("a picture that is refused is the picture's fault", async () => {
  const { detector, standIn, breaker } = await bench();
  await standIn.setMode("refuse");
  for (let n = 0; n < 5; n += 1) {
    expect(await detector.detect(picture)).toEqual({
      kind: "refused",
      reason: "refused",
      detail: 'status 400: {"detail":"the picture cannot be read"}',
    });
  }
  expect(breaker.state().state).toBe("closed");
});

test("a detector that asks to come later is asked later, and is not counted as failed", async () => {
  const { detector, standIn, breaker } = await bench();
  await standIn.setMode("busy");
  expect(await detector.detect(picture)).toMatchObject({ kind: "unavailable", reason: "busy", retryAt: new Date("2026-01-31T22:00:07Z") });
  expect(breaker.state().failure_count).toBe(0);
});

test("only what is asked for while nothing has failed yet may be at fault, not what comes into an outage", async () => {
  const { detector, standIn } = await bench();
  const suspects: unknown[] = [];
  for (const mode of ["ok", "error", "error", "ok", "reset", "error"] as const) {
    await standIn.setMode(mode);
    const result = await detector.detect(picture);
    if (result.kind === "unavailable") suspects.push(result.suspect);
  }
  expect(suspects).toEqual([true, false, true, false]);
});

test("after three failures the breaker opens until one trial", async () => {
  const { detector, standIn, clock } = await bench({ timeoutMs: 500 });
  await standIn.setMode("error");
  for (let n = 0; n < 3; n += 1) await detector.detect(picture);
  expect(await detector.detect(picture)).toMatchObject({
    kind: "unavailable",
    reason: "breaker_open",
    retryAt: new Date("2026-01-31T22:00:30Z"),
  });
  expect(standIn.requests).toBe(3);
  clock.advance(30_000);
  await standIn.setMode("hang");
  const startedAt = performance.now();
  const [trial, other] = await Promise.all([detector.detect(picture), detector.detect(picture)]);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect(trial).toMatchObject({ reason: "timeout", retryAt: new Date("2026-01-31T22:01:00Z") });
  expect(other).toMatchObject({ reason: "breaker_open" });
  expect(standIn.requests).toBe(4);
  clock.advance(30_000);
  await standIn.setMode("ok");
  expect((await detector.detect(picture)).kind).toBe("detected");
  expect((await detector.detect(picture)).kind).toBe("detected");
});

test("a caller that aborts gets its own reason at once, and no failure is counted", async () => {
  const { detector, standIn, breaker } = await bench({ timeoutMs: 10_000 });
  await standIn.setMode("hang");
  const reason = new Error("stopping");
  const stop = new AbortController();
  setTimeout(() => stop.abort(reason), 30);
  await expect(detector.detect(picture, stop.signal)).rejects.toBe(reason);
  await expect(detector.detect(picture, stop.signal)).rejects.toBe(reason);
  expect(breaker.state().failure_count).toBe(0);
});

test("an address with a path and a changed address are used as they are at the moment of the call", async () => {
  const other = await detectorStandIn({ answer: () => onePerson(0.55) });
  opened.push(other);
  let url = "not an address";
  const { detector } = await bench({ url: () => url });
  expect(await detector.detect(picture)).toMatchObject({ kind: "unavailable", reason: "unreachable" });
  url = `${other.url}/`;
  expect(await detector.detect(picture)).toMatchObject({ kind: "detected", detections: [{ confidence: 0.55 }] });
  url = `${other.url}/elsewhere`;
  expect(await detector.detect(picture)).toMatchObject({ kind: "unavailable", reason: "status" });
});

test("a detector that answers at once costs little: 80 KB in under 2 ms", timed, async () => {
  const { detector } = await bench();
  const large = { ...picture, bytes: Buffer.alloc(80_000, 1) };
  const times: number[] = [];
  for (let n = 0; n < 200; n += 1) {
    const startedAt = performance.now();
    await detector.detect(large);
    times.push(performance.now() - startedAt);
  }
  // the median of the second half, including the server in this process; other tests may be running
  expect(times.slice(100).sort((a, b) => a - b)[50]).toBeLessThan(5);
});
