import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { startBuiltin } from "../../daemon/builtin/spawn.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { Problem } from "../../src/contract/problem.ts";
import { namesInMetadata } from "../../src/monitoring/detector-model/class-names.ts";
import { readModelFile } from "../../src/monitoring/detector-model/model-file.ts";
import { probeHealth } from "../../src/monitoring/upstream/probe.ts";
import { eventually } from "../support/eventually.ts";
import { onnxModel } from "../support/onnx.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { constantModel, redFinder } from "../support/yolo.ts";
import { mutated } from "./bytes.ts";
import { cpuMsOf, holds, isLong, sampleOf, seedNote, testTimeoutMs } from "./support.ts";

const folder = temporaryFolder("models");
afterAll(() => folder.remove());
const path = join(folder.path, "mine.onnx");

const bases = {
  red: redFinder({ width: 64, height: 64 }),
  constant: constantModel([[10, 10, 5, 5, 0.9, 0.1]], { width: 64, height: 64, names: ["person", "car"] }),
  weights: onnxModel({
    nodes: [],
    constants: { w: { dims: [500], values: new Float32Array(500) } },
    outputs: { out: [1, 84, 8_400] },
    metadata: { names: '["person"]', task: "detect" },
  }),
};

test(
  "fuzz models: any model file is read, or rejected with file, reason and fix",
  async () => {
    await holds(mutated(bases), { few: 150, many: 30_000 }, ({ bytes }) => {
      writeFileSync(path, bytes);
      try {
        const { width, height, outputNames } = readModelFile(path);
        expect([width >= 32, height >= 32, width <= 4_096, height <= 4_096, outputNames.length > 0]).not.toContain(false);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        expect(error.kind).toBe("invalid");
        expect(error.message).toMatch(/mine\.onnx cannot be used: .+; .+/s);
      }
    });
  },
  testTimeoutMs,
);

test("fuzz models: class names are read in a time proportional to their length", async () => {
  const size = isLong ? 1_000_000 : 100_000;
  const texts = ["1", " ", "'", '"', "\\", "'\\", '"\\', "1 ", "1:", "{", "'a", "0: 'a', ", "\\'", '\\"'].map((piece) =>
    piece.repeat(size / piece.length),
  );
  for (const text of [
    ...texts,
    ...texts.map((each) => `'${each}`),
    ...texts.map((each) => `"${each}`),
    ...texts.map((each) => `{0: ${each}`),
  ]) {
    const cpuMs = await cpuMsOf(() => namesInMetadata(text));
    expect(cpuMs, JSON.stringify(text.slice(0, 20))).toBeLessThan(3_000);
  }
});

test(
  "fuzz models: class names written by Python and as JSON are read back unchanged",
  async () => {
    const name = fc.string({ unit: fc.constantFrom(..."abc éµ'\"\\:,{}[]0 "), maxLength: 12 });
    await holds(fc.array(name, { minLength: 1, maxLength: 8 }), { few: 200, many: 5_000 }, (names) => {
      const quoted = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
      expect(namesInMetadata(`{${names.map((each, at) => `${at}: ${quoted(each)}`).join(", ")}}`)).toEqual(names);
      expect(namesInMetadata(`[${names.map(quoted).join(", ")}]`)).toEqual(names);
      expect(namesInMetadata(JSON.stringify(names))).toEqual(names);
    });
  },
  testTimeoutMs,
);

test(
  "fuzz models: the detector explains why it cannot run a model, and continues",
  async () => {
    for (const { bytes, base, edits } of sampleOf(mutated(bases), { few: 1, many: 150 })) {
      const note = `${seedNote} ${JSON.stringify({ base, edits })}`;
      writeFileSync(path, bytes);
      const builtin = startBuiltin("detector", { log: silentLog, env: { DETECTOR_MODEL_PATH: path, DETECTOR_CONFIDENCE: "0.5" } });
      try {
        await eventually(() => ["working", "faulty"].includes(builtin.condition().state), {
          what: `an end of loading ${note}`,
          timeoutMs: 40_000,
        });
        const pid = builtin.pid();
        const { healthy, error } = await probeHealth(builtin.url(), 5_000);
        if (builtin.condition().state === "faulty") expect(error, note).not.toBeNull();
        else expect(healthy, note).toBe(true);
        expect(builtin.pid(), note).toBe(pid);
      } finally {
        await builtin.stop();
      }
    }
  },
  testTimeoutMs,
);
