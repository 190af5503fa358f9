import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";

/** Creates a tiny test video of this many seconds in `folder` and returns its path. Needs ffmpeg. */
export async function makeVideo(
  folder: string,
  extension: "mp4" | "mkv" | "avi" | "mov" | "mpg",
  seconds: number,
  more: readonly string[] = [],
): Promise<string> {
  const path = join(folder, `video-${seconds}.${extension}`);
  await execa("ffmpeg", [
    ...["-loglevel", "error", "-y", "-f", "lavfi", "-i", `testsrc=duration=${seconds}:size=160x120:rate=5`, "-pix_fmt", "yuv420p"],
    ...[...more, path],
  ]);
  return path;
}

/** Sets each length that the boxes of an MP4 state to this many seconds. */
export async function stateLength(path: string, seconds: number): Promise<string> {
  const bytes = await readFile(path);
  for (const [box, scaleAt] of [
    ["mvhd", 16],
    ["mdhd", 16],
    ["tkhd", undefined],
  ] as const) {
    for (let at = bytes.indexOf(box); at >= 0; at = bytes.indexOf(box, at + 4)) {
      // behind type, version, two times, and the time scale or the track's number
      const scale = scaleAt === undefined ? 1_000 : bytes.readUInt32BE(at + scaleAt);
      bytes.writeUInt32BE(Math.min(seconds * scale, 0xffffffff), at + (scaleAt === undefined ? 24 : 20));
    }
  }
  await writeFile(path, bytes);
  return path;
}
