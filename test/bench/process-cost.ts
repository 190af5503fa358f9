import { readFile } from "node:fs/promises";

/** Linux reports processor time to programs in hundredths of a second, whatever the kernel uses. */
const tickMs = 10;

/** Returns the processor time that a process has used, in milliseconds. Throws if there is no such process. */
export async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1");
  // The name in brackets may contain anything; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Returns the memory of a process in megabytes. Throws if there is no such process. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "latin1");
  const kilobytes = status.match(/^VmRSS:\s+(\d+) kB/m)?.[1];
  if (kilobytes === undefined) throw new Error(`process ${pid} has no memory`);
  return Number(kilobytes) / 1024;
}
