import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cameraOperations } from "../../../src/monitoring/cameras/operations.ts";
import { isFinding, mayHidePictures, passedOverCount, passedOverText } from "../../../src/monitoring/cameras/passed-over.ts";
import type { PassedOver } from "../../../src/work/operations/runtime.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { quietRuntime } from "../../support/runtime.ts";

const entry = (kind: PassedOver["kind"], camera_id: string | null, path: string, count = 1): PassedOver => ({
  ...{ kind, camera_id, count, path, reason: `the folder ${path} cannot be read; open it` },
});

describe("passed over: validation of camera folders", () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk();
  });
  afterEach(() => desk.close());

  it("reports what the running file watcher cannot read below a good folder, and what belongs to no camera", async () => {
    await mkdir(desk.cameraRoot, { recursive: true });
    const { folder_path } = await desk.ask("createCamera", { body: { name: "Well" } });
    const passedOver = [
      entry("unreadable_folder", "well", join(folder_path, "closed")),
      entry("side_file", "well", join(folder_path, "a.idx")),
      entry("unreadable_folder", null, join(desk.cameraRoot, "closed")),
    ];
    const watcher = { running: true, cameraRoot: desk.cameraRoot, watchMode: "notify", pending: 0, stuck: [], passedOver } as const;
    const reply = await cameraOperations.validateCameraPaths({}, { ...desk.context, runtime: quietRuntime({ watcher: () => watcher }) });
    expect(reply).toMatchObject({ valid_count: 0, invalid_count: 1 });
    expect(reply).toMatchObject({ invalid_cameras: [{ issues: [`the folder ${join(folder_path, "closed")} cannot be read; open it`] }] });
  });
});

describe("passed over: texts", () => {
  it("names one folder with the fix, and counts the others", () => {
    expect(passedOverText(entry("unreadable_folder", null, "/a"))).toBe("the folder /a cannot be read; open it");
    expect(passedOverText(entry("unreadable_folder", null, "/a", 3))).toBe("the folder /a cannot be read (and 2 more); open it");
    expect(passedOverCount(entry("side_file", "yard", "/a.idx", 12))).toBe("12 side files, such as /a.idx");
    expect(passedOverCount(entry("not_media", "yard", "/a", 1))).toBe("1 file that is no picture or video, such as /a");
  });

  it("side files and a few unfinished ones are no finding", () => {
    expect([entry("side_file", "yard", "/a", 900), entry("unfinished", "yard", "/a", 5)].some(isFinding)).toBe(false);
    expect(isFinding(entry("unfinished", "yard", "/a", 50))).toBe(true);
    expect(mayHidePictures(entry("not_media", "yard", "/a"))).toBe(false);
  });
});
