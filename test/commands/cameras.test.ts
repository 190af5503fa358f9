import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baselineConfigView, baselineView } from "../../commands/cameras/baseline/views.ts";
import { sceneChangeView } from "../../commands/cameras/scene-changes.ts";
import { Baseline, BaselineConfig } from "../../src/contract/routes/baselines.ts";
import { SceneChange } from "../../src/contract/routes/scenes.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { type ServedDesk, serveDesk, ways } from "../support/served-desk.ts";

let served: ServedDesk;

beforeAll(async () => {
  served = await serveDesk();
  const { desk } = served;
  const folder = join(desk.cameraRoot, "yard");
  await mkdir(folder);
  await desk.db.query(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', ${folder}), ('gone', 'Gone', ${join(desk.cameraRoot, "gone")})`;
    for (const view of ["view_moved", "view_blocked", "unknown"]) {
      await sql`
        insert into scene_changes (camera_id, detected_at, change_type, similarity_score)
        values ('yard', '2026-03-01T11:00:00Z', ${view}, 0.4)
      `;
    }
  });
});
afterAll(() => served.close());

describe.each(ways)("cameras, %s", (way) => {
  const homesec = (...args: string[]) => served.homesec(way, args);

  it("cameras: validate names unusable folders and ends with exit code 7", async () => {
    const { code, out, err } = await homesec("cameras", "validate");
    expect(code).toBe(7);
    expect(out).toMatch(/^CAMERA +FOLDER +RESULT\ngone +\/.*\nyard +\/.* ok\n$/);
    expect(err).toContain("1 of 2 folders can be used; CAMERA_ROOT is ");
    expect(JSON.parse((await homesec("cameras", "validate", "-o", "json")).out)).toMatchObject({ total_cameras: 2, invalid_count: 1 });
  });

  it("cameras: list and show tell people which command explains a silent camera", async () => {
    await served.desk.db.query((sql) => sql`update cameras set status = 'error' where camera_id = 'gone'`);
    const why = "gone is in error: `homesec explain --camera gone --at now` says why\n";
    expect((await homesec("cameras", "list")).err).toBe(why);
    expect((await homesec("cameras", "show", "gone")).err).toBe(why);
    expect((await homesec("cameras", "show", "yard")).err).toBe("");
    expect((await homesec("cameras", "list", "-o", "ndjson")).err).toBe("");
    expect((await homesec("explain", "--camera", "gone", "--at", "now")).out).toContain("Camera gone is error now");
  });

  it("cameras: baseline show and config print the active settings", async () => {
    expect((await homesec("cameras", "baseline", "show", "yard")).out).toMatch(/^camera +yard \(Yard\)\nstate +still learning\n/);
    expect(JSON.parse((await homesec("cameras", "baseline", "show", "yard", "-o", "json")).out)).toMatchObject({ camera_id: "yard" });
    expect((await homesec("cameras", "baseline", "config", "yard", "--threshold-stdev", "3")).out).toMatch(
      /threshold +3 standard deviations\nsamples +at least 10 per hour\nscope +this camera\n/,
    );
    const back = await homesec("cameras", "baseline", "config", "yard", "--no-override-global-config", "-o", "json");
    expect(JSON.parse(back.out)).toMatchObject({ override_global_config: false, threshold_stdev: 2 });
    expect((await homesec("cameras", "baseline", "config", "yard", "--threshold-stdev", "9")).code).toBe(2);
    expect((await homesec("cameras", "baseline", "config", "moon")).code).toBe(3);
    expect(await homesec("cameras", "baseline", "anomalies", "yard")).toMatchObject({ code: 0, out: "", err: "no anomalies\n" });
    expect((await homesec("cameras", "baseline", "anomalies", "yard", "--days", "91")).code).toBe(2);
  });

  it("cameras: baseline reset asks for confirmation", async () => {
    const reset = (args: readonly string[], options = {}) =>
      served.homesec(way, ["cameras", "baseline", "reset", "yard", ...args], options);
    expect(await reset([])).toMatchObject({ code: 2, out: "", err: expect.stringContaining("--yes") });
    expect(await reset([], { terminal: 100, input: "no\n" })).toMatchObject({
      code: 2,
      err: expect.stringContaining("nothing was changed"),
    });
    expect(await reset([], { terminal: 100, input: "" })).toMatchObject({ code: 2, err: expect.stringContaining("no answer") });
    const agreed = await reset([], { terminal: 100, input: "y\n" });
    expect([agreed.code, agreed.err]).toEqual([0, "Delete the baseline of yard? This cannot be undone. [y/N] "]);
    expect(JSON.parse((await reset(["--yes", "-o", "json"])).out)).toEqual({
      activity_baselines_deleted: 0,
      class_baselines_deleted: 0,
    });
    expect((await homesec("cameras", "baseline", "reset", "moon", "--yes")).code).toBe(3);
  });

  it("cameras: scene-changes are listed and acknowledged", async () => {
    const id = way === "--direct" ? "2" : "1";
    const open = await homesec("cameras", "scene-changes", "list", "yard", "--no-acknowledged");
    expect(open.out).toMatch(/^ID +WHEN +CHANGE +SIMILARITY +STATE +PICTURE\n/);
    expect(open.out).toMatch(/ 1 h ago +view blocked +40 % +new\n/);
    const done = await homesec("cameras", "scene-changes", "ack", "yard", id, "-o", "json");
    expect(JSON.parse(done.out)).toMatchObject({ id: Number(id), acknowledged: true });
    const { scene_changes, total_changes } = JSON.parse((await homesec("cameras", "scene-changes", "list", "yard", "-o", "json")).out);
    expect([scene_changes.length, total_changes]).toEqual([3, 3]);
    expect((await homesec("cameras", "scene-changes", "list", "yard", "--acknowledged", "-o", "id")).out).toContain(`${id}\n`);
    expect((await homesec("cameras", "scene-changes", "ack", "yard", "99")).code).toBe(3);
    expect((await homesec("cameras", "scene-changes", "list", "moon")).code).toBe(3);
  });
});

it("cameras: snapshot saves the newest picture and never overwrites a file", async () => {
  const { desk, homesec } = served;
  const file = join(desk.cameraRoot, "yard", "a.jpg");
  const snapshot = (...args: string[]) => homesec("over HTTP", ["cameras", "snapshot", "yard", ...args]);
  expect(await snapshot()).toMatchObject({ code: 3, err: expect.stringContaining("no picture yet") });
  const bytes = await uniqueJpeg();
  await renameIn(file, bytes);
  await desk.db.query(
    (sql) => sql`
      insert into images (camera_id, path, size_bytes, modified_ns, media_type, found_by, found_at, taken_at, status)
      values ('yard', ${file}, ${bytes.length}, 1, 'image/jpeg', 'watch', now(), now(), 'processed')
    `,
  );
  const saved = await snapshot("-o", "json");
  expect(JSON.parse(saved.out)).toEqual({ file: join(desk.dataDir, "yard.jpg"), media_type: "image/jpeg", size_bytes: bytes.length });
  expect(await readFile(join(desk.dataDir, "yard.jpg"))).toEqual(bytes);
  expect((await snapshot()).code).toBe(5);
  expect((await snapshot("--to", "nowhere/a.jpg")).code).toBe(2);
  await rm(join(desk.dataDir, "yard.jpg"));
});

it("cameras: views have every field of the contract", async () => {
  expect(await baselineView.fields()).toEqual(Object.keys(Baseline.shape));
  expect(await baselineConfigView.fields()).toEqual(Object.keys(BaselineConfig.shape));
  expect(await sceneChangeView.fields()).toEqual(Object.keys(SceneChange.shape));
});
