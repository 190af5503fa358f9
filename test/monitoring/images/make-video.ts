import { join } from "node:path";
import { execa } from "execa";

/** Creates a tiny test video of this many seconds in `folder` and returns its path. Needs ffmpeg. */
export async function makeVideo(
  folder: string,
  extension: "mp4" | "mkv" | "avi" | "mov",
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
