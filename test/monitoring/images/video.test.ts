import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { extractFrames, hasFfmpeg, type VideoFrame } from "../../../src/monitoring/images/video.ts";
import { lengthOf, measureSeconds } from "../../../src/monitoring/images/video-length.ts";
import { bundled } from "../../support/bundled.ts";
import { makeVideo, stateLength } from "./make-video.ts";

const ffmpeg = await hasFfmpeg();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "homesec-video-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function frames(path: string, options: Parameters<typeof extractFrames>[1] = {}): Promise<VideoFrame[]> {
  const all: VideoFrame[] = [];
  for await (const frame of extractFrames(path, options)) all.push(frame);
  return all;
}

/** Creates a program that replaces ffmpeg. */
async function program(name: string, script: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

describe.skipIf(!ffmpeg)("frames of a video (needs ffmpeg)", () => {
  it.each(["mp4", "mkv", "avi", "mov"] as const)("come every 2 s from %s, as JPEG", async (extension) => {
    const all = await frames(await makeVideo(folder, extension, 5));
    expect(all.map((frame) => frame.offsetSeconds)).toEqual([0, 2, 4]);
    for (const frame of all) expect(await sharp(frame.bytes).metadata()).toMatchObject({ format: "jpeg", width: 160, height: 120 });
  });

  it("are 30 at most, and one of a video shorter than 2 s", async () => {
    expect(await frames(await makeVideo(folder, "mp4", 75))).toHaveLength(30);
    expect(await frames(await makeVideo(folder, "mp4", 1))).toHaveLength(1);
  });

  it("say how long the video is, also of a piece that counts on from where a longer recording began", async () => {
    const whole = await makeVideo(folder, "mkv", 31, ["-g", "10"]);
    const cut = async (extension: string): Promise<string> => {
      const pieces = ["-i", whole, "-c", "copy", "-f", "segment", "-segment_time", "10", join(folder, `piece%d.${extension}`)];
      await execa("ffmpeg", ["-loglevel", "error", "-y", ...pieces]);
      return join(folder, `piece1.${extension}`);
    };
    const lengthOf = async (path: string): Promise<number> => {
      const told: number[] = [];
      await frames(path, { onLength: (seconds) => told.push(seconds) });
      return Math.max(...told);
    };
    expect(await lengthOf(whole)).toBeCloseTo(31, 0);
    expect(await lengthOf(await cut("mkv"))).toBeCloseTo(10, 0);
    expect(await lengthOf(await cut("mp4"))).toBeCloseTo(10, 0);
  });

  it("end with the reader, which can stop early or abort", async () => {
    const path = await makeVideo(folder, "mp4", 20);
    for await (const frame of extractFrames(path)) {
      expect(frame.offsetSeconds).toBe(0);
      break;
    }
    await expect(frames(path, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  });

  it("fail for a file that is not a video, with ffmpeg's message", async () => {
    const path = join(folder, "text.mp4");
    await writeFile(path, "this is no video");
    await expect(frames(path)).rejects.toMatchObject({ reason: "video_unreadable", message: expect.stringContaining("Invalid data") });
  });

  it("are not read through a playlist that names something else", async () => {
    const path = join(folder, "list.mp4");
    await writeFile(path, "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n");
    await expect(frames(path)).rejects.toMatchObject({ reason: "video_unreadable" });
  });
});

/** Creates a video of 10 s at 5 frames per second whose timestamps went through this ffmpeg expression. */
async function withTimes(name: string, expression: string, more: readonly string[] = []): Promise<string> {
  const path = join(folder, name);
  const source = ["-f", "lavfi", "-i", `testsrc=duration=10:size=160x120:rate=5,setpts='${expression}'`, "-pix_fmt", "yuv420p"];
  await execa("ffmpeg", ["-loglevel", "error", "-y", ...source, "-vsync", "passthrough", "-copyts", ...more, path]);
  return path;
}

describe.skipIf(!ffmpeg)("a video with times that cannot be true (needs ffmpeg)", () => {
  /** The offsets of the frames, the length that the header states, and the one that counts. */
  async function read(path: string): Promise<{ offsets: number[]; stated: number | undefined; counts: number }> {
    let stated: number | undefined;
    const onLength = (seconds: number): void => {
      stated = seconds;
    };
    const offsets = (await frames(path, { onLength })).map(({ offsetSeconds }) => offsetSeconds);
    const video = { path, sizeBytes: (await stat(path)).size, statedSeconds: stated, frames: offsets.length };
    return { offsets, stated, counts: await lengthOf(video, new AbortController().signal) };
  }

  it.each([
    ["jump an hour ahead", "jump.mkv", "PTS+gte(T,4)*3600/TB", []],
    ["jump half a minute ahead", "gap.mkv", "PTS+gte(T,4)*30/TB", []],
    ["begin ten days after zero", "days.mkv", "PTS+864000/TB", []],
    ["begin below zero", "negative.ts", "PTS-3/TB", ["-avoid_negative_ts", "disabled"]],
  ] as const)("is sampled and dated by what was decoded: timestamps that %s", async (_, name, expression, more) => {
    const { offsets, counts } = await read(await withTimes(name, expression, more));
    expect(offsets.slice(0, 4)).toEqual([0, 2, 4, 6]);
    expect(offsets.length).toBeLessThanOrEqual(6);
    expect(counts).toBeGreaterThan(offsets.at(-1) as number);
    expect(counts).toBeLessThanOrEqual(10.5);
  });

  it("goes on if the timestamps start again", async () => {
    const path = join(folder, "again.mpg");
    const parts = await Promise.all([4, 6].map((seconds) => makeVideo(folder, "mpg", seconds, ["-r", "25"])));
    await writeFile(path, Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))));
    const { offsets, counts } = await read(path);
    expect(offsets.slice(0, 4)).toEqual([0, 2, 4, 6]);
    expect(counts).toBeGreaterThanOrEqual(offsets.at(-1) as number);
    expect(counts).toBeLessThanOrEqual(12);
  });

  it("shows what is behind a jump", async () => {
    const path = join(folder, "scenes.mkv");
    const scenes = "color=black:size=160x120:rate=5:duration=4[a];color=white:size=160x120:rate=5:duration=4[b];[a][b]concat";
    const jump = "setpts='PTS+gte(T,4)*40000/TB'";
    await execa("ffmpeg", ["-loglevel", "error", "-y", "-f", "lavfi", "-i", `${scenes},${jump}`, "-vsync", "passthrough", path]);
    const means = await Promise.all((await frames(path)).map(async ({ bytes }) => (await sharp(bytes).stats()).channels[0]?.mean ?? 0));
    expect(means.map((mean) => Math.round(mean / 255))).toEqual([0, 0, 1, 1]);
  });

  it("is dated by its frames if the header states an hour, or a second", async () => {
    const long = await stateLength(await makeVideo(folder, "mp4", 6), 3_600);
    expect(await read(long)).toMatchObject({ offsets: [0, 2, 4], counts: 6 });
    const short = await stateLength(await makeVideo(folder, "mov", 7), 1);
    const { offsets, counts } = await read(short);
    expect(offsets.length).toBeGreaterThanOrEqual(1);
    expect(counts).toBeGreaterThanOrEqual(offsets.at(-1) as number);
    expect(counts).toBeLessThanOrEqual(8);
  });

  it("is measured if it goes on behind the last frame that is read", async () => {
    const long = await stateLength(await makeVideo(folder, "mp4", 80), 36_000);
    const { offsets, stated, counts } = await read(long);
    expect([offsets.length, stated]).toEqual([30, expect.closeTo(36_000, -2)]);
    expect(counts).toBeCloseTo(80, 0);
    // without a length in the header
    const live = await makeVideo(folder, "mkv", 70, ["-live", "1"]);
    expect(await read(live)).toMatchObject({ stated: undefined, counts: expect.closeTo(70, 0) });
  });

  it("is not measured when that fails, takes too long or is aborted", async () => {
    const path = await makeVideo(folder, "mp4", 3);
    expect(await measureSeconds(path)).toBeCloseTo(3, 1);
    expect(await measureSeconds(path, { command: "/nonexistent/ffmpeg" })).toBeUndefined();
    const hanging = await program("hangs", "exec sleep 60");
    expect(await measureSeconds(path, { command: hanging, timeoutMs: 150 })).toBeUndefined();
    await expect(measureSeconds(path, { command: hanging, signal: AbortSignal.timeout(100) })).rejects.toThrow("timeout");
    expect(await measureSeconds(join(folder, "none.mp4"))).toBeUndefined();
  });
});

describe.skipIf(!ffmpeg)("a hostile file (needs ffmpeg)", () => {
  it.each(["text", "list"])("is never opened: a %s of other files, well made and inside of the folder, is no video", async (kind) => {
    await makeVideo(folder, "mp4", 1);
    const path = join(folder, `${kind}-of-others.mp4`);
    const list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nvideo-1.mp4\n#EXT-X-ENDLIST\n";
    await writeFile(path, kind === "list" ? list : "ffconcat version 1.0\nfile video-1.mp4\n");
    await expect(frames(path)).rejects.toMatchObject({ reason: "video_unreadable" });
  });

  it.each(["pipe", "device", "folder"])("is never a %s, which ffmpeg would wait for or read without end", async (kind) => {
    const path = join(folder, `${kind}.mp4`);
    if (kind === "pipe") await execa("mkfifo", [path]);
    else if (kind === "device") await symlink("/dev/zero", path);
    else await mkdir(path);
    const begun = performance.now();
    await expect(frames(path)).rejects.toMatchObject({ reason: "video_unreadable", message: "it is not a regular file" });
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  it("cannot become another one after ffmpeg has started", async () => {
    const path = join(folder, "replaced.mp4");
    await copyFile(await makeVideo(folder, "mp4", 5), path);
    const slow = await program("slow-ffmpeg", 'sleep 0.5\nexec ffmpeg "$@"');
    const reading = frames(path, { command: slow });
    await sleep(200);
    await rm(path);
    await execa("mkfifo", [path]);
    expect((await reading).map(({ offsetSeconds }) => offsetSeconds)).toEqual([0, 2, 4]);
  });

  it("uses no more memory than a picture may", async () => {
    const path = join(folder, "huge.avi");
    // 64 megapixels in a few kilobytes
    const source = ["-f", "lavfi", "-i", "color=black:size=8000x8000:rate=1:duration=1"];
    await execa("ffmpeg", ["-loglevel", "error", "-y", ...source, "-c:v", "mjpeg", "-q:v", "31", path]);
    await expect(frames(path)).rejects.toMatchObject({ reason: "video_unreadable" });
  });
});

describe("without a working ffmpeg", () => {
  it("says what to install", async () => {
    expect(await hasFfmpeg("/nonexistent/ffmpeg")).toBe(false);
    await expect(frames("a.mp4", { command: "/nonexistent/ffmpeg" })).rejects.toMatchObject({
      reason: "no_ffmpeg",
      message: expect.stringContaining("apt-get install ffmpeg"),
    });
  });

  it("kills one that hangs, after the time limit or on abort", async () => {
    const hanging = await program("hanging", "exec sleep 60");
    await expect(frames("a.mp4", { command: hanging, timeoutMs: 150 })).rejects.toMatchObject({ reason: "video_unreadable" });
    const signal = AbortSignal.timeout(100);
    await expect(frames("a.mp4", { command: hanging, signal })).rejects.toThrow("timeout");
  });

  it("does not take what is short for a fault of the video", async () => {
    const built = await bundled("src/monitoring/images/video.ts");
    const script = `
      import { openSync } from "node:fs";
      import { extractFrames } from ${JSON.stringify(built)};
      try { for (;;) openSync("/dev/null"); } catch {}
      try { for await (const _ of extractFrames("a.mp4")); } catch (error) { console.log(error.reason); }
    `;
    const run = 'ulimit -n 200 && exec "$0" --input-type=module -e "$1"';
    expect((await execa("sh", ["-c", run, process.execPath, script])).stdout).toBe("unreadable");
  });
});

describe("a program in the place of ffmpeg", () => {
  let jpeg: string;
  beforeAll(async () => {
    jpeg = join(folder, "frame.jpg");
    await sharp({ create: { width: 16, height: 16, channels: 3, background: "grey" } })
      .jpeg()
      .toFile(jpeg);
  });

  it("has its own time limit: the reader of the frames may take longer", async () => {
    const command = await program("quick", `cat ${jpeg} ${jpeg} ${jpeg}`);
    const offsets: number[] = [];
    for await (const { offsetSeconds } of extractFrames("a.mp4", { command, timeoutMs: 1_500 })) {
      offsets.push(offsetSeconds);
      await sleep(800);
    }
    expect(offsets).toEqual([0, 2, 4]);
  });

  it("that never ends still delivers its frames", async () => {
    const command = await program("endless", `cat ${jpeg} ${jpeg}\nexec sleep 60`);
    expect(await frames("a.mp4", { command, timeoutMs: 1_500 })).toHaveLength(2);
  });

  it.each([
    ["is killed, for want of memory perhaps", "kill -KILL $$"],
    ["is told to end", "exit 255"],
  ])("that %s says nothing of the video", async (_, end) => {
    const command = await program("ended", `cat ${jpeg}\n${end}`);
    await expect(frames("a.mp4", { command })).rejects.toMatchObject({ reason: "unreadable" });
  });

  it("that cannot be started as a whole is quoted", async () => {
    const said = "ffmpeg: error while loading shared libraries: libavcodec.so.60";
    const command = await program("half", `printf '${said}' >&2; exit 127`);
    await expect(frames("a.mp4", { command })).rejects.toThrow(`ffmpeg found no frame (exit code 127): ${said}`);
  });

  it("that dies of the video says that it is unreadable", async () => {
    const command = await program("crashing", "ulimit -c 0; kill -SEGV $$");
    await expect(frames("a.mp4", { command })).rejects.toMatchObject({ reason: "video_unreadable" });
  });
});
