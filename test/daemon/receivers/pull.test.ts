import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cameraServer } from "../../monitoring/pulls/camera-server.ts";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { rtspServer } from "../../support/rtsp-server.ts";

const credentials = { user: "viewer", password: "s3cret-word" };
const hasFfmpeg = spawnSync("ffmpeg", ["-version"]).status === 0;

let daemon: TestDaemon;
const log: string[] = [];
let number = 0;
let cameraId = "";

const ask = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${daemon.url}${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
};
const pullOf = async () => (await ask("GET", `/api/cameras/${cameraId}/pull`)).body;
const setPull = (body: object) => ask("PUT", `/api/cameras/${cameraId}/pull`, { every_seconds: 0.5, ...body });
const incidents = async () =>
  (await ask("GET", `/api/events?kind=camera_health&camera_id=${cameraId}`)).body.items as { summary: string }[];
const filesOf = (): readonly string[] =>
  readdirSync(join(daemon.cameraRoot, cameraId), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jpg"));

/** A wall in one colour, with a square in front of it. */
async function wall(square: string): Promise<Buffer> {
  const front = await sharp({ create: { width: 80, height: 80, channels: 3, background: square } })
    .png()
    .toBuffer();
  return await sharp({ create: { width: 640, height: 480, channels: 3, background: "#888" } })
    .composite([{ input: front, left: 300, top: 200 }])
    .jpeg()
    .toBuffer();
}

beforeAll(async () => {
  const write = (fields: object, message: string): void => void log.push(`${JSON.stringify(fields)} ${message}`);
  const collecting = { debug: write, info: write, warn: write, error: write, child: () => collecting };
  daemon = await testDaemon({
    env: {
      RECEIVER_HOST: "127.0.0.1",
      FTP_PORT: "0",
      MAIL_PORT: "0",
      DETECTOR_URL: "http://127.0.0.1:1",
      LANGUAGE_MODEL_URL: "http://127.0.0.1:1",
    },
    log: collecting as never,
  });
});
afterAll(() => daemon.stop());
beforeEach(async () => {
  number += 1;
  cameraId = `yard-${number}`;
  await ask("POST", "/api/cameras", { camera_id: cameraId, name: `Yard ${number}` });
});

describe("pull", () => {
  it("pull: keeps a picture in which something changed, with the one before it, and counts the others", async () => {
    const [empty, person] = [await wall("#888"), await wall("#111")];
    const camera = await cameraServer({ picture: empty, auth: { kind: "digest", ...credentials } });
    const { body } = await setPull({ url: camera.url.replace("//", `//${credentials.user}:${credentials.password}@`) });
    expect(body).toMatchObject({ url: camera.url, username: "viewer", has_password: true, state: "waiting", threshold_percent: 0.3 });
    await expect.poll(filesOf).toHaveLength(1);
    // Each picture is new to the camera, and looks like the one before
    camera.behave({ picture: Buffer.concat([empty, Buffer.from("\n")]), auth: { kind: "digest", ...credentials } });
    await new Promise((done) => setTimeout(done, 1_200));
    camera.behave({ picture: person, auth: { kind: "digest", ...credentials } });
    await expect.poll(filesOf).toHaveLength(3);
    const contents = filesOf()
      .toSorted()
      .map((name) => readFileSync(join(daemon.cameraRoot, cameraId, name)).length);
    expect(contents).toEqual([empty.length, empty.length + 1, person.length]);
    await expect.poll(pullOf).toMatchObject({ state: "working", kept_count: 3, fault: null });
    expect((await pullOf()).seen_count).toBeGreaterThan(3);
    await expect.poll(async () => (await ask("GET", `/api/images?camera_id=${cameraId}`)).body.items.length).toBe(3);
    await ask("DELETE", `/api/cameras/${cameraId}/pull`);
    await camera.close();
  });

  it("pull: an address that is gone is an incident within two intervals, which ends with the next picture", async () => {
    const camera = await cameraServer({ picture: await wall("#888") });
    await setPull({ url: camera.url, every_seconds: 2 });
    await expect.poll(filesOf).toHaveLength(1);
    await camera.close();
    const begin = performance.now();
    await expect.poll(incidents, { timeout: 8_000, interval: 100 }).toHaveLength(1);
    expect(performance.now() - begin).toBeLessThan(4_500);
    const fault = `connection refused at 127.0.0.1:${camera.port}`;
    expect((await incidents())[0]?.summary).toBe(`Camera Yard 2 gives no pictures: ${fault}.`);
    expect(await pullOf()).toMatchObject({ state: "failing", fault });
    const again = await cameraServer({ picture: await wall("#888"), port: camera.port });
    await expect.poll(async () => (await incidents())[0]?.summary).toMatch(/^Camera Yard 2 gave no pictures for/);
    expect(await pullOf()).toMatchObject({ state: "working", fault: null, failing_since: null });
    await again.close();
    expect((await ask("DELETE", `/api/cameras/${cameraId}/pull`)).status).toBe(204);
    expect((await ask("GET", `/api/cameras/${cameraId}/pull`)).status).toBe(404);
  });

  it("pull: in a folder that cameras share, a picture gets a name that its camera's pattern takes", async () => {
    const share = async (id: string, folder_path: string, file_pattern: string): Promise<void> => {
      expect((await ask("POST", "/api/cameras", { camera_id: id, name: id, folder_path, file_pattern })).status).toBe(201);
    };
    mkdirSync(join(daemon.cameraRoot, "nvr"));
    await share("gate", "nvr", "ch01*");
    await share("hall", "nvr", "*/ch02/*.jpg");
    const camera = await cameraServer({ picture: await wall("#888") });
    for (const id of ["gate", "hall"]) {
      expect((await ask("PUT", `/api/cameras/${id}/pull`, { every_seconds: 0.5, url: camera.url })).status).toBe(200);
      const stateOf = async () => (await ask("GET", `/api/cameras/${id}/pull`)).body;
      await expect.poll(stateOf, { timeout: 60_000 }).toMatchObject({ state: "working", fault: null, kept_count: 1 });
      const imagesOf = async () => (await ask("GET", `/api/images?camera_id=${id}`)).body.items.length;
      await expect.poll(imagesOf, { timeout: 60_000 }).toBe(1);
    }
    const names = readdirSync(join(daemon.cameraRoot, "nvr"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("jpg"));
    expect(names.toSorted()).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\d\/ch01pull-\d{8}T\d{6}\.\d{3}Z\.jpg$/),
      expect.stringMatching(/^pull\/ch02\/pull-\d{8}T\d{6}\.\d{3}Z\.jpg$/),
    ]);
    for (const id of ["gate", "hall"]) await ask("DELETE", `/api/cameras/${id}/pull`);
    await camera.close();
  });

  it("pull: a wrong password is tried twice, not until the camera locks the user", async () => {
    const camera = await cameraServer({ picture: await wall("#888"), auth: { kind: "basic", ...credentials } });
    await setPull({ url: camera.url, username: "viewer", password: "wrong-word" });
    await expect.poll(pullOf).toMatchObject({ fault: "401: the camera refused the password of user viewer; enter it again" });
    await new Promise((done) => setTimeout(done, 2_000));
    expect(camera.requests.filter(({ headers }) => headers.authorization).length).toBe(2);
    const test = await ask("POST", `/api/cameras/${cameraId}/pull/test`);
    expect(test.body).toMatchObject({ works: false, fault: expect.stringContaining("401"), width: null });
    await setPull({ url: camera.url, password: credentials.password });
    await expect.poll(pullOf).toMatchObject({ state: "working", username: "viewer" });
    expect((await ask("POST", `/api/cameras/${cameraId}/pull/test`)).body).toMatchObject({ works: true, width: 640, height: 480 });
    await ask("DELETE", `/api/cameras/${cameraId}/pull`);
    await camera.close();
  });

  it("pull: the password stays with its host, and leaves homesec in no reply and no log line", async () => {
    const url = "http://127.0.0.1:9/snap?user=viewer&pwd=s3cret-word";
    expect((await setPull({ url, username: "viewer" })).body).toMatchObject({
      ...{ url: "http://127.0.0.1:9/snap?user=viewer&pwd={password}", has_password: true },
    });
    expect((await setPull({ url: "http://127.0.0.1:9/other" })).body).toMatchObject({ has_password: true });
    expect((await setPull({ url: "http://127.0.0.2:9/other" })).body).toMatchObject({ has_password: false });
    for (const [wrong, text] of [
      ["ftp://127.0.0.1/", "homesec does not pull from ftp://"],
      ["http://169.254.169.254/latest", "link-local"],
      ["snap.jpg", "it is not an address"],
    ] as const)
      expect(await setPull({ url: wrong })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["body", "url"], msg: expect.stringContaining(text) }] },
      });
    await ask("DELETE", `/api/cameras/${cameraId}/pull`);
    expect(log.join("\n")).not.toMatch(/s3cret-word|wrong-word/);
  });

  it.skipIf(!hasFfmpeg)(
    "pull: follows a stream, notices that it is gone, and leaves no ffmpeg behind",
    async () => {
      const stream = await rtspServer({ auth: { kind: "digest", ...credentials } });
      await setPull({ url: stream.url, username: credentials.user, password: credentials.password });
      await expect.poll(() => filesOf().length, { timeout: 60_000 }).toBeGreaterThan(2);
      expect((await ask("POST", `/api/cameras/${cameraId}/pull/test`)).body).toMatchObject({ works: true, width: 640 });
      stream.drop();
      await expect.poll(async () => (await pullOf()).fault, { timeout: 60_000 }).toContain("ended; homesec connects again");
      await expect.poll(pullOf, { timeout: 60_000 }).toMatchObject({ state: "working", fault: null });
      await stream.close();
      await expect.poll(incidents, { timeout: 60_000 }).toHaveLength(1);
      expect((await incidents())[0]?.summary).toContain("connection refused");
      await ask("DELETE", `/api/cameras/${cameraId}/pull`);
      await expect.poll(() => spawnSync("pgrep", ["-P", String(process.pid), "ffmpeg"]).stdout.toString(), { timeout: 20_000 }).toBe("");
      expect(log.join("\n")).not.toContain(credentials.password);
    },
    240_000,
  );
});
