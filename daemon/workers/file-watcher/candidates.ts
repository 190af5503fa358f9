import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../../../src/clock/clock.ts";
import { lookPatiently, NoAnswer, shareOf } from "../../../src/disk/patience.ts";
import { isSame, type Look, type LookOptions, look, type Version } from "../../../src/images/look.ts";
import { retriedReasons } from "../../../src/images/reasons.ts";
import type { FoundFile } from "../../../src/images/register.ts";
import { noFfmpegRemedy } from "../../../src/images/video.ts";
import { createTurns, type Turns } from "../../../src/lifecycle/turns.ts";
import type { Log } from "../../../src/log/log.ts";
import { Fifo } from "./fifo.ts";
import type { Timings } from "./timings.ts";

/** How many files are open at once, and how many of these may be backlog: a live picture always finds a free place. */
const mostChecks = 8;
const mostBacklogChecks = 4;
/** Finders of backlog wait while more than this is queued. */
const mostBacklogQueued = 1_000;
/** Between two looks at a file that keeps changing. */
const minGapMs = 2;
const firstDelayMs = 20;
const longestDelayMs = 1_000;
const longestStuckDelayMs = 5_000;
/** A scan may come upon a picture before its event does; it is as live if it arrived within this time. */
const liveWithinMs = 60_000;
/** So many files are remembered with their last version, so that late events about them cost one look at their size. */
const mostRecent = 5_000;

/** A file that a finder came upon. */
export interface Candidate {
  readonly cameraId: string;
  readonly path: string;
  readonly foundBy: "watch" | "scan";
  /** When the file was last changed or renamed, by the file system; of files found by a scan. */
  readonly changedAtMs?: number;
}

interface Charge extends Candidate {
  state: "queued" | "checking" | "waiting";
  /** An event came while the file was being looked at. */
  again: boolean;
  live: boolean;
  readonly arrivedAt: Date;
  version: Version | undefined;
  /** Monotonic times: of the first look, of the last change that was seen, of the last look. */
  readonly since: number;
  changedAt: number;
  checkedAt: number;
  delayMs: number;
  detail: string;
  timer: NodeJS.Timeout | undefined;
}

export interface CandidatesOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly timings: Timings;
  /** Real paths of the folders that may be read. */
  readonly roots: () => readonly string[];
  readonly canReadVideos: () => boolean;
  /** Has its outcome and can be registered. `content`: all that is in it, where it was read whole. */
  readonly onFound: (cameraId: string, file: FoundFile, content: Buffer | undefined) => void;
  /** It is a folder, with the name of a picture. */
  readonly onFolder: (candidate: Candidate) => void;
}

/** Files between "something happened to it" and "complete, or given up". */
export interface Candidates {
  /** Something happened to the file, or a scan found it. Cheap; may be called for the same file at any time. */
  add(candidate: Candidate): void;
  /** Resolves when there is room for more backlog. */
  room(): Promise<void>;
  /** Drops all files of a camera that is no longer watched. */
  drop(cameraId: string): void;
  readonly size: number;
  /** How many looks were finished; a sign of life. */
  readonly looks: number;
  stuck(): readonly { readonly path: string; readonly reason: string; readonly since: Date }[];
  stop(): Promise<void>;
}

/**
 * Looks at each file until its format says that it is complete: at once, upon each event, and on a timer that starts at 20 ms and
 * doubles up to 1 s. A file leaves with its outcome, or without one when it vanished.
 */
export function createCandidates(options: CandidatesOptions): Candidates {
  const { clock, log, timings } = options;
  const startedAtMs = clock.now().getTime();
  const charges = new Map<string, Charge>();
  const recent = new Map<string, Version>();
  const live = new Fifo<Charge>();
  const backlog = new Fifo<Charge>();
  const running = new Set<Promise<void>>();
  const turnsOf = new Map<string, Turns>();
  let backlogChecks = 0;
  let looks = 0;
  let stopped = false;
  let waiters: (() => void)[] = [];

  const enqueue = (charge: Charge): void => {
    clearTimeout(charge.timer);
    charge.state = "queued";
    (charge.live ? live : backlog).push(charge);
    pump();
  };

  const pump = (): void => {
    while (!stopped && running.size < mostChecks) {
      const charge = live.shift() ?? (backlogChecks < mostBacklogChecks ? backlog.shift() : undefined);
      if (!charge) break;
      // dropped while it was queued
      if (charges.get(charge.path) !== charge) continue;
      if (!charge.live) backlogChecks += 1;
      const countsAsBacklog = !charge.live;
      const run = check(charge)
        .catch((error: unknown) => {
          log.error({ path: charge.path, error: String(error) }, "a look at a file failed; it is tried again");
          wait(charge, "the look at it failed");
        })
        .finally(() => {
          looks += 1;
          if (countsAsBacklog) backlogChecks -= 1;
          running.delete(run);
          pump();
        });
      running.add(run);
    }
    if (backlog.size <= mostBacklogQueued / 2) {
      const woken = waiters;
      waiters = [];
      for (const wake of woken) wake();
    }
  };

  const check = async (charge: Charge): Promise<void> => {
    charge.state = "checking";
    charge.again = false;
    const seen = await lookAt(charge);
    charge.checkedAt = clock.monotonic();
    if (charges.get(charge.path) !== charge) return;
    settle(charge, seen);
  };

  /** On a share one file is looked at at a time, and none while it hangs: each look takes several questions, of which each would hold a thread. */
  const lookAt = async (charge: Charge): Promise<Look> => {
    const folder = dirname(charge.path);
    const share = shareOf(folder);
    const how: LookOptions = {
      roots: options.roots(),
      // what a listing brings is not in the ledger, whatever was seen of it before
      known: charge.foundBy === "watch" ? recent.get(charge.path) : undefined,
      quietMs: (version) => quietMs(charge, version),
    };
    if (share === undefined) return await look(charge.path, how);
    const turns = turnsOf.get(share) ?? createTurns({ max: 1 });
    turnsOf.set(share, turns);
    return await turns.run(async () => {
      const silence = await lookPatiently(folder, () => stat(folder)).then(() => undefined, asSilence);
      return silence ? { kind: "trouble", detail: silence.message } : await look(charge.path, how);
    });
  };

  /** How long the version has not changed, as far as this process or the file system can tell. */
  const quietMs = (charge: Charge, version: Version): number => {
    if (!isSame(version, charge.version)) {
      charge.version = version;
      charge.changedAt = clock.monotonic();
    }
    const seenMs = clock.monotonic() - charge.changedAt;
    return charge.changedAtMs === undefined ? seenMs : Math.max(seenMs, clock.now().getTime() - charge.changedAtMs);
  };

  const settle = (charge: Charge, seen: Look): void => {
    switch (seen.kind) {
      case "gone":
      case "known":
        leave(charge);
        break;
      case "folder":
        options.onFolder(charge);
        leave(charge);
        break;
      case "refused":
        finish(charge, seen.version, { reason: seen.reason, detail: seen.detail });
        break;
      case "trouble":
        wait(charge, seen.detail);
        break;
      case "empty":
        if (quietMs(charge, seen.version) < timings.emptyAfterMs) wait(charge, "the file is empty");
        else finish(charge, seen.version, { reason: "empty", detail: emptyDetail });
        break;
      case "inspected":
        settleInspected(charge, seen);
        break;
    }
  };

  const settleInspected = (charge: Charge, { version, inspection, sha256, content }: Extract<Look, { kind: "inspected" }>): void => {
    if (inspection.state === "incomplete") {
      if (quietMs(charge, version) < timings.giveUpAfterMs) wait(charge, inspection.detail);
      else finish(charge, version, { reason: "incomplete", detail: incompleteDetail(inspection.detail) });
    } else if (inspection.state === "refused") {
      finish(charge, version, inspection, { mediaType: inspection.mediaType });
    } else {
      const { state: _, ...facts } = inspection;
      const needsFfmpeg = facts.mediaType.startsWith("video/") && !options.canReadVideos();
      finish(charge, version, needsFfmpeg ? { reason: "no_ffmpeg", detail: noFfmpegRemedy } : null, { ...facts, sha256, content });
    }
  };

  const finish = (
    charge: Charge,
    version: Version,
    refusal: FoundFile["refusal"],
    {
      content,
      ...facts
    }: Partial<Pick<FoundFile, "mediaType" | "width" | "height" | "sha256">> & { readonly content?: Buffer | undefined } = {},
  ): void => {
    if (!refusal || !retriedReasons.includes(refusal.reason)) remember(charge.path, version);
    const { path, foundBy } = charge;
    const file: FoundFile = {
      ...{ path, foundBy, live: charge.live, takenAt: takenAt(charge, version), ...version },
      ...{ mediaType: null, width: null, height: null, sha256: null, ...facts },
      refusal: refusal && { reason: refusal.reason, detail: refusal.detail },
    };
    options.onFound(charge.cameraId, file, content);
    leave(charge);
  };

  const remember = (path: string, version: Version): void => {
    recent.delete(path);
    recent.set(path, version);
    if (recent.size > mostRecent) recent.delete(recent.keys().next().value as string);
  };

  /** Arrival of what arrived while this process runs, by whatever finder; else the file time, never in the future. */
  const takenAt = (charge: Charge, version: Version): Date => {
    const now = clock.now().getTime();
    if (charge.foundBy === "watch") return charge.arrivedAt;
    if (charge.live) return new Date(Math.min(charge.changedAtMs ?? now, now));
    return new Date(Math.min(Number(version.modifiedNs / 1_000_000n), now));
  };

  /** Done with the file, unless something happened to it meanwhile. */
  const leave = (charge: Charge): void => {
    clearTimeout(charge.timer);
    charges.delete(charge.path);
    if (charge.again) add({ cameraId: charge.cameraId, path: charge.path, foundBy: "watch" });
  };

  const wait = (charge: Charge, detail: string): void => {
    if (stopped || charges.get(charge.path) !== charge) return;
    charge.detail = detail;
    if (charge.again) {
      lookSoon(charge);
      return;
    }
    charge.state = "waiting";
    const isStuck = clock.monotonic() - charge.changedAt > timings.stuckAfterMs;
    charge.timer = setTimeout(() => enqueue(charge), charge.delayMs);
    charge.delayMs = Math.min(charge.delayMs * 2, isStuck ? longestStuckDelayMs : longestDelayMs);
  };

  /** An event says more than the timer, but a file that is written in thousands of pieces is not read a thousand times. */
  const lookSoon = (charge: Charge): void => {
    charge.again = false;
    charge.delayMs = firstDelayMs;
    clearTimeout(charge.timer);
    const gapMs = minGapMs - (clock.monotonic() - charge.checkedAt);
    if (gapMs <= 0) {
      enqueue(charge);
    } else {
      charge.state = "waiting";
      charge.timer = setTimeout(() => enqueue(charge), gapMs);
    }
  };

  const add = (candidate: Candidate): void => {
    if (stopped) return;
    const known = charges.get(candidate.path);
    if (known && known.cameraId === candidate.cameraId) {
      if (candidate.foundBy === "scan") return;
      if (known.state === "checking") known.again = true;
      else if (known.state === "waiting") lookSoon(known);
      return;
    }
    if (known) clearTimeout(known.timer);
    const now = clock.now();
    const monotonic = clock.monotonic();
    const { changedAtMs } = candidate;
    const isLive =
      candidate.foundBy === "watch" ||
      (changedAtMs !== undefined && changedAtMs >= startedAtMs && now.getTime() - changedAtMs < liveWithinMs);
    const charge: Charge = {
      ...candidate,
      ...{ state: "queued", again: false, live: isLive, arrivedAt: now, version: undefined },
      ...{
        since: monotonic,
        changedAt: monotonic,
        checkedAt: Number.NEGATIVE_INFINITY,
        delayMs: firstDelayMs,
        detail: "",
        timer: undefined,
      },
    };
    charges.set(candidate.path, charge);
    enqueue(charge);
  };

  return {
    add,
    room: async () => {
      if (backlog.size < mostBacklogQueued || stopped) return;
      await new Promise<void>((resolve) => waiters.push(resolve));
    },
    drop: (cameraId) => {
      for (const charge of charges.values()) {
        if (charge.cameraId !== cameraId) continue;
        clearTimeout(charge.timer);
        charges.delete(charge.path);
      }
    },
    get size() {
      return charges.size;
    },
    get looks() {
      return looks;
    },
    stuck: () => {
      const now = clock.now().getTime();
      const monotonic = clock.monotonic();
      return [...charges.values()]
        .filter((charge) => charge.detail !== "" && monotonic - charge.changedAt > timings.stuckAfterMs)
        .map((charge) => ({ path: charge.path, reason: charge.detail, since: new Date(now - (monotonic - charge.changedAt)) }));
    },
    stop: async () => {
      stopped = true;
      for (const charge of charges.values()) clearTimeout(charge.timer);
      for (const wake of waiters) wake();
      await Promise.all(running);
      charges.clear();
    },
  };
}

const emptyDetail =
  "The file stayed empty. Is the disk full, or was the camera's upload broken off? When it is filled, it is taken up by itself.";

function incompleteDetail(what: string): string {
  return `The upload stopped half-way: ${what}. Check the camera's connection; when the file is completed, it is taken up by itself.`;
}

/** The folder does not answer. What else is the matter with it the look at the file tells. */
function asSilence(error: unknown): NoAnswer | undefined {
  return error instanceof NoAnswer ? error : undefined;
}
