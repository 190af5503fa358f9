import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { loadOwnModel } from "../../../../daemon/builtin/detector/model/own-model.ts";
import { detectorReadMs, mostAtBuiltIn } from "../../../../src/monitoring/upstream/detector-pace.ts";
import { temporaryFolder } from "../../../support/temporary.ts";
import { constantModel } from "../../../support/yolo.ts";
import { oneBox, Tensor } from "./tensor.ts";

const folder = temporaryFolder("pace");
afterEach(() => vi.useRealTimers());
afterAll(() => folder.remove());

/** Loads a model whose runs take these numbers of seconds in turn, with a stand-in for onnxruntime-node. */
async function load(...seconds: number[]) {
  vi.useFakeTimers({ toFake: ["performance"] });
  const run = async (_: unknown, names: readonly string[]) => {
    vi.advanceTimersByTime((seconds.shift() ?? 0) * 1_000);
    return oneBox(names, Tensor);
  };
  const runtime = { env: { versions: { node: "1.2.3" } }, InferenceSession: { create: async () => ({ run }) }, Tensor };
  const path = join(folder.path, "mine.onnx");
  await writeFile(path, constantModel([[0, 0, 10, 10, 0.9, 0]], { width: 64, height: 32 }));
  return await loadOwnModel(path, 0.5, () => Promise.resolve(runtime));
}

test("model speed: a model is refused if a picture in its queue could time out", async () => {
  await expect(load(12, 11)).rejects.toThrow("a picture takes 11 s with onnxruntime-node 1.2.3; use a smaller model");
  const slowest = 9.9;
  await load(slowest);
  // The daemon's pictures, and one of a self-test.
  expect((mostAtBuiltIn + 1) * slowest * 1_000).toBeLessThan(detectorReadMs);
});

test("model speed: a model that is slow only in its first run is accepted", async () => {
  expect((await load(12, 4)).about).toMatchObject({ model: "mine.onnx", runtime: "onnxruntime-node 1.2.3" });
});
