import { describe, expect, it } from "vitest";
import { type KnownCamera, takerOf } from "../../../src/monitoring/receivers/taker.ts";

const camera = (cameraId: string, folderPath: string, filePattern: string | null = null, deleted = false): KnownCamera => ({
  ...{ cameraId, cameraName: cameraId, folderPath, filePattern, deleted },
});
const nvr = camera("nvr", "/c/nvr");
const gate = camera("gate", "/c/nvr", "ch01*");
const yard = camera("yard", "/c/nvr", "ch02*");

describe("deliveries into shared folders", () => {
  const all = [nvr, gate, yard, camera("shed", "/c/nvr", "ch03*", true), camera("inner", "/c/nvr/attic"), camera("other", "/c/nvr2")];
  const taking = (of: KnownCamera, path: string, cameras: readonly KnownCamera[] = all) => takerOf(cameras, of, path);

  it("a camera with a pattern gets its own files, and others are refused with the fix", () => {
    expect(taking(gate, "ch01_a.jpg")).toEqual({ cameraId: "gate" });
    expect(taking(gate, "2025/ch01_a.jpg")).toEqual({ cameraId: "gate" });
    expect(taking(gate, "ch02_a.jpg")).toEqual({
      refusal:
        "Camera gate takes only ch01*, and ch02_a.jpg is one of camera yard; change the file name in the camera, or the file pattern",
    });
    expect(taking(gate, "snap.jpg")).toEqual({ refusal: expect.stringContaining("snap.jpg is one of camera nvr") });
    expect(taking(gate, "snap.jpg", [gate])).toEqual({ refusal: expect.stringContaining("snap.jpg fits no camera of the folder") });
  });

  it("a camera without a pattern delivers for its folder, but for no deleted camera", () => {
    expect(taking(nvr, "snap.jpg")).toEqual({ cameraId: "nvr" });
    expect(taking(nvr, "ch02_a.jpg")).toEqual({ cameraId: "yard" });
    expect(taking(nvr, "ch03_a.jpg")).toEqual({ refusal: expect.stringContaining("is one of the deleted camera shed") });
  });

  it("no camera delivers into the folder of another one below its own", () => {
    expect(taking(nvr, "attic/a.jpg")).toEqual({ refusal: expect.stringContaining("belongs to camera inner") });
    expect(taking(nvr, "attic2/a.jpg")).toEqual({ cameraId: "nvr" });
  });

  it("without patterns, every file is the camera's", () => {
    expect(taking(camera("other", "/c/nvr2"), "ch01_a.jpg")).toEqual({ cameraId: "other" });
  });
});
