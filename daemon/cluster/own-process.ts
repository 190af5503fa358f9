import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Database } from "../../src/platform/database/database.ts";
import { freeAbandonedJobs } from "../../src/work/jobs/jobs-repository.ts";
import {
  beatProcess,
  otherProcessesOnMachine,
  type ProcessRow,
  removeOtherProcesses,
  removeProcesses,
} from "../../src/work/jobs/processes-repository.ts";
import { releaseFutureJobs } from "../workers/release-future-jobs.ts";

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
    await releaseFutureJobs(sql, now);
    return freeAbandonedJobs(sql);
  });
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
