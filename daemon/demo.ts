import { constants } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import type { z } from "zod";
import { type TailState, tail } from "../src/admin/live-client/tail.ts";
import { pause } from "../src/base/lifecycle/pause.ts";
import { packageRoot } from "../src/base/version.ts";
import type { JournalMessage } from "../src/contract/live.ts";
import { Problem } from "../src/contract/problem.ts";
import type { Detection as DetectionRecord } from "../src/contract/routes/detections.ts";
import type { Daemon as DaemonToFollow } from "../src/contract/tail/address.ts";
import type { Config } from "../src/platform/config/config.ts";
import { type Daemon, startDaemon } from "./daemon.ts";
import { firstAlertHint } from "./first-alert.ts";
import { addressOptions, reachable, type ServeOptions, stopped, untilAborted } from "./serve.ts";

export interface DemoOptions extends ServeOptions {
  /** End with exit code 0 after the first scored event. */
  readonly once: boolean;
}

type Detection = z.output<typeof DetectionRecord>;

const cameraId = "demo-walkway";
/** Interval of uploads, as from a camera that sees something move. */
const uploadEveryMs = 700;
/** Without a scored event in this time, `--once` fails. */
const scoreTimeoutMs = 120_000;

/**
 * Runs the real daemon with a demonstration camera and prints what happens as it happens. Returns the exit code. With `once` it is 0 after
 * the first scored event and 1 if there is none.
 */
export async function demo(options: DemoOptions): Promise<number> {
  const { config, log, out } = options;
  const startedAt = performance.now();
  const say: Say = (what, text) => {
    out.write(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${what.padEnd(14)} ${text}\n`);
  };
  for (const warning of options.warnings) log.warn({}, warning);
  say("starting", "the daemon with a database, a detector and a language model ...");
  const daemon = await startDaemon({
    config,
    log,
    onPictures: (camera, paths) => {
      for (const path of paths) say("picture seen", `${camera}: ${basename(path)}`);
    },
  });
  const end = new AbortController();
  const signal = AbortSignal.any([options.signal, end.signal]);
  let code = 1;
  try {
    say("API", daemon.url);
    say("pictures", `${config.cameraRoot}/<camera>/`);
    const messages = printMessages(await toFollow(daemon, config), signal, say);
    const uploads = upload(join(config.cameraRoot, cameraId), signal);
    const first = await Promise.race([messages.first, messages.done, uploads.then(() => timeOut(signal)), untilAborted(options.signal)]);
    if (first === "scored") {
      code = 0;
      const { called } = options;
      const hint = await firstAlertHint(config, daemon.context.db, `stop the demo, then ${called} serve and ${called} setup`);
      if (options.once && hint !== undefined) out.write(`${hint}\n`);
      if (!options.once) {
        out.write(
          [
            "",
            "That was the complete pipeline, from a picture to a scored event. The daemon keeps running; press Ctrl-C to stop it.",
            `  try your own   copy a picture of people into a new folder under ${config.cameraRoot}`,
            `  look around    ${options.called} events list ${addressOptions(daemon)}`,
            `                 curl ${daemon.ownCertificatePath === undefined ? "" : `--cacert ${daemon.ownCertificatePath} `}${reachable(daemon.url)}/api/events`,
            ...(hint === undefined ? [] : [hint]),
            "",
            "",
          ].join("\n"),
        );
        await untilAborted(options.signal);
      }
    } else if (options.signal.aborted) {
      code = 0;
    } else {
      say("timed out", `no event was scored in time; see \`${options.called} health\` and the log`);
    }
    end.abort();
    await Promise.all([messages.done, uploads]);
  } finally {
    out.write("Stopping ...\n");
    end.abort();
    code = Math.max(code, await stopped(daemon, log));
  }
  return code;
}

type Say = (what: string, text: string) => void;

/** The daemon's address, with the credentials that its configuration requires of a client. */
async function toFollow({ url, ownCertificatePath }: Daemon, config: Config): Promise<DaemonToFollow> {
  return {
    url: reachable(url),
    apiKey: config.apiKeyEnabled ? config.apiKeys[0] : undefined,
    token: config.websocketToken,
    ca: ownCertificatePath === undefined ? undefined : await readFile(ownCertificatePath, "utf8"),
  };
}

/**
 * Prints the live messages. `first` resolves at the first scored event. `done` resolves after the signal has ended it, and rejects if the
 * daemon refuses the connection.
 */
function printMessages(
  daemon: DaemonToFollow,
  signal: AbortSignal,
  say: Say,
): { readonly first: Promise<"scored">; readonly done: Promise<void> } {
  let scored: () => void = () => {};
  const first = new Promise<"scored">((resolve) => {
    scored = () => resolve("scored");
  });
  let lastReason: string | undefined;
  const onState = (state: TailState): void => {
    if (state.kind !== "interrupted" || state.reason === lastReason) return;
    lastReason = state.reason;
    say("not connected", state.reason);
  };
  const follow = async (): Promise<void> => {
    const findings = collectFindings(say);
    for await (const message of tail({ ...daemon, signal, onState })) {
      if (message.type === "detection.new") findings.add(message.data);
      else findings.print();
      if (message.type !== "gap") printMessage(message, say);
      if (message.type === "event.updated" && message.data.risk_score !== null) scored();
    }
  };
  return { first, done: follow() };
}

/** Prints the detections of a picture in one line: their messages arrive together. */
function collectFindings(say: Say): { add(detection: Detection): void; print(): void } {
  const gatherMs = 60;
  let found: Detection[] = [];
  let timer: NodeJS.Timeout | undefined;
  const print = (): void => {
    clearTimeout(timer);
    const [first] = found;
    if (!first) return;
    const types = [...new Set(found.map(({ object_type }) => object_type))];
    const counts = types.map((type) => `${found.filter(({ object_type }) => object_type === type).length} x ${type}`);
    const percents = [...new Set(found.map(({ confidence }) => Math.round(confidence * 100)))].toSorted((a, b) => a - b);
    const range = percents.length === 1 ? `${percents[0]}` : `${percents[0]} to ${percents.at(-1)}`;
    say("found", `${basename(first.file_path)}: ${counts.join(", ")}, confidence ${range} %`);
    found = [];
  };
  return {
    add: (detection) => {
      if (found[0] && found[0].file_path !== detection.file_path) print();
      found.push(detection);
      clearTimeout(timer);
      timer = setTimeout(print, gatherMs);
    },
    print,
  };
}

function printMessage(message: JournalMessage, say: Say): void {
  if (message.type === "event") {
    const { id, detection_count, object_types } = message.data;
    say("event opened", `event ${id}: ${detection_count} detections of ${object_types.join(", ")}; waiting for the language model`);
  }
  if (message.type !== "event.updated" || message.data.risk_score === null) return;
  const { id, risk_score, risk_level, summary, reasoning, risk_factors } = message.data;
  say("event scored", `event ${id}: risk ${risk_score} of 100 (${risk_level})`);
  say("  summary", summary);
  say("  reasoning", reasoning);
  for (const factor of risk_factors) say("  factor", `${String(factor.contribution).padStart(4)}  ${factor.name}`);
}

/** Copies the pictures one by one into the camera's folder, as an FTP server does: under another name first. */
async function upload(folder: string, signal: AbortSignal): Promise<void> {
  const source = join(packageRoot(), "demo", "pictures");
  const names = (await readdir(source)).filter((name) => name.endsWith(".jpg")).toSorted();
  if (names.length === 0) throw new Problem("not_found", `the demonstration pictures are missing in ${source}; reinstall homesec`);
  await mkdir(folder, { recursive: true });
  const stamp = Date.now().toString(36);
  for (const name of names) {
    if (signal.aborted) return;
    const target = join(folder, `${stamp}-${name}`);
    await copyFile(join(source, name), `${target}.part`, constants.COPYFILE_EXCL);
    await rename(`${target}.part`, target);
    await pause(uploadEveryMs, signal);
  }
}

async function timeOut(signal: AbortSignal): Promise<"timed out"> {
  await pause(scoreTimeoutMs, signal);
  return "timed out";
}
