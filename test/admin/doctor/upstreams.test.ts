import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { apiStandIn } from "../../support/api-stand-in.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { deepStackStandIn, found } from "../../support/deepstack.ts";
import {
  detectorStandIn,
  embedderStandIn,
  enrichmentStandIn,
  languageModelStandIn,
  onePerson,
  type StandIn,
  type StandInAnswer,
  visionStandIn,
} from "../../support/upstream.ts";
import { redFinder } from "../../support/yolo.ts";
import { filesIn, finds, make, skips, well } from "./support.ts";

let answer: object | string;
let services: Readonly<Record<"detector" | "language-model" | "vision" | "embedder" | "enrichment", StandIn>>;
let database: TestDatabase;
const seen = () => ({ ...onePerson(), image_width: 320, image_height: 240 });
const good = {
  detector: seen(),
  "language-model": { content: JSON.stringify({ risk_score: 42, summary: "Somebody.", reasoning: "One person." }), model: "tiny" },
  vision: { attributes: { colour: "red" }, ocr: [], caption: null },
  embedder: { embedding: [0.6, 0.8] },
  enrichment: { attributes: { colour: "red" } },
} as const;
type Name = keyof typeof good;
const names = Object.keys(good) as Name[];

beforeAll(async () => {
  const options = { answer: () => answer };
  const [detector, model, vision, embedder, enrichment] = await Promise.all([
    detectorStandIn(options),
    languageModelStandIn(options),
    visionStandIn(options),
    embedderStandIn(options),
    enrichmentStandIn(options),
  ]);
  services = { detector, "language-model": model, vision, embedder, enrichment };
  database = await testDatabase();
});
afterAll(async () => {
  await Promise.all(Object.values(services).map((service) => service.close()));
  await database.close();
});
beforeEach(() => Promise.all(Object.values(services).map((service) => service.setMode("ok"))));

const given = (name: Name) => ({ env: { [`${name.toUpperCase().replace("-", "_")}_URL`]: services[name].url } });

describe.each(names)("%s", (name) => {
  it("accepts a correct answer to a real request", async () => {
    answer = good[name];
    expect(await well(name, given(name))).toContain(services[name].url);
    expect(services[name].last?.body.length).toBeGreaterThan(100);
  });

  it.each([
    ["down", /cannot be reached.*correct \w+_URL/],
    ["refuse", /rejects the request of homesec: status 400: .*cannot be read/],
    ["error", /returns an error: status 500: .*out of memory/],
    ["garbage", /sends an answer that homesec cannot read: the answer is not JSON/],
    ["html", /the answer is not JSON: <!doctype html>.*another kind of service answers there/],
    ["busy", /too busy: status 429/],
    ["redirect", /returns an error: status 302: the service redirects to .*\/elsewhere.* set \w+_URL to the address that answers directly/],
    ["refuse_all", /returns an error: status 400, and 400 for a test request: the service refuses everything/],
    [
      401,
      /returns an error: status 401: the serv(?:er|ice) asks for a key.*(?:set \w+_URL to a proxy that adds the key|set LANGUAGE_MODEL_KEY)/,
    ],
    ["cut", /closes the connection in the middle of an answer/],
  ] as const satisfies readonly (readonly [StandInAnswer, RegExp])[])("reports a service that fails (%s)", async (mode, expected) => {
    await services[name].setMode(mode);
    expect(await finds(name, given(name))).toMatch(expected);
  });
});

describe("doctor: wrong answers of services", () => {
  it("detector: reports wrong sizes and missing fields", async () => {
    answer = {
      ...seen(),
      detections: [
        { class: "dragon", confidence: 0.9 },
        { class: "person", confidence: 700 },
      ],
    };
    expect(await finds("detector", given("detector"), "warning")).toMatch(
      /left out detections: 1 with a class that homesec does not know, such as \{"class":"dragon",.*; 1 with a confidence that cannot be read/,
    );
    answer = { ...seen(), image_width: 640, image_height: 480 };
    expect(await finds("detector", given("detector"))).toContain("it says 640 x 480 for a picture of 320 x 240");
    answer = { detections: [] };
    expect(await finds("detector", given("detector"))).toMatch(/image_width and image_height are missing; inference_time_ms is missing/);
    answer = { boxes: [] };
    expect(await finds("detector", given("detector"), "error")).toContain("has no list of detections");
  });

  it("detector: shows it a picture with people, and says whether it found one", async () => {
    const people = (...detections: readonly object[]) => {
      answer = { ...seen(), detections };
    };
    people({ class: "person", confidence: 0.91 }, { class: "chair", confidence: 0.9 }, { class: "lamp", confidence: 0.9 });
    expect(await well("detector", given("detector"))).toMatch(/: found a person with 91 %, 1 ms$/);
    const jpeg = services.detector.last?.body.subarray(services.detector.last.body.indexOf("\xff\xd8\xff", 0, "latin1")) as Buffer;
    expect(await sharp(jpeg).metadata()).toMatchObject({ format: "jpeg", width: 320, height: 240 });
    people({ class: "dog", confidence: 0.9 });
    expect(await finds("detector", given("detector"), "warning")).toBe(
      "The detector found no person in a picture with five people -> Give the detector at DETECTOR_URL a model that knows people",
    );
    people({ class: "person", confidence: 43 });
    expect(await finds("detector", given("detector"), "warning")).toMatch(
      /found a person with 43 % in a picture with five people, and DETECTION_CONFIDENCE_THRESHOLD is 50 % -> Set a lower/,
    );
    people({ class: "vehicle", confidence: 0.9 }, { class: "vehicle", confidence: 0.8 });
    expect(await finds("detector", given("detector"), "warning")).toMatch(
      /answers, but homesec left out detections: 2 with a class that homesec does not know, such as \{"class":"vehicle","confidence":0.9\}; The detector found no person/,
    );
    people({ class: "person", confidence: 0.9, bbox: "left" });
    expect(await finds("detector", given("detector"), "warning")).toContain(
      "kept detections without their box: 1 with a box that cannot be read",
    );
  });

  it("detector: talks to a server with the API of DeepStack", async () => {
    let reply = found({ label: "Person", confidence: 0.91, x_min: 10, y_min: 20, x_max: 70, y_max: 140 });
    const standIn = await deepStackStandIn("blue-onyx", () => reply);
    const origin = standIn.url.replace("deepstack+", "");
    const look = { env: { DETECTOR_URL: standIn.url } };
    expect(await well("detector", look)).toBe(`${origin}: found a person with 91 %, 7 ms`);
    const sent = standIn.lastForm ?? new FormData();
    expect(await sharp(Buffer.from(await (sent.get("image") as File).arrayBuffer())).metadata()).toMatchObject({ width: 320 });
    reply = { body: { success: false, error: "module is not running" } };
    expect(await finds("detector", look, "error")).toMatch(
      new RegExp(`returns an error: the detector reports a failure .*: module is not running -> .* curl -i ${origin}/\\. `),
    );
    reply = found();
    expect(await finds("detector", look, "warning")).toMatch(/^The detector found no person in a picture with five people/);
    await standIn.close();
    expect(await finds("detector", { env: { DETECTOR_URL: services.detector.url.replace("http", "deepstack+http") } }, "error")).toMatch(
      /status 404: nothing there answers POST \/v1\/vision\/detection/,
    );
  });

  it("detector-answers: reports a detector whose answers of the last day are of no use", async () => {
    const own = await testDatabase();
    const env = { DETECTOR_URL: "http://127.0.0.1:9/yolo" };
    const look = { env, db: own.db, now: "2026-03-01T12:00:00Z" };
    expect(await skips("detector-answers", { ...look, env: {} })).toBe("the built-in detector is in use");
    await own.db.query(async (sql) => {
      await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/yard')`;
      const leftOut = JSON.stringify([{ reason: "bad_confidence", count: 2, example: '{"class":"car","confidence":"high"}' }]);
      await sql`
        insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status, detector, left_out, started_at, finished_at)
        select 'yard', '/yard/' || n, 1, 1, 'watch', t, t, 'processed', 'http://127.0.0.1:9', (${leftOut}::text)::jsonb, t, t
        from (select n, '2026-03-01T12:00:00Z'::timestamptz - n * interval '5 hours' as t from generate_series(1, 9) as g (n)) s
      `;
    });
    // Four of the nine pictures are from the last day, which is too few.
    await well("detector-answers", look);
    await own.db.query((sql) => sql`update images set finished_at = finished_at + interval '5 hours'`);
    expect(await finds("detector-answers", look, "warning")).toMatch(
      /http:\/\/127.0.0.1:9 answers, but homesec cannot use 10 of its last 10 detections: 10 with a confidence that cannot be read, such as \{"class":"car"/,
    );
    await well("detector-answers", { ...look, env: { DETECTOR_URL: "http://127.0.0.1:8" } });
    expect(await finds("detector-answers", { ...look, env: { DETECTOR_URL: "deepstack+http://127.0.0.1:9" } })).toContain(
      "10 of its last 10",
    );
    await own.db.query((sql) => sql`update images set detection_count = 3 where path = '/yard/2'`);
    expect(await finds("detector-answers", look)).toContain("10 of its last 13 detections");
    await own.db.query((sql) => sql`update images set detection_count = 10 where path = '/yard/2'`);
    await well("detector-answers", look);
    await own.close();
  });

  it("language model: reports an answer without a risk assessment", async () => {
    answer = { content: "I think that it is quite dangerous." };
    expect(await finds("language-model", given("language-model"), "error")).toMatch(
      /but without a risk assessment: .*It wrote: I think that it is quite dangerous/,
    );
    answer = { content: '{"risk_score": 42, "summary": "Somebody."}' };
    expect(await finds("language-model", given("language-model"), "warning")).toMatch(
      /answers, but reasoning is missing; after a second try/,
    );
    answer = { words: "{}" };
    expect(await finds("language-model", given("language-model"))).toContain('no text in "content"');
  });

  it("embedder: reports an answer without a vector", async () => {
    answer = { embedding: [0, 0] };
    expect(await finds("embedder", given("embedder"))).toContain("zero or not finite");
    answer = { attributes: "red" };
    expect(await finds("vision", given("vision"))).toContain("{attributes, ocr, caption}");
  });

  it("warns about a service whose /health fails", async () => {
    const model = await apiStandIn(({ path }) => (path === "/completion" ? { body: good["language-model"] } : { status: 500, body: {} }));
    expect(await finds("language-model", { env: { LANGUAGE_MODEL_URL: model.url } }, "warning")).toContain(
      "GET /health reports a problem: status 500",
    );
    await model.close();
  });
});

describe("doctor: slow services", () => {
  it("skips a healthy one, and reports one that does not answer", async () => {
    const slow = await languageModelStandIn({ answer: () => good["language-model"], delayMs: 7_000 });
    const [patient, silent] = await Promise.all([
      make("language-model", { env: { LANGUAGE_MODEL_URL: slow.url } }),
      services.detector.setMode("hang").then(() => make("detector", given("detector"))),
    ]);
    expect(patient).toMatchObject({ status: "skipped", detail: expect.stringContaining("homesec selftest --timeout 5m") });
    expect(silent).toMatchObject({ status: "finding", finding: expect.stringContaining("does not answer in time") });
    await slow.close();
  });
});

describe("doctor: built-in services", () => {
  it("finds them through the daemon, and skips them without it", async () => {
    answer = seen();
    const daemon = await apiStandIn(({ path }) =>
      path === "/api/system/health/full" ? { body: fullHealth(services.detector.url) } : undefined,
    );
    expect(await well("detector", { daemon: { url: daemon.url } })).toMatch(/^built-in/);
    expect(await skips("language-model", { daemon: { url: daemon.url } })).toContain("the daemon does not list it");
    await services.detector.setMode("error");
    expect(await finds("detector", { daemon: { url: daemon.url } })).toMatch(/The built-in service returns an error.*Restart homesec/);
    await daemon.close();
    expect(await skips("detector")).toBe("the built-in service runs in the daemon: no daemon answers");
  });

  it("skips services that are off", async () => {
    for (const [id, variable] of [
      ["vision", "VISION_EXTRACTION_ENABLED"],
      ["enrichment", "VISION_EXTRACTION_ENABLED"],
      ["embedder", "REID_ENABLED"],
    ] as const)
      expect(await skips(id, { env: { [variable]: "false" } })).toContain(`${variable}=false`);
  });
});

describe("doctor: thresholds and models", () => {
  it("warns about thresholds that drop everything or have no effect", async () => {
    expect(await finds("service-settings", { env: { DETECTION_CONFIDENCE_THRESHOLD: "0.99" } })).toContain(
      "--detection-confidence-threshold 0.5",
    );
    expect(await finds("service-settings", { env: { DETECTION_CONFIDENCE_THRESHOLD: "0.3", DETECTOR_CONFIDENCE: "0.6" } })).toContain(
      "Set DETECTOR_CONFIDENCE=0.3",
    );
    expect(
      await finds("service-settings", { env: { DETECTION_CONFIDENCE_THRESHOLD: "0.05", DETECTOR_URL: "deepstack+http://127.0.0.1:9" } }),
    ).toContain("for nothing below 0.1, so the threshold of 0.05 has no effect");
    const doubtful = { DETECTOR_SECOND_OPINION_BELOW: "0.7", DETECTOR_URL: "http://d" };
    expect(await finds("service-settings", { env: doubtful })).toContain("DETECTOR_URL does not name two detectors");
    await well("service-settings", { env: { ...doubtful, DETECTOR_URL: "http://d,built-in" } });
    await well("service-settings");
    await well("service-settings", {
      env: { DETECTION_CONFIDENCE_THRESHOLD: "0.3", DETECTOR_CONFIDENCE: "0.6", DETECTOR_URL: "http://d" },
    });
  });

  it("reports a custom model that cannot be used", async () => {
    const folder = filesIn({ "bad.onnx": "PK\u0003\u0004 not a model at all" });
    expect(await finds("configuration", { env: { DETECTOR_MODEL_PATH: join(folder, "bad.onnx") } }, "error")).toMatch(
      /PyTorch or ZIP file, not ONNX -> export a YOLO/,
    );
    const model = join(folder, "good.onnx");
    (await import("node:fs")).writeFileSync(model, redFinder());
    await well("configuration", { env: { DETECTOR_MODEL_PATH: model } });
  });
});

describe("doctor: daemon", () => {
  const worker = (running: boolean) => ({ name: "file_watcher", running, message: running ? null : "the folder cannot be read" });
  const breaker = (state: string) => ({
    name: "detector",
    state,
    failure_count: state === "closed" ? 0 : 3,
    last_failure: null,
    last_success: null,
  });
  const queue = { running: true, waiting: 0, deferred: 0, in_progress: 0, dead: 0, oldest_waiting_seconds: null };
  const stand = (isWell: boolean) =>
    apiStandIn(({ path }) => {
      if (path === "/api/system/workers") return { body: { workers: [worker(isWell)] } };
      if (path === "/api/system/circuit-breakers") return { body: { breakers: [breaker(isWell ? "closed" : "open")] } };
      const stuck = isWell ? [] : [{ path: "/cams/yard/a.jpg", reason: "incomplete", since: "2026-03-01T12:00:00Z" }];
      return {
        body: {
          file_watcher: { running: true, camera_root: "/cams", pending: 0, stuck, watch_mode: "notify" },
          detection_worker: queue,
          batch_aggregator: { running: true, active_batches: 0, batches: [], batch_window_seconds: 90, idle_timeout_seconds: 30 },
          analysis_worker: queue,
          degradation: { mode: "normal", services: {} },
          timestamp: "2026-03-01T12:00:00Z",
        },
      };
    });

  it("reports workers, breakers and uploads with problems", async () => {
    const [sound, sick] = await Promise.all([stand(true), stand(false)]);
    const [goodOne, badOne] = [{ daemon: { url: sound.url } }, { daemon: { url: sick.url } }];
    expect(await well("daemon", goodOne)).toBe(sound.url);
    expect(await finds("daemon", { daemon: { url: sound.url, admitted: false } }, "warning")).toContain("--api-key-file");
    expect(await finds("daemon", {}, "error")).toMatch(/No homesec daemon answers.*homesec serve/);
    expect(await skips("daemon", { isDirect: true })).toBe("--direct uses no daemon");
    for (const id of ["workers", "breakers", "stuck-files"]) {
      await well(id, goodOne);
      expect(await skips(id)).toBe("no daemon answers");
    }
    expect(await finds("workers", badOne, "error")).toContain("The worker file_watcher is not running: the folder cannot be read");
    expect(await finds("breakers", badOne, "error")).toContain("homesec breakers reset detector");
    expect(await finds("stuck-files", badOne, "warning")).toContain("/cams/yard/a.jpg: incomplete");
    await Promise.all([sound.close(), sick.close()]);
  });

  it("passed-over: reports what may hide pictures, and only counts side files", async () => {
    const timestamp = "2026-03-01T12:00:00Z";
    const withPassedOver = (...passed_over: readonly object[]) =>
      apiStandIn(() => ({
        body: {
          file_watcher: { running: true, camera_root: "/cams", pending: 0, stuck: [], passed_over, watch_mode: "notify" },
          ...{ detection_worker: queue, analysis_worker: queue, degradation: { mode: "normal", services: {} }, timestamp },
          batch_aggregator: { running: true, active_batches: 0, batches: [], batch_window_seconds: 90, idle_timeout_seconds: 30 },
        },
      }));
    const entry = (kind: string, count: number, reason: string) => ({ kind, camera_id: "yard", count, path: "/cams/yard/x", reason });
    const good = await withPassedOver(entry("side_file", 12, "x is a side file"), entry("unfinished", 3, "x is unfinished"));
    expect(await well("passed-over", { daemon: { url: good.url } })).toBe("15 files beside the pictures");
    const files = await withPassedOver(entry("not_media", 7, "/cams/yard/x is no picture; ignore it"), entry("unfinished", 40, "x; y"));
    expect(await finds("passed-over", { daemon: { url: files.url } }, "warning")).toContain("/cams/yard/x is no picture (and 6 more)");
    const closed = await withPassedOver(entry("unreadable_folder", 1, "the folder /cams/yard/x cannot be read; open it"));
    expect(await finds("passed-over", { daemon: { url: closed.url } }, "error")).toMatch(/cannot be read.*open it/);
    expect(await skips("passed-over")).toBe("no daemon answers");
    await Promise.all([good, files, closed].map((daemon) => daemon.close()));
  });

  it("configuration-applied: reports changes that the running daemon could not apply", async () => {
    const event = (service: string, event_type: string, message: string) => ({
      ...{ timestamp: "2026-03-01T12:00:00Z", service, event_type, message },
    });
    const part = { status: "healthy", message: "", details: null };
    const healthWith = (...recent_events: readonly object[]) =>
      apiStandIn(() => ({
        body: {
          ...{ status: "healthy", services: { database: part, store: part, ai: part } },
          timestamp: "2026-03-01T12:00:00Z",
          recent_events,
        },
      }));
    const restart = event("configuration", "restart_needed", "restart needed: PORT");
    const [sound, old, wrong] = await Promise.all([
      healthWith(event("detector", "recovery", "works again")),
      healthWith(restart),
      healthWith(event("tls", "not_applied", "the previous TLS certificate stays in use: it does not exist"), restart),
    ]);
    const at = ({ url }: { readonly url: string }) => ({ daemon: { url } });
    await well("configuration-applied", at(sound));
    expect(await skips("configuration-applied")).toBe("no daemon answers");
    expect(await finds("configuration-applied", at(old), "warning")).toMatch(/restart needed: PORT.*systemctl restart homesec/);
    expect(await finds("configuration-applied", at(wrong), "error")).toMatch(/tls: the previous .* restart needed: PORT.*Correct/);
    await Promise.all([sound, old, wrong].map((each) => each.close()));
  });
});

function fullHealth(url: string) {
  const part = (name: string) => ({ name, status: "healthy", message: "", details: null });
  const detector = {
    name: "detector",
    display_name: "Detector",
    status: "healthy",
    url,
    response_time_ms: 1,
    circuit_state: "closed",
    error: null,
    note: null,
    last_check: "2026-03-01T12:00:00Z",
  };
  return {
    status: "healthy",
    ready: true,
    message: "",
    database: part("database"),
    store: part("store"),
    ai_services: [detector],
    circuit_breakers: { total: 5, closed: 5, open: 0, half_open: 0, breakers: { detector: "closed" } },
    workers: [],
    timestamp: "2026-03-01T12:00:00Z",
    version: "1.2.3",
  };
}
