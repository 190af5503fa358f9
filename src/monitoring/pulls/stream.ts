import { readFile } from "node:fs/promises";
import { signalChild } from "../../base/lifecycle/signals.ts";
import { isRefusedAddress, plainHost } from "../../platform/outbound/address.ts";
import { refusalOfHost } from "../../platform/outbound/checked-lookup.ts";
import { type Resolve, resolveBySystem } from "../../platform/outbound/resolve.ts";
import { filledAddress, shownHost } from "./address.ts";
import type { Credentials } from "./digest.ts";
import { type FfmpegRun, ffmpegVersion, noFfmpeg, runFfmpeg, streamFault } from "./ffmpeg.ts";
import { BadParts, PartReader } from "./part-reader.ts";
import { checkPicture, mostPulledBytes, type PulledPicture, PullFault } from "./pulled-picture.ts";

/** A stream of a camera, and how often a picture is taken from it. */
export interface StreamOptions {
  readonly url: string;
  readonly credentials: Credentials | undefined;
  readonly everyMs: number;
  /** A stream without a picture for this long is ended. */
  readonly silentMs: number;
  readonly signal: AbortSignal;
  /** Called with each picture, one after the other. */
  readonly onPicture: (picture: PulledPicture) => Promise<void>;
  /** Called with the process that reads the stream. */
  readonly onProcess?: (pid: number) => void;
  readonly resolve?: Resolve;
  readonly command?: string;
}

/**
 * Reads a stream with ffmpeg until it ends, and never resolves before. Throws `PullFault` with the reason of its end, also if the signal
 * ended it. ffmpeg connects to the address that was checked here, whatever the name leads to later.
 */
export async function readStream(options: StreamOptions): Promise<never> {
  const { url, credentials, silentMs, signal, command = "ffmpeg" } = options;
  const shown = shownHost(url);
  const version = await ffmpegVersion(command);
  const secretUrl = await secretUrlOf(options, shown);
  if (signal.aborted) throw new PullFault("stopped");
  const run = runFfmpeg({ secretUrl, shown, user: credentials?.user, everyMs: options.everyMs, command }, version);
  const { child } = run;
  if (child.pid !== undefined) options.onProcess?.(child.pid);
  let reason: PullFault | undefined;
  const end = (why: PullFault): void => {
    reason ??= why;
    signalChild(child, "SIGKILL");
  };
  const onAbort = (): void => end(new PullFault("stopped"));
  signal.addEventListener("abort", onAbort, { once: true });
  const watch = setTimeout(() => end(new PullFault(`no picture from ${shown} for ${Math.round(silentMs / 1000)} s`)), silentMs);
  const closed = new Promise<void>((done) => {
    child.once("close", () => done());
    child.once("error", () => done());
  });
  try {
    await readPictures(run, options, watch, end);
    await closed;
  } finally {
    clearTimeout(watch);
    signal.removeEventListener("abort", onAbort);
    signalChild(child, "SIGKILL");
  }
  if (child.pid === undefined) throw new PullFault(noFfmpeg());
  throw reason ?? new PullFault(streamFault(run.messages(), { shown, user: credentials?.user }));
}

/** While one picture is handled, ffmpeg waits, and the camera with it: no backlog grows in memory. */
async function readPictures(
  { child }: FfmpegRun,
  { onPicture, signal }: StreamOptions,
  watch: NodeJS.Timeout,
  end: (why: PullFault) => void,
): Promise<void> {
  if (!child.stdout) return;
  const reader = new PartReader({ boundary: "ffmpeg", mostBytes: mostPulledBytes });
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      for (const part of reader.push(chunk)) {
        if (signal.aborted) return;
        watch.refresh();
        await onPicture(await checkPicture(part, "image/jpeg"));
      }
    }
  } catch (error) {
    if (error instanceof BadParts) end(new PullFault(`the camera sent ${error.message}`));
    else if (error instanceof PullFault) end(error);
    else throw error;
  }
}

/** Returns the address with user, password, and the address of its host that was checked. */
async function secretUrlOf({ url, credentials, resolve = resolveBySystem }: StreamOptions, shown: string): Promise<string> {
  const target = new URL(filledAddress(url, credentials));
  const host = plainHost(target.hostname);
  const refusal = refusalOfHost(host);
  if (refusal !== undefined) throw new PullFault(`${refusal}, which is never called`);
  // The certificate of a stream over TLS names the host, so its name must stay
  const isName = /[a-z]/i.test(host) && !host.includes(":");
  if (isName) {
    const addresses = await resolve(host).catch(() => []);
    const bad = addresses.find(isRefusedAddress);
    if (bad !== undefined) throw new PullFault(`${host} is at ${bad}, a link-local or reserved address, which is never called`);
    const [first] = addresses;
    if (first === undefined) throw new PullFault(`${shown}: the name does not exist`);
    if (target.protocol === "rtsp:") setHost(target, first);
  }
  const login = credentials ? `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}@` : "";
  return target.href.replace("://", `://${login}`);
}

function setHost(target: URL, address: string): void {
  target.hostname = address.includes(":") ? `[${address}]` : address;
}

/** Returns the processor time that a process has used, in milliseconds, and its memory in bytes; undefined if it is gone. */
export async function usageOf(pid: number): Promise<{ readonly cpuMs: number; readonly memoryBytes: number } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (fields.length < 22) return undefined;
  // In ticks of 10 ms and pages of 4 KiB, on all systems that homesec runs on
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * 10, memoryBytes: Number(fields[21]) * 4_096 };
}
