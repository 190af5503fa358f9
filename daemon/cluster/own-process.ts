import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Database } from "../../src/platform/database/database.ts";
import { freeAbandonedJobs } from "../../src/work/jobs/jobs-repository.ts";
import {
  otherProcessesOnMachine,
  type ProcessRow,
  recordHeartbeat,
  removeOtherProcesses,
  removeProcesses,
} from "../../src/work/jobs/processes-repository.ts";
import { releaseFutureJobs } from "../workers/caretaker.ts";

/**
 * Registers this process and frees at once everything that processes of an earlier run held, so that a killed daemon's work continues right
 * after the restart. `alone`: no other process can use the database, since the data folder is locked.
 */
export async function takeOver(db: Database, process: ProcessRow, alone: boolean, now: Date): Promise<number> {
  return await db.transaction(async (sql) => {
    await recordHeartbeat(sql, process);
    livingHere.add(process.processId);
    if (alone) {
      await removeOtherProcesses(sql, process.processId);
    } else {
      // A process in an unknown state gets the time that a heartbeat may take.
      const others = process.machine ? await otherProcessesOnMachine(sql, process.machine, process.processId) : [];
      const gone = others.filter(({ pid, processId }) => !livingHere.has(processId) && (pid === process.pid || !isRunning(pid)));
      await removeProcesses(
        sql,
        gone.map((other) => other.processId),
      );
    }
    // The clock may have been set back while homesec was off.
    await releaseFutureJobs(sql, now);
    return freeAbandonedJobs(sql);
  });
}

/** Removes the rows of this process, which ends cleanly and holds nothing any more. */
export async function leave(db: Database, { processId }: ProcessRow): Promise<void> {
  livingHere.delete(processId);
  await db.query((sql) => removeProcesses(sql, [processId]));
}

/** Daemons in this very process. A row with its process number that is not listed here belongs to a dead one. */
const livingHere = new Set<string>();

/** Returns the row of this process. */
export function thisProcess(processId: string, version: string): ProcessRow {
  return { processId, host: hostname(), pid: process.pid, version, machine: machineName() };
}

/**
 * Identifies the scope within which a process number is unique: a boot of the machine, and a container in it. Machines or containers with
 * the same name must not mistake each other's processes for dead. Null if the system does not tell.
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
