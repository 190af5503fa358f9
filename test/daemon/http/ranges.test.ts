import { randomBytes } from "node:crypto";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { get as httpGet } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { route } from "../../../src/contract/route.ts";
import { type Served, sendRaw, serve } from "./support.ts";

const params = z.object({ name: z.string() });
const routes = {
  video: route("/videos/{name}", {
    method: "get",
    summary: "A file in parts",
    tag: "videos",
    params,
    reply: { mediaTypes: ["video/mp4"], ranges: true },
  }),
  picture: route("/pictures/{name}", {
    method: "get",
    summary: "A file as a whole",
    tag: "videos",
    params,
    reply: { mediaTypes: ["video/mp4"] },
  }),
};
const size = 200_000;
const content = Buffer.concat([Buffer.from("\0\0\0\x20ftypisom"), randomBytes(size - 12)]);
const modified = new Date("2026-02-03T04:05:06.789Z");
let folder: string;
let served: Served;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "homesec-ranges-"));
  await writeFile(join(folder, "a.mp4"), content);
  await utimes(join(folder, "a.mp4"), modified, modified);
  await writeFile(join(folder, "empty.mp4"), "");
  const file = async ({ params: { name } }: { params: { name: string } }) => ({
    mediaType: "video/mp4",
    content: { file: join(folder, name) },
  });
  served = await serve(routes, { video: file, picture: file });
});
afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

/** `fetch` would not let a test set every header as is. */
const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  new Promise<{ status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }>((resolve, reject) => {
    const request = httpGet(`${served.url}${path}`, { headers, method }, async (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) });
    });
    request.on("error", reject);
  });

const whole = { status: 200, start: 0, end: size - 1 };
const part = (start: number, end: number) => ({ status: 206, start, end });
const none = { status: 416 } as const;

describe("ranges", () => {
  it.each<[range: string, expected: { status: number; start?: number; end?: number }]>([
    ["bytes=0-", part(0, size - 1)],
    ["bytes=0-0", part(0, 0)],
    ["bytes=0-1", part(0, 1)],
    ["bytes=1-1", part(1, 1)],
    ["bytes=100-65635", part(100, 65635)],
    ["bytes=199999-", part(size - 1, size - 1)],
    ["bytes=199999-199999", part(size - 1, size - 1)],
    ["bytes=199999-200000", part(size - 1, size - 1)],
    ["bytes=0-199999", part(0, size - 1)],
    ["bytes=0-99999999999999999999999999", part(0, size - 1)],
    ["bytes=00012-0000000013", part(12, 13)],
    ["bytes=-1", part(size - 1, size - 1)],
    ["bytes=-500", part(size - 500, size - 1)],
    ["bytes=-200000", part(0, size - 1)],
    ["bytes=-200001", part(0, size - 1)],
    ["bytes=-99999999999999999999999999", part(0, size - 1)],
    ["Bytes=5-9", part(5, 9)],
    ["bytes= 5-9 ", part(5, 9)],
    ["bytes=5-9,", part(5, 9)],
    ["bytes=200000-", none],
    ["bytes=200000-200001", none],
    ["bytes=99999999999999999999999999-", none],
    ["bytes=-0", none],
    ["bytes=0-1,5-9", whole],
    ["bytes=0-1, -5", whole],
    ["bytes=9-5", whole],
    ["bytes=-", whole],
    ["bytes=", whole],
    ["bytes", whole],
    ["bytes=a-b", whole],
    ["bytes=0x1-5", whole],
    ["bytes=1.5-3", whole],
    ["bytes=--5", whole],
    ["bytes=-5-", whole],
    ["bytes=+1-5", whole],
    ["bytes 1-5", whole],
    ["seconds=1-5", whole],
    ["", whole],
  ])("ranges: %j is answered correctly", async (range, { status, start, end }) => {
    const answer = await ask("/videos/a.mp4", { Range: range });
    expect(answer.status).toBe(status);
    expect(answer.headers["accept-ranges"]).toBe("bytes");
    if (start === undefined || end === undefined) {
      expect(answer.headers["content-range"]).toBe(`bytes */${size}`);
      expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
      expect(JSON.parse(answer.body.toString())).toEqual({ detail: expect.stringContaining(String(size)) });
      expect(answer.headers["etag"]).toBeUndefined();
      return;
    }
    expect(answer.headers["content-range"]).toBe(status === 206 ? `bytes ${start}-${end}/${size}` : undefined);
    expect(answer.headers["content-length"]).toBe(String(end - start + 1));
    expect(answer.headers["content-type"]).toBe("video/mp4");
    expect(answer.body.equals(content.subarray(start, end + 1))).toBe(true);
  });

  const tagOf = async () => String((await ask("/videos/a.mp4", {}, "HEAD")).headers["etag"]);
  const lastModified = "Tue, 03 Feb 2026 04:05:06 GMT";
  it.each<[name: string, condition: (tag: string) => string, status: number]>([
    ["the tag", (tag) => tag, 206],
    ["the tag, made weak", (tag) => `W/${tag}`, 200],
    ["another tag", () => '"other"', 200],
    ["the tag among others", (tag) => `${tag}, "other"`, 200],
    ["the time", () => lastModified, 206],
    ["an earlier time", () => "Tue, 03 Feb 2026 04:05:05 GMT", 200],
    ["a later time", () => "Tue, 03 Feb 2026 04:05:07 GMT", 200],
    ["no time at all", () => "yesterday", 200],
    ["nothing", () => "", 200],
  ])("ranges: are sent or not by the condition: %s", async (_name, condition, status) => {
    const answer = await ask("/videos/a.mp4", { Range: "bytes=10-19", "If-Range": condition(await tagOf()) });
    expect(answer.status).toBe(status);
    expect(answer.body.length).toBe(status === 206 ? 10 : size);
  });

  it("ranges: an unsatisfiable range is not refused when the condition does not hold", async () => {
    expect((await ask("/videos/a.mp4", { Range: "bytes=200000-", "If-Range": '"other"' })).status).toBe(200);
  });

  it("ranges: If-None-Match takes precedence", async () => {
    const answer = await ask("/videos/a.mp4", { Range: "bytes=0-1", "If-None-Match": await tagOf() });
    expect(answer).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    expect(answer.headers["content-range"]).toBeUndefined();
  });

  it("ranges: are ignored for HEAD", async () => {
    const answer = await ask("/videos/a.mp4", { Range: "bytes=0-1" }, "HEAD");
    expect(answer).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    expect(answer.headers).toMatchObject({ "content-length": String(size), "accept-ranges": "bytes" });
    expect(answer.headers["content-range"]).toBeUndefined();
  });

  it("ranges: an empty file has none", async () => {
    for (const range of ["bytes=0-", "bytes=-1", "bytes=0-0"]) {
      const answer = await ask("/videos/empty.mp4", { Range: range });
      expect(answer).toMatchObject({ status: 416, headers: { "content-range": "bytes */0" } });
    }
    expect(await ask("/videos/empty.mp4")).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });

  it("ranges: only routes that declare them support them", async () => {
    const answer = await ask("/pictures/a.mp4", { Range: "bytes=0-1" });
    expect(answer.status).toBe(200);
    expect(answer.headers["accept-ranges"]).toBeUndefined();
    expect(answer.body.length).toBe(size);
  });

  it("ranges: a client may disconnect halfway, as a player does when it seeks", async () => {
    for (let i = 0; i < 20; i += 1) {
      await sendRaw(served.port, `GET /videos/a.mp4 HTTP/1.1\r\nHost: localhost\r\nRange: bytes=${i}-\r\n\r\n`, 1);
    }
    expect((await ask("/videos/a.mp4", { Range: "bytes=-1" })).status).toBe(206);
    expect(served.log.lines.filter(({ level }) => level !== "debug")).toEqual([]);
  });
});
