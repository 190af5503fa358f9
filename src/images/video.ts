import { spawn } from "node:child_process";
import { signalChild } from "../lifecycle/signal-child.ts";
import { mostPixels } from "./picture.ts";

/** Seconds between two frames, and how many at most. */
const frameEverySeconds = 2;
const mostFrames = 30;
/** From start to the last frame. A long film on a small machine decodes many times faster than it plays. */
const runTimeoutMs = 120_000;
const mostFrameBytes = 32 * 1024 * 1024;
/** What `inspect` lets through (MOV stands for MP4 too). Of all that ffmpeg could read, playlists and pictures of other files most of all, nothing else is tried. */
const demuxers = "mov,matroska,avi";

/** A picture out of a video. */
export interface VideoFrame {
  readonly offsetSeconds: number;
  /** A JPEG. */
  readonly bytes: Buffer;
}

/** ffmpeg is missing, failed, or took too long. The message says what to do. */
export class VideoError extends Error {
  override name = "VideoError";
  readonly reason: "no_ffmpeg" | "video_unreadable";

  constructor(reason: "no_ffmpeg" | "video_unreadable", message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }
}

export const noFfmpegRemedy =
  "This is a video and ffmpeg is not installed. Install it (Debian: apt-get install ffmpeg) and restart homesec; it is then taken up by itself.";

/** Whether `ffmpeg` can be started here. */
export async function hasFfmpeg(command = "ffmpeg"): Promise<boolean> {
  return await new Promise((resolve) => {
    const child = spawn(command, ["-version"], { stdio: "ignore" });
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
}

/**
 * Reads a frame every 2 s from a video, 30 at most, as JPEG. Breaking off the iteration or aborting ends ffmpeg.
 * Throws `VideoError` when ffmpeg is missing, cannot read the file or takes more than 2 minutes; the signal's reason when aborted.
 */
export async function* extractFrames(
  path: string,
  options: { readonly signal?: AbortSignal; readonly command?: string; readonly timeoutMs?: number } = {},
): AsyncGenerator<VideoFrame> {
  const { signal, timeoutMs = runTimeoutMs } = options;
  signal?.throwIfAborted();
  // "file:" and the lists keep names and contents from making ffmpeg open anything but this file, or hold more than a picture may have
  const child = spawn(
    options.command ?? "ffmpeg",
    [
      ...["-nostdin", "-hide_banner", "-loglevel", "error", "-protocol_whitelist", "file,pipe"],
      ...["-format_whitelist", demuxers, "-max_pixels", String(mostPixels), "-i", `file:${path}`],
      ...["-map", "0:v:0", "-vf", `fps=1/${frameEverySeconds}:round=up:start_time=0`, "-frames:v", String(mostFrames)],
      ...["-f", "image2pipe", "-c:v", "mjpeg", "-q:v", "3", "pipe:1"],
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = `${complaint}${text}`.slice(0, 2_000);
  });
  let overdue = false;
  const stop = (): void => signalChild(child, "SIGKILL");
  const timer = setTimeout(() => {
    overdue = true;
    stop();
  }, timeoutMs);
  signal?.addEventListener("abort", stop, { once: true });
  const ended = new Promise<{ code: number | null; error?: NodeJS.ErrnoException }>((resolve) => {
    child.on("error", (error) => resolve({ code: null, error }));
    child.on("close", (code) => resolve({ code }));
  });

  let frames = 0;
  try {
    for await (const bytes of splitJpegs(child.stdout)) {
      yield { offsetSeconds: frames * frameEverySeconds, bytes };
      frames += 1;
    }
    const { code, error } = await ended;
    signal?.throwIfAborted();
    if (error?.code === "ENOENT") throw new VideoError("no_ffmpeg", noFfmpegRemedy, { cause: error });
    if (error) throw new VideoError("video_unreadable", `ffmpeg could not be started: ${error.message}`, { cause: error });
    if (overdue)
      throw new VideoError("video_unreadable", `ffmpeg took longer than ${timeoutMs / 1000} s; is the video damaged or very large?`);
    // what could be read of a damaged video counts
    if (frames === 0) throw new VideoError("video_unreadable", `ffmpeg found no frame (exit code ${code}): ${lastLine(complaint)}`);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    stop();
    await ended;
  }
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) || "it did not say why";
}

/** Cuts a stream of JPEGs written one after the other: in entropy-coded data no FFD9 occurs, and ffmpeg writes no thumbnails. */
async function* splitJpegs(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  const end = Buffer.from([0xff, 0xd9]);
  for await (const chunk of stream) {
    let searchFrom = Math.max(0, rest.length - 1);
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let at = rest.indexOf(end, searchFrom); at !== -1; at = rest.indexOf(end, searchFrom)) {
      yield rest.subarray(0, at + 2);
      rest = rest.subarray(at + 2);
      searchFrom = 0;
    }
    if (rest.length > mostFrameBytes) throw new VideoError("video_unreadable", "a frame of this video is too large");
  }
}
