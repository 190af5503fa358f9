import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { bringForwardDigests } from "../../src/alerts/digests-repository.ts";
import { offlineSilentCameras } from "../../src/cameras/silence.ts";
import { forgetFutureSights } from "../../src/cameras/status-repository.ts";
import type { Clock } from "../../src/clock/clock.ts";
import { hourMs } from "../../src/clock/durations.ts";
import type { Database, Sql } from "../../src/engines/database.ts";
import { deleteEmbeddingsBefore } from "../../src/entities/embeddings-repository.ts";
import { deferWaitingImages } from "../../src/images/images-repository.ts";
import { followStatus } from "../../src/incidents/incidents.ts";
import { bringForwardJobs, demoteLateJobs, freeAbandonedJobs } from "../../src/jobs/jobs-repository.ts";
import {
  beatProcess,
  otherProcessesOnMachine,
  type ProcessRow,
  removeOtherProcesses,
  removeProcesses,
} from "../../src/jobs/processes-repository.ts";
import type { Log } from "../../src/log/log.ts";
import { bringForwardSilences } from "../../src/silences/ending-repository.ts";
import { bringForwardRetries } from "../../src/webhooks/deliveries-repository.ts";
import { createLoop, type Loop } from "./loop.ts";

const roundMs = 1_000;
const camerasEveryMs = 5_000;
const vectorsEveryMs = 60_000;
/** Vectors that are deleted in one statement. */
const vectorsAtOnce = 5_000;
/** Rounds further apart than this leave out what happened between them. */
const deafAfterMs = 15_000;
/** The wall clock was set back when it lost so much on the monotonic one between two rounds. */
const setBackMs = 2_000;

/** What the caretaker looks after. */
export interface CaretakerOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Shows that this process lives, and removes those that are gone. */
  readonly beat: (sql: Sql) => Promise<void>;
  /** Whether it is this process that judges the silence of cameras and forgets vectors: of several that share the database, one does. */
  readonly judges: () => boolean;
  readonly cameraOfflineAfterSeconds: number;
  /** How long the vectors of re-identification are kept. */
  readonly reidTtlHours: number;
  /** Why the detector cannot be asked now, or undefined when it can. */
  readonly detectorDown: () => { readonly reason: string; readonly detail: string } | undefined;
  /** Whether a new picture would be found now. */
  readonly watching: () => boolean;
  readonly onFreed: () => void;
  /** Cameras changed: the journal has entries to number, rules have events to look at, webhooks are to be told. */
  readonly onCameras: () => void;
}

/**
 * Makes the worker that keeps the rows true while nothing else touches them: shows that this process is alive, frees
 * what dead processes held, lets live work pass what has waited long, says of pictures that wait for a detector that is
 * down that they are deferred, notices cameras that fell silent, and forgets vectors whose time is over.
 */
export function createCaretaker(options: CaretakerOptions): Loop {
  const { db, clock } = options;
  let camerasAt = 0;
  let vectorsAt = 0;
  let listeningSince: Date | undefined;
  let lastRound = 0;
  let lead = Number.NEGATIVE_INFINITY;
  return createLoop({
    name: "caretaker",
    critical: false,
    log: options.log,
    round: async () => {
      const now = clock.now();
      // a restart, a sleep of the machine, a stopped watcher, a database that was away: that silence is our own
      const missed = Math.abs(now.getTime() - lastRound) > deafAfterMs || !options.watching();
      if (missed || !listeningSince || !options.judges()) listeningSince = now;
      const leadNow = now.getTime() - clock.monotonic();
      const setBack = leadNow < lead - setBackMs;
      const freed = await db.transaction(async (sql) => {
        await options.beat(sql);
        await demoteLateJobs(sql, now);
        if (setBack) await leaveTheFuture(sql, now);
        return freeAbandonedJobs(sql, now);
      });
      lead = leadNow;
      if (setBack) options.log.warn({ worker: "caretaker" }, "the clock was set back; what waited for its time starts now");
      if (freed > 0 || setBack) options.onFreed();
      const down = options.detectorDown();
      if (down !== undefined) await db.query((sql) => deferWaitingImages(sql, down, 1_000));
      if (clock.monotonic() >= camerasAt && options.judges()) {
        camerasAt = clock.monotonic() + camerasEveryMs;
        const offlineAfterSeconds = options.cameraOfflineAfterSeconds;
        const silent = await offlineSilentCameras(db, { now, offlineAfterSeconds, listeningSince });
        if ((await followStatus(db, now)) + silent > 0) options.onCameras();
      }
      lastRound = now.getTime();
      if (clock.monotonic() >= vectorsAt && options.judges()) {
        vectorsAt = clock.monotonic() + vectorsEveryMs;
        const before = new Date(now.getTime() - options.reidTtlHours * hourMs);
        await db.query((sql) => deleteEmbeddingsBefore(sql, before, vectorsAtOnce));
      }
      return roundMs;
    },
  });
}

/**
 * Registers this process and frees at once what processes of an earlier run held, so that a killed daemon's work goes
 * on right after the restart. `alone`: nobody else can be using the database, since the data folder is locked.
 */
export async function takeOver(db: Database, process: ProcessRow, alone: boolean, now: Date): Promise<number> {
  return await db.transaction(async (sql) => {
    await beatProcess(sql, process);
    livingHere.add(process.processId);
    if (alone) {
      await removeOtherProcesses(sql, process.processId);
    } else {
      // one that cannot be asked about is given the time that a heartbeat may take
      const others = process.machine ? await otherProcessesOnMachine(sql, process.machine, process.processId) : [];
      const gone = others.filter(({ pid, processId }) => !livingHere.has(processId) && (pid === process.pid || !isRunning(pid)));
      await removeProcesses(
        sql,
        gone.map((other) => other.processId),
      );
    }
    // the clock may have been set back while nobody ran
    await leaveTheFuture(sql, now);
    return freeAbandonedJobs(sql, now);
  });
}

/** The clock was set back: nothing may wait, or seem newer than what comes, until the clock has caught up. */
async function leaveTheFuture(sql: Sql, now: Date): Promise<void> {
  await bringForwardJobs(sql, now);
  await bringForwardRetries(sql, now);
  await bringForwardSilences(sql, now);
  await bringForwardDigests(sql, now);
  await forgetFutureSights(sql, now);
}

/** Takes the process out of the rows: it ends in good order, and holds nothing any more. */
export async function leave(db: Database, { processId }: ProcessRow): Promise<void> {
  livingHere.delete(processId);
  await db.query((sql) => removeProcesses(sql, [processId]));
}

/** The daemons in this very process: of another one with its number only that is known, that it is gone. */
const livingHere = new Set<string>();

/** The row of this process. */
export function thisProcess(processId: string, version: string): ProcessRow {
  return { processId, host: hostname(), pid: process.pid, version, machine: machineName() };
}

/**
 * Within what a process number is one process: a run of the machine, and in it a container or none. Two machines, or containers, of the same name
 * must not take each other's processes for dead. Null where the system does not tell.
 */
function machineName(): string | null {
  if (process.platform !== "linux") return hostname();
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
