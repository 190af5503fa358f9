import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, expect, test } from "vitest";
import { type Condition, ConditionTracker } from "../../../daemon/builtin/condition.ts";
import { type Builtin, startBuiltin } from "../../../daemon/builtin/spawn.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import type { Log } from "../../../src/base/log/log.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { Breaker } from "../../../src/monitoring/upstream/breaker.ts";
import { createDetector } from "../../../src/monitoring/upstream/detector.ts";
import { probeHealth } from "../../../src/monitoring/upstream/probe.ts";
import { eventually } from "../../support/eventually.ts";
import { onnxModel } from "../../support/onnx.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { constantModel, redFinder } from "../../support/yolo.ts";

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function modelFile(bytes?: Buffer): Promise<string> {
  const folder = temporaryFolder("own-model");
  endings.push(() => folder.remove());
  const path = join(folder.path, "mine.onnx");
  if (bytes) await writeFile(path, bytes);
  return path;
}

function start(path: string, onLine: (fields: object, message: string) => void = () => {}): Builtin {
  const child = (own: object): Log => {
    const tell = (fields: object, message: string) => onLine({ ...own, ...fields }, message);
    return { ...silentLog, child, info: tell, warn: tell, error: tell };
  };
  const log = child({});
  const builtin = startBuiltin("detector", { log, env: { DETECTOR_MODEL_PATH: path, DETECTOR_CONFIDENCE: "0.5" } });
  endings.push(() => builtin.stop());
  return builtin;
}

async function until(builtin: Builtin, state: Condition["state"]): Promise<Condition> {
  await eventually(() => builtin.condition().state === state, { what: `the condition ${state}`, timeoutMs: 30_000 });
  return builtin.condition();
}

function client(builtin: Builtin) {
  const detector = createDetector({
    url: () => builtin.url(),
    breaker: new Breaker("detector", { clock: systemClock }),
    clock: systemClock,
    log: silentLog,
  });
  endings.push(() => detector.close());
  return (bytes: Buffer) => detector.detect({ bytes, fileName: "picture.png", mediaType: "image/png" });
}

async function pictureWithRed(): Promise<Buffer> {
  const red = await sharp({ create: { width: 120, height: 60, channels: 3, background: "#f00" } })
    .png()
    .toBuffer();
  return sharp({ create: { width: 640, height: 360, channels: 3, background: "#000" } })
    .composite([{ input: red, left: 200, top: 100 }])
    .png()
    .toBuffer();
}

test("custom model: the detector uses it and reports its name and runtime in log and health", async () => {
  const lines: [object, string][] = [];
  const builtin = start(await modelFile(redFinder({ names: ["dog", "car"] })), (fields, message) => lines.push([fields, message]));
  await until(builtin, "working");
  const details = "640 x 640 pixels, YOLOv8 output, 2 of 2 classes known";
  const about = { model: "mine.onnx", runtime: expect.stringMatching(/^onnxruntime-(web|node) \d/), model_details: details };
  expect(lines).toEqual([[{ service: "detector", ...about }, "built-in service is ready"]]);
  const { healthy, body } = await probeHealth(builtin.url());
  expect(healthy).toBe(true);
  const five = { status: "healthy", model_loaded: true, device: "cpu", cuda_available: false, vram_used_gb: 0 };
  expect(body).toEqual({ ...five, ...about });
  const result = await client(builtin)(await pictureWithRed());
  expect(result).toMatchObject({ kind: "detected", width: 640, height: 360, leftOut: [] });
  if (result.kind !== "detected") return;
  expect(result.detections).toEqual([{ objectType: "dog", confidence: 0.9, box: { x: 200, y: 100, width: 120, height: 60 } }]);
});

test("custom model: an unusable model is reported to every client without ending the process", async () => {
  const cases: [string, Buffer, RegExp][] = [
    ["no ONNX", Buffer.from("this is no model"), /not ONNX/],
    ["an unknown operator", onnxModel({ nodes: [{ op: "Odd", inputs: ["images"], outputs: ["y"] }], outputs: { y: [1, 84, 9] } }), /Odd/],
  ];
  for (const [name, bytes, reason] of cases) {
    const lines: string[] = [];
    const builtin = start(await modelFile(bytes), (_, message) => lines.push(message));
    const condition = await until(builtin, "faulty");
    if (condition.state !== "faulty") continue;
    expect(condition.fault, name).toMatch(reason);
    expect(condition.fault, name).toMatch(/^The model DETECTOR_MODEL_PATH=\S+mine\.onnx cannot be used: .*; .*/);
    const pid = builtin.pid();
    const probe = await probeHealth(builtin.url());
    expect(probe).toMatchObject({ healthy: false, body: { status: "unhealthy", model_loaded: false, error: condition.fault } });
    expect(probe.error).toContain("cannot be used");
    // The picture is not at fault.
    expect(await client(builtin)(await pictureWithRed())).toMatchObject({ kind: "unavailable", reason: "status" });
    // Longer than a check of the files takes.
    if (name === "no ONNX") await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(builtin.pid()).toBe(pid);
    expect(lines.filter((line) => line.startsWith("built-in"))).toEqual(["built-in service cannot work"]);
    await builtin.stop();
  }
});

test("custom model: a repaired model is loaded automatically", async () => {
  const path = await modelFile();
  const builtin = start(path);
  expect(await until(builtin, "faulty")).toMatchObject({ fault: expect.stringContaining("there is no such file") });
  await writeFile(path, constantModel([[10, 10, 4, 4, 0.9, 0.1]], { names: ["apple", "pear"] }));
  await eventually(() => JSON.stringify(builtin.condition()).includes("none of its classes"), {
    what: "the next fault",
    timeoutMs: 30_000,
  });
  await writeFile(path.replace(".onnx", ".names"), "cat\ndog\n");
  await until(builtin, "working");
});

test.runIf(process.platform === "linux")("custom model: memory stays constant over a hundred pictures", { timeout: 120_000 }, async () => {
  const builtin = start(await modelFile(redFinder()));
  await until(builtin, "working");
  const see = client(builtin);
  const picture = await pictureWithRed();
  const residentMb = async () => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${builtin.pid()}/status`, "utf8"))?.[1]) / 1024;
  for (let n = 0; n < 20; n += 1) expect((await see(picture)).kind).toBe("detected");
  const before = await residentMb();
  for (let n = 0; n < 100; n += 1) await see(picture);
  // Allocated memory varies by about 40 MB under load. Leaking every 4.9 MB input would cost 490 MB.
  expect((await residentMb()) - before).toBeLessThan(100);
});

test("custom model: a process that keeps exiting before it is ready is reported as a fault", () => {
  const told: Condition[] = [];
  const tracker = new ConditionTracker((condition) => told.push(condition));
  for (let n = 0; n < 4; n += 1) {
    tracker.receive({ kind: "listening", port: 1, loading: true });
    tracker.exited("SIGSEGV");
  }
  expect(told.map(({ state }) => state)).toEqual(["faulty", "faulty"]);
  expect(told[0]).toMatchObject({ fault: expect.stringMatching(/ended 3 times before it was ready, last with SIGSEGV/) });
  tracker.receive({ kind: "loaded", fault: null, about: {} });
  tracker.exited("SIGKILL");
  tracker.receive({ kind: "listening", port: 1, loading: false });
  expect(told.slice(2).map(({ state }) => state)).toEqual(["working", "starting", "working"]);
});
