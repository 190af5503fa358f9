import { type ChildProcess, execFile, spawn } from "node:child_process";
import { hostname } from "node:os";
import { PullFault } from "./pulled-picture.ts";

/** ffmpeg ends after this time without a byte of the stream, even if homesec is gone. */
const silentSeconds = 15;
/** Maximum length of ffmpeg's messages that are kept to find the reason of a fault. */
const mostMessages = 8_192;

/** What a stream is read with. */
export interface StreamAddress {
  /** With user name and password: it must appear in no log and no list of processes. */
  readonly secretUrl: string;
  /** Host and port, for messages. */
  readonly shown: string;
  readonly user: string | undefined;
  readonly everyMs: number;
  readonly command: string;
}

/** States that ffmpeg is missing, and how to install it. */
export function noFfmpeg(): string {
  return `a stream needs ffmpeg, which is not installed on the machine ${hostname()}; install it there (Debian: apt-get install ffmpeg)`;
}

/**
 * Returns the arguments of ffmpeg. It reads the address as a script from its standard input, since every user of the machine can read the
 * arguments of a process.
 */
export function ffmpegArguments(everyMs: number, majorVersion: number): readonly string[] {
  // A step back in time is a camera that set its clock
  const isDue = `isnan(prev_selected_t)+gte(t-prev_selected_t,${(everyMs / 1000 - 0.02).toFixed(3)})+lt(t,prev_selected_t)`;
  return [
    ...["-hide_banner", "-nostats", "-loglevel", "error", "-f", "concat", "-safe", "0"],
    ...["-protocol_whitelist", "pipe,rtsp,rtsps,tcp,tls,rtp,udp,crypto", "-i", "pipe:0"],
    ...["-map", "0:v:0", "-an", "-sn", "-dn", "-vf", `select='${isDue}',format=yuvj420p`],
    ...(majorVersion >= 6 ? ["-fps_mode", "passthrough"] : ["-vsync", "passthrough"]),
    ...["-c:v", "mjpeg", "-q:v", "3", "-threads", "1", "-f", "mpjpeg", "-flush_packets", "1", "pipe:1"],
  ];
}

/** Returns the script with the address. Before version 5, ffmpeg called the option with the time limit differently. */
export function ffmpegScript(secretUrl: string, majorVersion: number): string {
  const timeout = majorVersion >= 5 ? "timeout" : "stimeout";
  const quoted = secretUrl.replaceAll("'", "%27");
  return [
    "ffconcat version 1.0",
    `file '${quoted}'`,
    "option rtsp_transport tcp",
    "option allowed_media_types video",
    `option ${timeout} ${silentSeconds * 1_000_000}`,
    // The first picture arrives a second earlier, since the frame rate does not matter
    "option fpsprobesize 0",
    "option analyzeduration 2000000",
    "",
  ].join("\n");
}

const versions = new Map<string, Promise<number>>();

/** Returns the major version of ffmpeg; a build without a number counts as a new one. Throws `PullFault` if it is not installed. */
export async function ffmpegVersion(command: string): Promise<number> {
  const known = versions.get(command) ?? askVersion(command);
  versions.set(command, known);
  // A missing ffmpeg may be installed while homesec runs
  known.catch(() => versions.delete(command));
  return await known;
}

function askVersion(command: string): Promise<number> {
  return new Promise((done, fail) => {
    execFile(command, ["-hide_banner", "-version"], { timeout: 10_000 }, (error, stdout) => {
      if (error && "code" in error && error.code === "ENOENT") fail(new PullFault(noFfmpeg()));
      else done(Number(/^ffmpeg version n?(\d+)\./.exec(stdout)?.[1] ?? 99));
    });
  });
}

/** A running ffmpeg. `messages` returns what it has said until now, which may contain the password. */
export interface FfmpegRun {
  readonly child: ChildProcess;
  messages(): string;
}

/** Starts ffmpeg on a stream. */
export function runFfmpeg({ secretUrl, everyMs, command }: StreamAddress, majorVersion: number): FfmpegRun {
  const child = spawn(command, [...ffmpegArguments(everyMs, majorVersion)], { stdio: ["pipe", "pipe", "pipe"] });
  let messages = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (messages.length < mostMessages) messages += text;
  });
  // It may have ended before it read the script
  child.stdin.on("error", () => {});
  child.stdin.end(ffmpegScript(secretUrl, majorVersion));
  return { child, messages: () => messages };
}

/** Describes why a stream ended, by ffmpeg's messages. Only parts of them that cannot contain the address are repeated. */
export function streamFault(messages: string, { shown, user }: Pick<StreamAddress, "shown" | "user">): string {
  const says = (pattern: RegExp): boolean => pattern.test(messages);
  if (says(/401 Unauthorized|authorization failed/i))
    return user === undefined
      ? "401: the camera asks for a user and a password; enter them with the address"
      : `401: the camera refused the password of user ${user}; enter it again`;
  if (says(/403 Forbidden/i)) return "403: the camera does not let this user see the stream; give that right in the camera";
  if (says(/404 Not Found|Stream not found/i)) return "404: there is no stream at this address; look it up in the camera's manual";
  if (says(/Connection refused/i)) return `connection refused at ${shown}; switch RTSP on in the camera`;
  if (says(/No route to host|Network is unreachable/i)) return `no route to ${shown}; is the camera on?`;
  if (says(/Connection timed out|Operation timed out/i)) return `no answer from ${shown}; is the camera on?`;
  if (says(/certificate|TLS|SSL/i)) return `${shown}: TLS failed; is it rtsp://?`;
  if (says(/453 |Not Enough Bandwidth|5XX|50[03] /i)) return `${shown}: the camera serves too many viewers; close some, or restart it`;
  if (says(/matches no streams|does not contain any stream/i)) return "the stream has no video; give the address of another one";
  if (says(/Protocol .* not on whitelist/i)) return "the camera sends homesec to an address that is no stream, which it does not follow";
  return `the stream of ${shown} ended; homesec connects again`;
}
