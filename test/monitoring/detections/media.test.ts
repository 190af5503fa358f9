import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertDetections } from "../../../src/monitoring/detections/detections-repository.ts";
import { hasFfmpeg } from "../../../src/monitoring/images/video.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { makeVideo } from "../images/make-video.ts";

const ffmpeg = await hasFfmpeg();
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  await mkdir(join(desk.cameraRoot, "cam"), { recursive: true });
  await desk.db.query(
    (sql) => sql`insert into cameras (camera_id, name, folder_path) values ('cam', 'Cam', ${join(desk.cameraRoot, "cam")})`,
  );
});
afterAll(() => desk.close());

/** A detection in a file that also serves as the camera's snapshot. */
async function seenIn(path: string, fileType: string, videoOffsetSeconds: number | null = null): Promise<string> {
  return await desk.db.transaction(async (sql) => {
    await sql`
      insert into images (camera_id, path, size_bytes, modified_ns, media_type, found_by, found_at, taken_at, status)
      values ('cam', ${path}, 1, ${process.hrtime.bigint().toString()}::text::bigint, 'image/jpeg', 'watch', now(), clock_timestamp(), 'processed')
    `;
    const [record] = await insertDetections(sql, [
      {
        cameraId: "cam",
        imageId: null,
        batchId: null,
        filePath: path,
        fileType,
        videoOffsetSeconds,
        detectedAt: new Date("2026-03-01T10:00:00Z"),
        objectType: "dog",
        confidence: 0.9,
        box: { x: 10, y: 10, width: 50, height: 40 },
        createdAt: new Date("2026-03-01T10:00:00Z"),
      },
    ]);
    return String(record?.id);
  });
}

const ofDetection = ["getDetectionImage", "getDetectionThumbnail", "getDetectionVideo", "getDetectionVideoThumbnail"] as const;
const media = [...ofDetection, "getCameraSnapshot"] as const;

describe("a file that is not a camera's", () => {
  /** Attempts to read a file outside the roots; each file holds a readable secret. */
  const attempts: Record<string, (name: string) => Promise<string>> = {
    "an absolute path elsewhere": async (name) => join(desk.outside, name),
    "a path with ..": async (name) => `${desk.cameraRoot}/cam/../../../outside/${name}`,
    "a path with .. behind a folder that is not there": async (name) => `${desk.cameraRoot}/none/../../../outside/${name}`,
    "a link to the file": async (name) => {
      const link = join(desk.cameraRoot, "cam", `link-${name}`);
      await symlink(join(desk.outside, name), link);
      return link;
    },
    "a link in a link": async (name) => {
      await symlink(join(desk.outside, name), join(desk.cameraRoot, `inner-${name}`));
      const link = join(desk.cameraRoot, "cam", `outer-${name}`);
      await symlink(`../inner-${name}`, link);
      return link;
    },
    "a link to its folder": async (name) => {
      const link = join(desk.cameraRoot, "cam", `folder-${name}`);
      await symlink(desk.outside, link);
      return join(link, name);
    },
    "a folder whose name only begins like the root": async (name) => {
      await mkdir(`${desk.cameraRoot}-evil`, { recursive: true });
      await writeFile(join(`${desk.cameraRoot}-evil`, name), "secret");
      return join(`${desk.cameraRoot}-evil`, name);
    },
    "the data folder": async (name) => {
      await writeFile(join(desk.dataDir, name), "secret");
      return join(desk.dataDir, name);
    },
    "a relative path": async (name) => `../../../../../..${join(desk.outside, name)}`,
  };
  it.each(Object.keys(attempts))("is not shown: %s", async (attempt) => {
    const name = `secret-${Object.keys(attempts).indexOf(attempt)}.jpg`;
    const secret = await sharp({ create: { width: 320, height: 240, channels: 3, background: "#f00" } })
      .jpeg()
      .toBuffer();
    await writeFile(join(desk.outside, name), secret);
    const path = (await attempts[attempt]?.(name)) ?? "";
    const picture = await seenIn(path, "image/jpeg");
    const video = await seenIn(path, "video/mp4", 0);
    for (const operation of media) {
      const id = operation.includes("Video") ? video : picture;
      const asked = { params: operation === "getCameraSnapshot" ? { camera_id: "cam" } : { detection_id: id } };
      const refused = await desk.askBytes(operation, asked).catch((error: unknown) => error);
      expect(refused).toMatchObject({ kind: "not_found" });
      expect((refused as Error).message).not.toMatch(/ENOENT|EACCES|ELOOP/);
    }
  });

  it.each(["0", "-1", "999999", "9007199254740991"])("is not shown for detection %s", async (id) => {
    for (const operation of ofDetection) {
      await expect(desk.askBytes(operation, { params: { detection_id: id } })).rejects.toMatchObject({
        kind: "not_found",
        message: expect.stringContaining(id),
      });
    }
    await expect(desk.ask("getDetectionEnrichment", { params: { detection_id: id } })).rejects.toMatchObject({ kind: "not_found" });
  });

  it.each(["x", "1.5", "1e3", "..%2f1"])("cannot be asked for as detection %s", async (id) => {
    for (const operation of ofDetection) {
      await expect(desk.askBytes(operation, { params: { detection_id: id } })).rejects.toMatchObject({ kind: "invalid" });
    }
  });

  it("is not there under a number that no detection can have", async () => {
    for (const operation of ofDetection) {
      const asked = desk.askBytes(operation, { params: { detection_id: "99999999999999999999" } });
      await expect(asked).rejects.toMatchObject({ kind: "not_found" });
    }
  });

  it.each(["nobody", "../cam", "cam/../cam", "CAM", "%2e%2e"])("is not shown for camera %s", async (camera_id) => {
    await expect(desk.askBytes("getCameraSnapshot", { params: { camera_id } })).rejects.toMatchObject({ kind: "not_found" });
  });
});

describe("a path that is not a regular file", () => {
  it.each([
    ["a pipe", "video/mp4", (path: string) => execFileSync("mkfifo", [path])],
    ["a pipe", "image/jpeg", (path: string) => execFileSync("mkfifo", [path])],
    ["a link to a device", "video/mp4", (path: string) => symlink("/dev/zero", path)],
    ["a folder", "video/x-matroska", (path: string) => mkdir(path)],
  ])("costs no decoder and no time: %s as %s", async (what, file_type, make) => {
    const path = join(desk.cameraRoot, "cam", `${what}-${file_type.replace("/", "-")}`.replaceAll(" ", "-"));
    await make(path);
    const item = { camera_id: "cam", file_path: path, file_type, detected_at: "2026-03-01T10:00:00Z", object_type: "dog", confidence: 1 };
    const { results } = await desk.ask("createDetections", { body: { detections: Array(5).fill(item) } });
    const begun = performance.now();
    const asked = results.flatMap(({ id }) =>
      ofDetection.map((operation) => desk.askBytes(operation, { params: { detection_id: String(id) } }).catch(({ kind }) => kind)),
    );
    for (const kind of await Promise.all(asked)) expect(["not_found", "bad_request"]).toContain(kind);
    expect(performance.now() - begun).toBeLessThan(4_000);
  });
});

describe("picture with boxes", () => {
  it("is small and has the box of the detection, and the original has none", async () => {
    const path = join(desk.cameraRoot, "cam", "boxed.jpg");
    await sharp({ create: { width: 1920, height: 1080, channels: 3, background: "#888888" } })
      .jpeg()
      .toFile(path);
    const params = { detection_id: await seenIn(path, "image/jpeg") };
    const { mediaType, content } = await desk.askBytes("getDetectionImage", { params, query: "boxes=true" });
    expect(mediaType).toBe("image/jpeg");
    const { data, info } = await sharp("buffer" in content ? content.buffer : content.file)
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([960, 540]);
    // The left edge of the box of 50 x 40 pixels at 10, 10, at half the size
    const [red = 0, green = 0] = data.subarray((15 * info.width + 5) * info.channels);
    expect(red - green).toBeGreaterThan(60);
    expect((await desk.askBytes("getDetectionImage", { params })).content).toEqual({ file: path, isReal: true });
  });

  it("is not there for a file that cannot be decoded", async () => {
    const path = join(desk.cameraRoot, "cam", "broken.jpg");
    await writeFile(path, "no picture");
    const asked = desk.askBytes("getDetectionImage", {
      params: { detection_id: await seenIn(path, "image/jpeg") },
      query: "boxes=true",
    });
    await expect(asked).rejects.toMatchObject({ kind: "not_found", message: expect.stringContaining("cannot be decoded") });
  });
});

describe("video", () => {
  it("is not there for a picture", async () => {
    const path = join(desk.cameraRoot, "cam", "a.jpg");
    await writeFile(path, "x");
    const id = await seenIn(path, "image/jpeg");
    for (const operation of ["getDetectionVideo", "getDetectionVideoThumbnail"] as const) {
      await expect(desk.askBytes(operation, { params: { detection_id: id } })).rejects.toMatchObject({
        kind: "bad_request",
        message: expect.stringContaining(`/api/detections/${id}/image`),
      });
    }
  });

  it("is the file as it came, also of a detection that was put in by hand", async () => {
    const path = join(desk.cameraRoot, "cam", "a.webm");
    await writeFile(path, "x");
    const id = await seenIn(path, "video/webm", 4);
    expect(await desk.askBytes("getDetectionVideo", { params: { detection_id: id } })).toEqual({
      mediaType: "video/webm",
      content: { file: path, isReal: true },
    });
    const item = { camera_id: "cam", file_path: path, file_type: "video/webm", detected_at: "2026-03-01T10:00:00Z" };
    const { results } = await desk.ask("createDetections", {
      body: { detections: [{ ...item, object_type: "dog", confidence: 1 }] },
    });
    const byHand = { params: { detection_id: String(results[0]?.id) } };
    expect(await desk.askBytes("getDetectionVideo", byHand)).toMatchObject({ content: { file: path, isReal: true } });
    // the endpoint promises a picture and never returns the video
    await expect(desk.askBytes("getDetectionImage", byHand)).rejects.toMatchObject({ kind: "not_found" });
  });

  it.skipIf(!ffmpeg)("has a thumbnail of the moment of the detection, with the box drawn", async () => {
    const path = await makeVideo(join(desk.cameraRoot, "cam"), "mp4", 6);
    const pixels = async (offset: number) => {
      const id = await seenIn(path, "video/mp4", offset);
      const { mediaType, content } = await desk.askBytes("getDetectionVideoThumbnail", { params: { detection_id: id } });
      expect(mediaType).toBe("image/jpeg");
      if (!("file" in content)) throw new Error("the thumbnail is not kept");
      expect(dirname(content.file).startsWith(desk.dataDir)).toBe(true);
      const image = sharp(content.file);
      expect(await image.metadata()).toMatchObject({ width: 320, height: 240, format: "jpeg" });
      return await image.raw().toBuffer();
    };
    const [first, third] = [await pixels(0), await pixels(4)];
    expect(first.equals(third)).toBe(false);
    // the left edge of the box, twice as large as in the 160x120 video
    const at = (buffer: Buffer, x: number, y: number) => [...buffer.subarray((y * 320 + x) * 3, (y * 320 + x) * 3 + 3)];
    for (const image of [first, third]) {
      const [red = 0, green = 0, blue = 0] = at(image, 20, 60);
      expect(red).toBeGreaterThan(green + 60);
      expect(red).toBeGreaterThan(blue + 60);
    }
  });
});

describe("enrichment", () => {
  const enrichment = async (id: string) => await desk.ask("getDetectionEnrichment", { params: { detection_id: id } });
  const empty = {
    enriched_at: null,
    attributes: {},
    ocr: [],
    caption: null,
    entity_id: null,
    has_embedding: false,
    services: { vision: null, embedder: null, enrichment: null },
    errors: [],
  };

  it("is empty until the services were asked", async () => {
    const id = await seenIn("/nowhere.jpg", "image/jpeg");
    expect(await enrichment(id)).toEqual({ detection_id: Number(id), ...empty });
  });

  it("tells what is stored, and nothing that was not promised", async () => {
    const id = await seenIn("/nowhere.jpg", "image/jpeg");
    const stored = {
      enriched_at: "2026-03-01T10:00:05.000Z",
      attributes: { colour: "red", size: { share: 0.2 } },
      ocr: [{ text: "B-AB 123", confidence: 0.9 }],
      caption: "A dog",
      entity_id: "7",
      has_embedding: true,
      services: { vision: "completed", embedder: "failed", enrichment: "skipped" },
      errors: ["embedder: no answer within 15 s"],
    };
    const store = (value: object) =>
      desk.db.query(
        (sql) => sql`update detections set enrichment = ${JSON.stringify(value)}::text::jsonb where detection_id = ${Number(id)}`,
      );
    await store({ ...stored, embedding: [1, 2, 3] });
    expect(await enrichment(id)).toEqual({ detection_id: Number(id), ...stored });
    await store({ has_embedding: false, attributes: { colour: "red" } });
    expect(await enrichment(id)).toEqual({ detection_id: Number(id), ...empty, attributes: { colour: "red" } });
  });
});
