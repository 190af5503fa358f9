import { join } from "node:path";
import { namesIn, type SizedFile, sizeOf } from "./files.ts";

/** A log file of one local day. */
export interface LogFile extends SizedFile {
  /** `YYYY-MM-DD`, local. */
  readonly day: string;
}

/** Returns the daily log files in the data folder, oldest first. Other files in the folder are ignored. */
export async function listLogFiles(dataDir: string): Promise<readonly LogFile[]> {
  const folder = join(dataDir, "logs");
  const days = (await namesIn(folder)).flatMap((name) => /^(\d{4}-\d\d-\d\d)\.ndjson$/.exec(name)?.[1] ?? []).toSorted();
  const files = await Promise.all(
    days.map(async (day) => {
      const path = join(folder, `${day}.ndjson`);
      const bytes = await sizeOf(path);
      return bytes === undefined ? [] : [{ path, bytes, day }];
    }),
  );
  return files.flat();
}
