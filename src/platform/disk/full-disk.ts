import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Problem } from "../../contract/problem.ts";
import { diskSpace } from "./disk.ts";
import { isInside } from "./files.ts";

/** Space that the first start uses: a new database with its write-ahead log, and the log files. */
const firstStartBytes = 100_000_000;
/** Space that a later start may use, to recover the database after an unclean end. */
const laterStartBytes = 50_000_000;

/** The disk of the data folder is full, so that homesec cannot start. */
export class DiskFull extends Problem {
  override name = "DiskFull";
}

/**
 * The error of a failed start, in words for a person if it came from a full disk or a used-up quota: the folder, the free and the needed
 * space, and the fix. Any other error comes back as it is. Never throws.
 */
export async function explainFullDisk(error: unknown, dataDir: string): Promise<unknown> {
  if (error instanceof DiskFull || !saysDiskFull(error, dataDir)) return error;
  const isFirst = !(await exists(join(dataDir, "postgres")));
  const free = await freeBytes(dataDir);
  const needed = megabytes(isFirst ? firstStartBytes : laterStartBytes);
  const room =
    free === undefined ? "" : `: ${megabytes(free)} are free, and ${isFirst ? "the first start" : "a start"} needs about ${needed}`;
  return new DiskFull(
    "unavailable",
    `The disk of the data folder ${dataDir} is too full${room}; free some space there, or set DATA_DIR to a folder on a larger disk`,
    { cause: error },
  );
}

/** Whether an error or one of its causes says that the disk of a folder is full. */
function saysDiskFull(error: unknown, folder: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code, path, syscall, message } = error as NodeJS.ErrnoException;
  // The system's limit of file watchers has the same code, and shared memory is on another disk
  const isOther = syscall === "watch" || /shared memory/.test(message) || (path !== undefined && !isInside(folder, path));
  const isFull = ["ENOSPC", "EDQUOT", "53100"].includes(code ?? "") || /No space left on device|Disk quota exceeded/.test(message);
  return (isFull && !isOther) || saysDiskFull(error.cause, folder);
}

/** Free space at a folder or, if it does not exist, at the nearest one above it. */
async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    return (await diskSpace(folder)).freeBytes;
  } catch {
    return dirname(folder) === folder ? undefined : await freeBytes(dirname(folder));
  }
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

function megabytes(bytes: number): string {
  return `${bytes < 10_000_000 ? (bytes / 1_000_000).toFixed(1) : Math.round(bytes / 1_000_000)} MB`;
}
