import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertDetections } from "../../../src/monitoring/detections/detections-repository.ts";
import type { CliOptions } from "../../support/cli.ts";
import { FakeKeys } from "../../support/fake-terminal.ts";
import { picturePath } from "../../support/pictures.ts";
import { type ServedDesk, serveDesk } from "../../support/served-desk.ts";
import { decodeSixel } from "../../support/sixel.ts";

let served: ServedDesk;
let event: string;
let folder: string;
let file: string;
beforeAll(async () => {
  served = await serveDesk();
  folder = join(served.desk.dataDir, "cameras", "garden");
  file = join(folder, "a.jpg");
  await mkdir(folder, { recursive: true });
  await copyFile(picturePath(), file);
  const detection = await served.desk.db.transaction(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('garden', 'Garden', ${folder})`;
    const shown = { cameraId: "garden", imageId: null, batchId: null, filePath: file, fileType: "image/jpeg", videoOffsetSeconds: null };
    const seen = { objectType: "person", confidence: 0.8, box: { x: 300, y: 150, width: 40, height: 90 } };
    const at = new Date("2026-03-01T12:00:00Z");
    const [record] = await insertDetections(sql, [{ ...shown, ...seen, detectedAt: at, createdAt: at }]);
    return record?.id ?? 0;
  });
  const given = { camera_id: "garden", started_at: "2026-03-01T12:00:00Z", risk_score: 50, summary: "A person", reasoning: "" };
  const body = { events: [{ ...given, detection_ids: [detection] }] };
  const { results } = (await served.desk.ask("createEvents", { body: body as never })) as { results: { id: number }[] };
  event = String(results[0]?.id);
});
afterAll(async () => {
  await served.close();
});

const esc = "\u001b";

/** A keyboard whose terminal answers as soon as the program listens. */
function answering(answer: string): FakeKeys {
  const keys = new FakeKeys();
  keys.on("newListener", (name) => name === "data" && setTimeout(() => keys.type(answer)));
  return keys;
}

const show = (options: CliOptions, ...more: string[]) => served.homesec("over HTTP", ["events", "show", event, ...more], options);

it("events show: a terminal with Sixel shows the picture below the record, at most half as high as the screen", async () => {
  const keys = answering(`${esc}[6;20;10t${esc}[?62;4c`);
  const { code, out, err } = await show({ terminal: 80, stdin: keys as never, env: { TERM: "xterm-256color" } });
  expect([code, err]).toEqual([0, ""]);
  const { width, height, drawnPixels } = decodeSixel(out);
  expect(height).toBeLessThanOrEqual(12 * 20);
  expect(drawnPixels).toBe(width * height);
  expect(width / height).toBeCloseTo(4 / 3, 1);
  expect(out.indexOf(`${esc}P0;1q`)).toBeGreaterThan(out.indexOf("A person"));
  expect([keys.raw, keys.reading]).toEqual([false, false]);
});

it("events show: other terminals get half blocks; programs, --no-picture, --no-color and --fields get none", async () => {
  const blocks = await show({ terminal: 80, env: { TERM: "xterm-256color" } });
  expect(blocks.out.split("\n").filter((line) => line.includes("▀"))).toHaveLength(12);
  for (const [options, ...more] of [
    [{}],
    [{ terminal: 80 }, "--no-picture"],
    [{ terminal: 80 }, "--no-color"],
    [{ terminal: 80 }, "-o", "json"],
    [{ terminal: 80 }, "--fields", "id,summary"],
  ] as [CliOptions, ...string[]][]) {
    const { code, out } = await show(options, ...more);
    expect([more, code, ["▀", `${esc}P`, `${esc}_`].some((each) => out.includes(each))]).toEqual([more, 0, false]);
  }
});

it("events picture: saves the original and shows it with its box", async () => {
  const { code, out } = await served.homesec("over HTTP", ["events", "picture", event, "--to", "seen.jpg"], {
    terminal: 80,
    cwd: folder,
  });
  expect(code).toBe(0);
  expect(out).toContain("▀");
  expect(out).toMatch(/saved +\S*seen\.jpg/);
  expect(await readdir(folder)).toContain("seen.jpg");
});

it("events show: says why there is no picture, and shows the event all the same", async () => {
  await rm(file);
  await rm(join(served.desk.dataDir, "thumbnails"), { recursive: true, force: true });
  const { code, out, err } = await show({ terminal: 80 });
  expect(code).toBe(0);
  expect(err).toContain("no picture: ");
  expect(out).toContain("A person");
});
