import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { dayMs } from "../../../base/clock/durations.ts";
import { localDay } from "../../../base/clock/local-day.ts";
import { shellWord } from "../../../base/text/shell-word.ts";
import { type Check, finding, NotPossible, ok, skipped } from "../check.ts";
import { bytesText } from "../wording.ts";

const mostLogBytes = 1_000_000_000;
const oldDays = 14;

interface Found {
  readonly path: string;
  readonly bytes: number;
  readonly modified: number;
}

const logs: Check = {
  id: "logs",
  group: "data",
  title: "Log files",
  severity: "warning",
  finds: "The log files take more than 1 GB",
  remedy: "LOG_LEVEL=info, a lower LOG_RETENTION_DAYS, and a look at what is logged so often",
  async run(examination) {
    const { dataDir, logRetentionDays } = examination.config();
    const folder = join(dataDir, "logs");
    const found = await filesIn(folder);
    if (found === undefined) throw new NotPossible(`there are no logs in ${folder} yet`);
    const bytes = found.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes <= mostLogBytes) return ok(bytesText(bytes));
    return finding(
      `The log files in ${folder} take ${bytesText(bytes)}`,
      `See which are large: ls -lhS ${shellWord(folder)}; then set LOG_LEVEL=info, or LOG_RETENTION_DAYS below ${logRetentionDays}`,
    );
  },
};

const backup: Check = {
  id: "backup",
  group: "data",
  title: "Backup",
  severity: "warning",
  finds: "The newest backup in the data folder, its folder backups or the working folder is more than two weeks old",
  remedy: "homesec db backup, each night",
  async run(examination) {
    const { dataDir } = examination.config();
    const folders = [...new Set([dataDir, join(dataDir, "backups"), examination.machine.cwd])];
    const all = (await Promise.all(folders.map(filesIn))).flatMap((files) => files ?? []).filter(({ path }) => path.endsWith(".backup"));
    const newest = all.toSorted((one, other) => other.modified - one.modified)[0];
    if (newest === undefined)
      return skipped(
        "where backups are kept is not known: none is in the data folder or the working folder; `homesec db backup` makes one",
      );
    const days = Math.floor((examination.clock.now().getTime() - newest.modified) / dayMs);
    if (days <= oldDays) return ok(`${newest.path}, ${days} days old`);
    return finding(
      `The newest backup, ${newest.path}, is ${days} days old`,
      `homesec db backup ${shellWord(join(dirname(newest.path), `homesec-${localDay(examination.clock.now())}.backup`))}, best each night by cron`,
    );
  },
};

async function filesIn(folder: string): Promise<readonly Found[] | undefined> {
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) return undefined;
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const file = await stat(path).catch(() => undefined);
      return file?.isFile() ? [{ path, bytes: file.size, modified: file.mtimeMs }] : [];
    }),
  );
  return found.flat();
}

export const fileChecks: readonly Check[] = [logs, backup];
