import { afterEach, describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { Breaker } from "../../../src/monitoring/upstream/breaker.ts";
import { createDetector } from "../../../src/monitoring/upstream/detector.ts";
import { probeHealth } from "../../../src/monitoring/upstream/probe.ts";
import { referenceName, referencePicture } from "../../../src/monitoring/upstream/reference.ts";
import { type DeepStackServer, type DeepStackStandIn, deepStackStandIn, found } from "../../support/deepstack.ts";
import { virtualClock } from "./virtual-clock.ts";

const picture = { bytes: Buffer.from([0xff, 0xd8, 0, 13, 10, 0xff, 0xd9]), fileName: "yard.jpg", mediaType: "image/jpeg" };
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function open(...options: Parameters<typeof deepStackStandIn>): Promise<DeepStackStandIn> {
  const standIn = await deepStackStandIn(...options);
  opened.push(standIn);
  return standIn;
}

async function bench(reply: Parameters<typeof deepStackStandIn>[1]) {
  const standIn = await open("codeproject", reply);
  const clock = virtualClock();
  const breaker = new Breaker("detector", { clock });
  const detector = createDetector({ url: standIn.url, breaker, clock, log: silentLog, timeoutMs: 5_000 });
  opened.push(detector);
  return { standIn, breaker, ask: () => detector.detect({ ...picture, size: { width: 640, height: 480 } }) };
}

const corners = (x_min: number, y_min: number, x_max: number, y_max: number) => ({ x_min, y_min, x_max, y_max });

describe("deepstack: a picture", () => {
  test("is sent as image with a least confidence, and corners become boxes inside of the picture", async () => {
    const { standIn, ask } = await bench(() =>
      found(
        { label: "person", confidence: 0.91, ...corners(10, 20, 70, 140) },
        { label: "Dog", confidence: 0.6, ...corners(-5, 400, 100, 500) },
        { label: "PICKUP TRUCK", confidence: 0.5, ...corners(600.4, 10, 700, 60) },
        { label: "chair", confidence: 0.9, ...corners(1, 1, 9, 9) },
        { label: "dragon", confidence: 0.9, ...corners(1, 1, 9, 9) },
      ),
    );
    expect(await ask()).toEqual({
      kind: "detected",
      detector: standIn.url.replace("deepstack+", ""),
      detections: [
        { objectType: "person", confidence: 0.91, box: { x: 10, y: 20, width: 60, height: 120 } },
        { objectType: "dog", confidence: 0.6, box: { x: 0, y: 400, width: 100, height: 80 } },
        { objectType: "truck", confidence: 0.5, box: { x: 600, y: 10, width: 40, height: 50 } },
      ],
      ...{ inferenceMs: 7, width: null, height: null },
      leftOut: [
        { reason: "other_class", count: 1, example: "chair" },
        { reason: "unknown_class", count: 1, example: expect.stringContaining("dragon") },
      ],
    });
    const form = standIn.lastForm ?? new FormData();
    expect([...form.keys()].toSorted()).toEqual(["image", "min_confidence"]);
    expect(form.get("min_confidence")).toBe("0.1");
    expect(Buffer.from(await (form.get("image") as File).arrayBuffer())).toEqual(picture.bytes);
  });

  test("without objects is an answer, also without the optional fields", async () => {
    const { ask } = await bench(() => ({ body: { success: true, error: null, predictions: [] } }));
    expect(await ask()).toMatchObject({ kind: "detected", detections: [], inferenceMs: null, leftOut: [] });
  });

  test("keeps its other detections if one has missing fields", async () => {
    const { ask } = await bench(() =>
      found({ label: "cat", confidence: 0.7 }, { label: "cat", ...corners(1, 1, 5, 5) }, { confidence: 0.9 }, null),
    );
    const result = await ask();
    expect(result).toMatchObject({ kind: "detected", detections: [{ objectType: "cat", confidence: 0.7, box: null }] });
    expect(result.kind === "detected" && result.leftOut.map(({ reason }) => reason)).toEqual([
      "not_an_object",
      "bad_confidence",
      "unknown_class",
    ]);
  });
});

describe("deepstack: a failure never means that nothing was there", () => {
  test.each<[string, number, object | string, string, RegExp]>([
    ["success: false", 200, { success: false, error: "module is not running", predictions: [] }, "status", /module is not running/],
    ["success: false without a word", 200, { success: false, predictions: [] }, "status", /reports a failure/],
    ["an error without success", 200, { predictions: [], error: "out of memory" }, "status", /out of memory/],
    ["an error beside success", 200, { success: true, predictions: [], error: "timeout" }, "status", /timeout/],
    ["success as a word", 200, { success: "false", predictions: [] }, "status", /reports a failure/],
    ["no predictions", 200, { success: true }, "unreadable", /no list of detections/],
    ["null as predictions", 200, { success: true, predictions: null }, "unreadable", /no list of detections/],
    ["a page", 200, "<!doctype html>", "unreadable", /not JSON/],
    ["status 500", 500, { success: false, error: "no GPU" }, "status", /^status 500: .*no GPU/],
    ["status 503", 503, { success: false, error: "starting" }, "status", /^status 503: .*starting/],
    ["status 400 for everything", 400, { success: false, error: "bad" }, "status", /the service refuses everything/],
  ])("%s waits, and opens the breaker", async (_, status, body, reason, detail) => {
    const { breaker, ask } = await bench(() => ({ status, body }));
    for (let n = 1; n <= 3; n += 1) {
      expect(await ask()).toMatchObject({ kind: "unavailable", reason, detail: expect.stringMatching(detail) });
      expect(breaker.state().failure_count).toBe(n);
    }
    expect(breaker.state().state).toBe("open");
  });

  test("only status 400 for a picture, if the server goes on accepting others, refuses the picture", async () => {
    const refuse = { status: 400, body: { success: false, error: "Invalid image" } };
    const one = await bench(({ name }) => (name.startsWith(referenceName) ? found() : refuse));
    expect(await one.ask()).toMatchObject({ kind: "refused", detail: expect.stringContaining("Invalid image") });
    // The server accepts the form, but reports that it cannot work.
    const none = await bench(({ name }) => (name.startsWith(referenceName) ? { body: { success: false, error: "no model" } } : refuse));
    expect(await none.ask()).toMatchObject({ kind: "unavailable", reason: "status", detail: expect.stringContaining("no model") });
  });
});

describe("deepstack: health", () => {
  const asked: Record<DeepStackServer, string[]> = {
    codeproject: ["GET /v1/status/ping"],
    "blue-onyx": ["GET /v1/status/ping", "GET /"],
    deepstack: ["GET /v1/status/ping", "GET /"],
    bare: ["GET /v1/status/ping", "GET /", "POST /v1/vision/detection"],
  };
  test.each(Object.entries(asked))("a server like %s is healthy by %j", async (server, requests) => {
    const standIn = await open(server as DeepStackServer);
    expect(await probeHealth(standIn.url, 10_000)).toMatchObject({ healthy: true, error: null, responseMs: expect.any(Number) });
    expect(standIn.requests).toEqual(requests);
  });

  test("a server without ping and page that cannot process a picture is not healthy", async () => {
    const standIn = await open("bare", ({ size }) => ({
      body: { success: false, error: size === referencePicture.bytes.length ? "no model" : "another picture" },
    }));
    expect(await probeHealth(standIn.url, 10_000)).toMatchObject({
      healthy: false,
      error: "the detector reports a failure in its answer with status 200; its log says why: no model",
    });
    const gone = await open("codeproject");
    await gone.close();
    expect(await probeHealth(gone.url, 10_000)).toMatchObject({ healthy: false, error: expect.stringContaining("ECONNREFUSED") });
  });
});
