import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertDetections } from "../../src/monitoring/detections/detections-repository.ts";
import { cli } from "../support/cli.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/temporary.ts";

let database: TestDatabase;
let picture: Buffer;
let ids: readonly number[];
const folder = temporaryFolder("detections");
beforeAll(async () => {
  database = await testDatabase();
  const cameraFolder = join(folder.path, "cameras", "garden");
  await mkdir(cameraFolder, { recursive: true });
  picture = await sharp({ create: { width: 64, height: 48, channels: 3, background: "#888" } })
    .png()
    .toBuffer();
  await writeFile(join(cameraFolder, "a.png"), picture);
  ids = await database.db.transaction(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('garden', 'Garden', ${cameraFolder})`;
    const records = await insertDetections(
      sql,
      ["dog", "cat", "dog"].map((objectType, index) => ({
        cameraId: "garden",
        imageId: null,
        batchId: null,
        filePath: join(cameraFolder, index === 2 ? "gone.png" : "a.png"),
        fileType: "image/png",
        videoOffsetSeconds: null,
        detectedAt: new Date(Date.UTC(2026, 1, 1, 10, index)),
        objectType,
        confidence: 0.8,
        box: { x: 1, y: 1, width: 20, height: 20 },
        createdAt: new Date(),
      })),
    );
    return records.map(({ id }) => id);
  });
});
afterAll(async () => {
  await database.close();
  await folder.remove();
});

const direct = (...args: string[]) =>
  cli([...args, "--direct"], { cwd: folder.path, env: { DATABASE_URL: database.url, DATA_DIR: folder.path } });

describe("detections search", () => {
  it("detections search: prints matches as a table and as JSON", async () => {
    const [first, , third] = ids;
    expect((await direct("detections", "search", "dog garden", "-o", "id")).out).toBe(`${third}\n${first}\n`);
    const table = await direct("detections", "search", "garden dog", "--end-date", "2026-02-01T10:01:00Z");
    expect(table.out).toMatch(/ID .*RELEVANCE/);
    expect(table.out).toMatch(new RegExp(`^ *${first} .*garden +dog +80 % .*90 %`, "m"));
    const body = JSON.parse((await direct("detections", "search", "cat OR dog", "--limit", "2", "-o", "json")).out);
    expect(body).toMatchObject({ pagination: { total: 3, has_more: true }, items: [{ relevance_score: 1 }, { relevance_score: 1 }] });
    expect((await direct("detections", "search", "dog", "-o", "csv")).out.split("\r\n")[0]).toMatch(/^id,camera_id,.*,relevance_score$/);
  });

  it("detections search: says when there are no matches, and rejects an empty query", async () => {
    expect(await direct("detections", "search", "fox")).toEqual({
      code: 0,
      out: "",
      err: expect.stringMatching(/^no detections\nsearched for "fox"\n/),
    });
    expect((await direct("detections", "search", "dog AND cat")).err).toContain(
      '"dog" alone finds 2 detections, "cat" alone finds 1 detection; `homesec detections search \'dog OR cat\'` finds both\n',
    );
    expect(await direct("detections", "search", "!!")).toMatchObject({ code: 2, err: expect.stringContaining("at least one word") });
    expect((await direct("detections", "search")).code).toBe(2);
  });
});

describe("detections image", () => {
  it("detections image: saves the original and the thumbnail, and overwrites nothing", async () => {
    const id = String(ids[0]);
    const saved = await direct("detections", "image", id);
    const file = join(folder.path, `detection-${id}.png`);
    expect(saved).toEqual({ code: 0, out: `saved  ${file} (${picture.length} bytes)\n`, err: "" });
    expect((await readFile(file)).equals(picture)).toBe(true);
    expect(await direct("detections", "image", id)).toMatchObject({ code: 5, err: expect.stringContaining("already exists") });
    const thumbnail = await direct("detections", "image", id, "--thumbnail", "--to", "small.jpg", "-o", "json");
    expect(JSON.parse(thumbnail.out)).toMatchObject({
      detection_id: ids[0],
      file: join(folder.path, "small.jpg"),
      media_type: "image/jpeg",
    });
    expect(await sharp(join(folder.path, "small.jpg")).metadata()).toMatchObject({ width: 320, height: 240 });
  });

  it("detections image: says why it cannot save a picture", async () => {
    expect(await direct("detections", "image", String(ids[2]))).toMatchObject({
      code: 3,
      err: expect.stringContaining("is gone from the disk"),
    });
    expect(await direct("detections", "image", "999")).toMatchObject({ code: 3, err: expect.stringContaining("Detection 999") });
    const nowhere = await direct("detections", "image", String(ids[1]), "--to", "nowhere/a.png");
    expect(nowhere).toMatchObject({ code: 2, err: expect.stringContaining("cannot be written: its folder does not exist") });
  });
});
