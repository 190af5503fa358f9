import { setMaxListeners } from "node:events";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Builtin, startBuiltin } from "../../../daemon/builtin/spawn.ts";
import { peoplePicture } from "../../../src/admin/doctor/upstreams.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { Breaker } from "../../../src/monitoring/upstream/breaker.ts";
import { createDetector, type Detected, type Detector } from "../../../src/monitoring/upstream/detector.ts";
import { probeHealth } from "../../../src/monitoring/upstream/probe.ts";

const pictures = join(import.meta.dirname, "../../fixtures/pictures");

/** Left, top, right and bottom of each person, measured by eye. */
const truth: Record<string, [number, number, number, number][]> = {
  "walkway-0001.jpg": [
    [501, 157, 529, 233],
    [254, 220, 282, 307],
    [640, 241, 684, 321],
  ],
  "walkway-0180.jpg": [
    [213, 164, 245, 231],
    [374, 211, 404, 293],
    [494, 222, 527, 308],
    [569, 218, 616, 306],
    [592, 127, 619, 201],
    [679, 99, 699, 157],
    [702, 105, 719, 155],
  ],
  "walkway-0300.jpg": [
    [187, 158, 217, 232],
    [246, 160, 277, 221],
    [294, 160, 319, 232],
    [318, 211, 346, 295],
    [583, 159, 610, 234],
    [619, 161, 641, 233],
  ],
  "walkway-0420.jpg": [
    [289, 205, 324, 292],
    [555, 145, 577, 208],
  ],
};

let builtin: Builtin;
let detector: Detector;
beforeAll(async () => {
  builtin = startBuiltin("detector", { log: silentLog });
  await builtin.ready;
  const breaker = new Breaker("detector", { clock: systemClock });
  detector = createDetector({ url: builtin.url(), breaker, clock: systemClock, log: silentLog });
});
afterAll(async () => {
  await detector.close();
  await builtin.stop();
});

function load(name: string): Promise<Buffer> {
  return readFile(join(pictures, name));
}

async function see(bytes: Buffer, mediaType = "image/jpeg"): Promise<Detected> {
  const result = await detector.detect({ bytes, fileName: "picture", mediaType });
  if (result.kind !== "detected") throw new Error(`${result.kind}: ${result.detail}`);
  return result;
}

function people({ detections }: Detected): Detected["detections"] {
  return detections.filter(({ objectType }) => objectType === "person");
}

/** Counts the people who have a box around most of them, and the boxes without a person. */
function compare(detected: Detected, expected: readonly [number, number, number, number][]): { found: number; phantoms: number } {
  const matched = people(detected).map(({ box }) =>
    expected.findIndex(([left, top, right, bottom]) => {
      if (!box) return false;
      const width = Math.min(box.x + box.width, right) - Math.max(box.x, left);
      const height = Math.min(box.y + box.height, bottom) - Math.max(box.y, top);
      if (width <= 0 || height <= 0) return false;
      const shared = width * height;
      return shared / (box.width * box.height + (right - left) * (bottom - top) - shared) > 0.35;
    }),
  );
  return { found: new Set(matched.filter((index) => index >= 0)).size, phantoms: matched.filter((index) => index < 0).length };
}

test("detector: finds the people in real pictures without false positives", async () => {
  let found = 0;
  let phantoms = 0;
  let all = 0;
  for (const [name, expected] of Object.entries(truth)) {
    const detected = await see(await load(name));
    expect(detected).toMatchObject({ width: 768, height: 576, leftOut: [] });
    expect(detected.inferenceMs).toBeGreaterThan(1);
    const result = compare(detected, expected);
    found += result.found;
    phantoms += result.phantoms;
    all += expected.length;
    for (const { confidence, objectType } of detected.detections) {
      // Cars are parked at the upper right edge.
      expect(["person", "car"]).toContain(objectType);
      expect(confidence).toBeGreaterThanOrEqual(0.5);
    }
  }
  expect(phantoms).toBe(0);
  expect(found / all).toBeGreaterThanOrEqual(0.9);
});

test("detector: finds the parked cars, each once", async () => {
  const { detections } = await see(await load("walkway-0180.jpg"));
  const cars = detections.filter(({ objectType }) => objectType === "car");
  expect(cars.map(({ box }) => box && Math.round((box.x + box.width / 2) / 100))).toEqual([7, 7]);
});

test("detector: pictures that arrive together, with and without small objects, get the same answers as alone", async () => {
  const names = Object.keys(truth);
  const files = await Promise.all(names.map(load));
  const near = await sharp(files[1]).extract({ left: 360, top: 200, width: 60, height: 100 }).resize({ height: 600 }).jpeg().toBuffer();
  const all = [...files, near];
  const alone: Detected["detections"][] = [];
  for (const bytes of all) alone.push((await see(bytes)).detections);
  const together = await Promise.all([...all, ...all].map((bytes) => see(bytes)));
  expect(together.map(({ detections }) => detections)).toEqual([...alone, ...alone]);
});

test("detector: finds people in the example picture of homesec doctor", async () => {
  const { detections } = await see((await peoplePicture()).bytes);
  expect(detections.length).toBeGreaterThanOrEqual(2);
});

test("detector: finds no people on an empty lawn or in noise", async () => {
  const lawn = await sharp(await load("walkway-0001.jpg"))
    .extract({ left: 0, top: 320, width: 400, height: 256 })
    .jpeg()
    .toBuffer();
  expect(people(await see(lawn))).toEqual([]);
  const grey = { create: { width: 640, height: 480, channels: 3, background: "#777" } } as const;
  expect((await see(await sharp(grey).png().toBuffer(), "image/png")).detections).toEqual([]);
});

test("detector: large, rotated, grey, transparent and WebP pictures give the same people", async () => {
  const original = await load("walkway-0300.jpg");
  const expected = truth["walkway-0300.jpg"] ?? [];
  const scaled = (factor: number) => expected.map((box) => box.map((value) => value * factor) as (typeof expected)[number]);
  const large = await see(await sharp(original).resize({ width: 3_072 }).jpeg().toBuffer());
  expect(large).toMatchObject({ width: 3_072, height: 2_304 });
  // Stored sideways, with an orientation tag.
  const turned = await see(await sharp(original).rotate(90).withMetadata({ orientation: 8 }).jpeg().toBuffer());
  expect(turned).toMatchObject({ width: 768, height: 576 });
  const grey = await see(await sharp(original).greyscale().jpeg().toBuffer());
  const transparent = await see(await sharp(original).ensureAlpha(1).png().toBuffer(), "image/png");
  const webp = await see(await sharp(original).webp({ quality: 90 }).toBuffer(), "image/webp");
  expect(compare(large, scaled(4)).found).toBeGreaterThanOrEqual(5);
  for (const seen of [turned, grey, transparent, webp]) {
    const { found, phantoms } = compare(seen, expected);
    expect(found).toBeGreaterThanOrEqual(5);
    expect(phantoms).toBe(0);
  }
});

test("detector: tiny, narrow and wide pictures give no people", async () => {
  for (const [width, height] of [
    [1, 1],
    [20, 4_000],
    [4_000, 20],
    [63, 127],
  ] as const) {
    const bytes = await sharp({ create: { width, height, channels: 3, background: "#123" } })
      .png()
      .toBuffer();
    expect(await see(bytes, "image/png")).toMatchObject({ detections: [], width, height });
  }
});

test("detector: files that are not pictures are refused with the reason", async () => {
  const whole = await load("walkway-0001.jpg");
  const huge = await sharp({ create: { width: 8_000, height: 7_000, channels: 3, background: "#000" } })
    .png()
    .toBuffer();
  const cases: [string, Buffer, RegExp][] = [
    ["empty", Buffer.alloc(0), /empty/],
    ["text", Buffer.from("this is not a picture"), /cannot be read/],
    ["truncated", whole.subarray(0, whole.length / 2), /cannot be read/],
    ["only a header", whole.subarray(0, 200), /cannot be read/],
    ["over 50 megapixels", huge, /pixel limit/],
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"/>'), /JPEG, PNG or WebP/],
  ];
  for (const [name, bytes, reason] of cases) {
    const result = await detector.detect({ bytes, fileName: name, mediaType: "image/jpeg" });
    expect(result, name).toMatchObject({ kind: "refused", detail: expect.stringMatching(reason) });
  }
});

async function post(body: string | FormData, contentType?: string): Promise<Response> {
  return fetch(`${builtin.url()}/detect`, { method: "POST", body, ...(contentType && { headers: { "content-type": contentType } }) });
}

test("detector: requests from web pages are refused, whatever their host name", async () => {
  const ask = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(builtin.url());
      request({ host: "127.0.0.1", port, path: "/health", headers: { host: `127.0.0.1:${port}`, ...headers } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });
  expect(await ask({})).toBe(200);
  // An attacker's host name that points to this machine, a form submitted here, and a picture loaded from here.
  for (const headers of [{ host: "rebound.example" }, { origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
    expect(await ask(headers)).toBe(403);
  }
});

test("detector: accepts JSON with a base64 picture, and forms of any client", async () => {
  const bytes = await load("walkway-0420.jpg");
  const { detections: expected } = await see(bytes);
  const seen = async (response: Response) => ((await response.json()) as { detections: { confidence: number }[] }).detections;
  const base64 = bytes.toString("base64");
  const asJson = await post(JSON.stringify({ image_base64: base64 }), "application/json; charset=utf-8");
  const asDataUrl = await post(JSON.stringify({ image_base64: `data:image/jpeg;base64,${base64}` }), "application/json");
  const form = new FormData();
  form.append("comment", "not the picture");
  form.append("file", new Blob([new Uint8Array(bytes)]), "x.jpg");
  for (const response of [asJson, asDataUrl, await post(form)]) {
    expect(response.status).toBe(200);
    expect((await seen(response)).map(({ confidence }) => confidence)).toEqual(expected.map(({ confidence }) => confidence));
  }
});

test("detector: invalid requests get 400 or 404 with the expected format", async () => {
  const empty = new FormData();
  empty.append("picture", "x");
  const cases: [Response, number][] = [
    [await post("{", "application/json"), 400],
    [await post("{}", "application/json"), 400],
    [await post('{"image_base64": 5}', "application/json"), 400],
    [await post("x", "text/plain"), 400],
    [await post("--x\r\nbroken", "multipart/form-data; boundary=x"), 400],
    [await post("", "multipart/form-data"), 400],
    [await post(empty), 400],
    [await fetch(`${builtin.url()}/nothing`), 404],
  ];
  for (const [response, status] of cases) {
    expect(response.status).toBe(status);
    expect(((await response.json()) as { detail: string }).detail).not.toBe("");
  }
});

test("detector: the health response has all five fields, and names the model and its runtime", async () => {
  const probe = await probeHealth(builtin.url());
  expect(probe).toMatchObject({ healthy: true });
  expect(probe.body).toEqual({
    ...{ status: "healthy", model_loaded: true, device: "cpu", cuda_available: false, vram_used_gb: 0 },
    model: "SSDlite MobileNetV2",
    runtime: expect.stringMatching(/^onnxruntime-(web|node) \d/),
  });
});

test("detector: answers health requests between pictures and skips pictures of disconnected clients", async () => {
  const bytes = await load("walkway-0300.jpg");
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const given = Array.from({ length: 20 }, () => detector.detect({ bytes, fileName: "x", mediaType: "image/jpeg" }, stop.signal));
  const settled = Promise.allSettled(given);
  const kept = see(bytes);
  const health = await probeHealth(builtin.url(), 5_000);
  expect(health.healthy).toBe(true);
  stop.abort(new Error("enough"));
  await settled;
  const startedAt = performance.now();
  await kept;
  const keptMs = performance.now() - startedAt;
  await see(bytes);
  const oneMs = performance.now() - startedAt - keptMs;
  // Processing all twenty pictures would take much longer than the few still in progress.
  expect(keptMs).toBeLessThan(Math.max(5_000, 10 * oneMs));
});

test("detector: reports objects that reach its minimum confidence", async () => {
  const strict = startBuiltin("detector", { log: silentLog, env: { DETECTOR_CONFIDENCE: "0.9" } });
  try {
    await strict.ready;
    const form = new FormData();
    form.append("file", new Blob([new Uint8Array(await load("walkway-0300.jpg"))]));
    // The service may still be loading.
    const response = await fetch(`${strict.url()}/detect`, { method: "POST", body: form });
    const { detections } = (await response.json()) as { detections: { confidence: number }[] };
    expect(detections.length).toBeGreaterThan(0);
    expect(Math.min(...detections.map(({ confidence }) => confidence))).toBeGreaterThanOrEqual(0.9);
  } finally {
    await strict.stop();
  }
});

test.runIf(process.platform === "linux")("detector: memory stays constant over 17 pictures", { timeout: 120_000 }, async () => {
  const small = await sharp(await load("walkway-0180.jpg"))
    .resize({ width: 480 })
    .jpeg()
    .toBuffer();
  const residentMb = async () => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${builtin.pid()}/status`, "utf8"))?.[1]) / 1024;
  for (let n = 0; n < 3; n += 1) await see(small);
  const before = await residentMb();
  for (let n = 0; n < 14; n += 1) await see(small);
  // Garbage collection varies by 15 MB. Leaking only the model's input would cost 45 MB.
  expect((await residentMb()) - before).toBeLessThan(25);
});
