import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { signalChild } from "../../base/lifecycle/signals.ts";
import { readWithTimeout } from "../../platform/disk/fs-timeout.ts";
import { mostPixels } from "./picture.ts";

/** Seconds between two frames, and the maximum number of frames. */
export const frameEverySeconds = 2;
export const mostFrames = 30;
/** Total time limit for ffmpeg. Even a small machine decodes a long video many times faster than real time. */
const runTimeoutMs = 120_000;
const mostFrameBytes = 32 * 1024 * 1024;
/** No camera records longer files: a longer duration is wrong. */
const longestSeconds = 86_400;
/** Maximum length of a line of ffmpeg's output. */
const mostLineLength = 2_000;
/** The formats that `inspect` accepts (MOV includes MP4). Other formats that ffmpeg could read, playlists above all, are never tried. */
const demuxers = "mov,matroska,avi,flv,mpeg,mpegts,h264,hevc,dhav";

/*
 * Timestamps may be negative, start anywhere and jump. Offsets in a video count what was decoded: a step back, of more than a minute, or of
 * more than 5 s and ten times the step before, is a jump and counts as one frame. So no frame behind a jump is missed, and no frame gets a
 * time from before the recording.
 */
export const longestStepSeconds = 60;
export const irregularStepSeconds = 5;
export const irregularTimes = 10;
export const jumpSeconds = 0.04;

/** The rule above for ffmpeg. If the size changes in between, ffmpeg starts the filters again, which must go on from there. */
const steadyTimes = [
  "st(0,T-PREV_INT);round((if(isnan(PREV_OUTT),",
  `if(between(T,0,${mostFrames * frameEverySeconds}),T,0),`,
  `PREV_OUTT+if(gte(ld(0),0)*lte(ld(0),${longestStepSeconds})`,
  `*not(gt(ld(0),${irregularStepSeconds})*gt(ld(1),0)*gt(ld(0),${irregularTimes}*ld(1))),`,
  `st(1,ld(0)),${jumpSeconds})))/TB)`,
].join("");

/** A frame of a video. */
export interface VideoFrame {
  /** From the first frame on, without jumps of the timestamps. */
  readonly offsetSeconds: number;
  /** A JPEG. */
  readonly bytes: Buffer;
}

/**
 * ffmpeg is missing, failed or took too long; or (`unreadable`) it could not be started now, or was killed by another process, so that a
 * retry may succeed. The message says what to do.
 */
export class VideoError extends Error {
  override name = "VideoError";
  readonly reason: "no_ffmpeg" | "video_unreadable" | "unreadable";

  constructor(reason: VideoError["reason"], message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }
}

/** States that ffmpeg is missing, and how to install it: the start of a sentence. Several machines may share the work. */
export const noFfmpeg = `This is a video and ffmpeg is not installed on the machine ${hostname()}. Install it there (Debian: apt-get install ffmpeg)`;

/** Tells whether `ffmpeg` can be started here. */
export async function hasFfmpeg(command = "ffmpeg"): Promise<boolean> {
  return await new Promise((resolve) => {
    const child = spawn(command, ["-version"], { stdio: "ignore" });
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
}

/** Options for reading a video. */
export interface ReadingOptions {
  readonly signal?: AbortSignal;
  readonly command?: string;
  readonly timeoutMs?: number;
  /**
   * Called with the length in seconds that the header states, which may be wrong, at the latest before the iteration ends; not called if
   * there is none.
   */
  readonly onLength?: ((seconds: number) => void) | undefined;
}

/**
 * Reads a frame every 2 s from a video, at most 30, as JPEG. Ending the iteration or aborting stops ffmpeg. Frames that can be read from
 * a damaged video count. Throws `VideoError` if ffmpeg is missing, is killed, finds no frame, or produces none for 2 minutes; the
 * signal's reason if aborted.
 */
export async function* extractFrames(path: string, options: ReadingOptions = {}): AsyncGenerator<VideoFrame> {
  const { signal, timeoutMs = runTimeoutMs } = options;
  signal?.throwIfAborted();
  const { child, ended } = await startOn(path, options.command ?? "ffmpeg", frameArguments);
  const complaint = listen(child, options.onLength);
  const stop = (): void => signalChild(child, "SIGKILL");
  signal?.addEventListener("abort", stop, { once: true });

  let overdue = false;
  let leftMs = timeoutMs;
  // The reader may take longer per frame than ffmpeg for all of them: only the time spent waiting for ffmpeg counts.
  const timed = async <T>(wait: Promise<T>): Promise<T> => {
    const begunAt = performance.now();
    const timer = setTimeout(() => {
      overdue = true;
      stop();
    }, leftMs);
    try {
      return await wait;
    } finally {
      clearTimeout(timer);
      leftMs -= performance.now() - begunAt;
    }
  };

  let frames = 0;
  // Without a free file descriptor there are no pipes either.
  const jpegs = splitJpegs(child.stdout ?? []);
  try {
    for (let next = await timed(jpegs.next()); !next.done; next = await timed(jpegs.next())) {
      yield { offsetSeconds: frames * frameEverySeconds, bytes: next.value };
      frames += 1;
    }
    const { code, by, error } = await timed(ended);
    signal?.throwIfAborted();
    if (error) throw notStarted(error);
    if (!overdue && (code === stoppedExitCode || (by && stopSignals.has(by)))) {
      throw new VideoError("unreadable", `ffmpeg was ended by something else (${by ?? `exit code ${code}`}); is the memory used up?`);
    }
    if (frames > 0) return;
    if (overdue)
      throw new VideoError("video_unreadable", `ffmpeg took longer than ${timeoutMs / 1000} s; is the video damaged or very large?`);
    throw new VideoError(
      "video_unreadable",
      `ffmpeg found no frame (${by ?? `exit code ${code}`}): ${complaint() ?? "it did not say why"}`,
    );
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
    await jpegs.return();
    await ended;
  }
}

/** Signals that stop a program from outside; the others mean that it crashed on its input. */
const stopSignals = new Set<NodeJS.Signals>(["SIGHUP", "SIGINT", "SIGKILL", "SIGTERM"]);
/** ffmpeg's exit code after a signal that it can catch. */
const stoppedExitCode = 255;

const frameArguments = [
  ...["-vf", `setpts='${steadyTimes}',fps=1/${frameEverySeconds}:round=up:start_time=0`, "-frames:v", String(mostFrames)],
  ...["-f", "image2pipe", "-c:v", "mjpeg", "-q:v", "3", "pipe:1"],
];

/**
 * Starts ffmpeg on an open file that is known to be a regular one: a pipe or a device in its place would hold a decoder until the time
 * limit. If the file cannot be opened here, ffmpeg says why. `output`: what becomes of the first video stream.
 */
export async function startOn(path: string, command: string, output: readonly string[]): Promise<Started> {
  const opened = await readWithTimeout(dirname(path), () => open(path, constants.O_RDONLY | constants.O_NONBLOCK)).catch(() => undefined);
  try {
    if (opened && !(await opened.stat()).isFile()) throw new VideoError("video_unreadable", "it is not a regular file");
    return start(command, { path: opened ? `/dev/fd/${passedFd}` : path, fd: opened?.fd, output });
  } finally {
    await opened?.close();
  }
}

/** The number of the open file in ffmpeg, after the three standard ones. */
const passedFd = 3;

/** A started ffmpeg, and how it ends. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; by: NodeJS.Signals | null; error?: NodeJS.ErrnoException }>;
}

function start(
  command: string,
  { path, fd, output }: { readonly path: string; readonly fd: number | undefined; readonly output: readonly string[] },
): Started {
  try {
    const child = spawn(
      command,
      [
        // "file:" and the allow lists keep names and contents from making ffmpeg open other files, or hold more than a picture may have.
        ...["-nostdin", "-hide_banner", "-nostats", "-loglevel", "level+info", "-protocol_whitelist", "file,pipe"],
        ...["-format_whitelist", demuxers, "-max_pixels", String(mostPixels), "-i", `file:${path}`, "-map", "0:v:0", ...output],
      ],
      { stdio: ["ignore", "pipe", "pipe", ...(fd === undefined ? [] : [fd])] },
    );
    // Listened to at once: a missing program is reported before anything that is awaited
    const ended: Started["ended"] = new Promise((resolve) => {
      child.on("error", (error) => resolve({ code: null, by: null, error }));
      child.on("close", (code, by) => resolve({ code, by }));
    });
    return { child, ended };
  } catch (error) {
    throw notStarted(error as NodeJS.ErrnoException);
  }
}

function notStarted(error: NodeJS.ErrnoException): VideoError {
  if (error.code === "ENOENT") return new VideoError("no_ffmpeg", `${noFfmpeg}.`, { cause: error });
  // All other codes mean a shortage: memory, processes, file descriptors.
  const reason = error.code === "EACCES" ? "video_unreadable" : "unreadable";
  return new VideoError(reason, `ffmpeg could not be started: ${error.message}`, { cause: error });
}

const durationLine = /^\[info\] +Duration: (\d+):(\d\d):(\d\d\.\d+)(?:, start: (-?\d+\.\d+))?/;

/** Reads ffmpeg's output. Returns its last error message. */
function listen(child: ChildProcess, onLength: ReadingOptions["onLength"]): () => string | undefined {
  let complaint: string | undefined;
  // A line without a level does not come from ffmpeg itself, for example if a library is missing.
  let bare: string | undefined;
  let hasLength = false;
  let begun = "";
  const hear = (line: string): void => {
    complaint = /\[(?:error|fatal|panic)\] (.+)/.exec(line)?.[1] ?? complaint;
    if (/^[^[\s]/.test(line)) bare = line;
    // The input is described first.
    const [, hours, minutes, seconds, start] = (!hasLength && durationLine.exec(line)) || [];
    if (seconds === undefined) return;
    hasLength = true;
    // A part of a longer recording may count time from the start of the whole.
    const length = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds) - Math.max(0, Number(start ?? 0));
    if (length > 0) onLength?.(Math.min(length, longestSeconds));
  };
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    const lines = `${begun}${text}`.split("\n");
    begun = (lines.pop() ?? "").slice(0, mostLineLength);
    for (const line of lines) hear(line.slice(0, mostLineLength));
  });
  return () => {
    hear(begun);
    begun = "";
    return complaint ?? bare;
  };
}

/** Splits a stream of consecutive JPEGs: FFD9 does not occur in entropy-coded data, and ffmpeg writes no thumbnails. */
async function* splitJpegs(stream: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer, void> {
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
