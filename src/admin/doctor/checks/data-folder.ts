import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { localDay } from "../../../base/clock/calendar.ts";
import { dayMs } from "../../../base/clock/clock.ts";
import { shellWord } from "../../../base/text/format.ts";
import { Problem } from "../../../contract/problem.ts";
import { readKey } from "../../../platform/secrets/key-file.ts";
import { countSealed, holdersText } from "../../../platform/secrets/sealed-repository.ts";
import { sealerOf } from "../../../platform/secrets/sealer.ts";
import { type Check, finding, notPossible, type Outcome, ok, skipped } from "../check.ts";
import type { Examination } from "../examination.ts";
import { entriesOf, nearestExisting } from "../folders.ts";
import { listed, reasonOf } from "../wording.ts";

const folder: Check = {
  id: "data-folder",
  replaces: ["data-folder-permissions", "data-folder-owner"],
  group: "data",
  title: "Data folder",
  severity: "error",
  reads: "data",
  finds:
    "This user cannot create DATA_DIR or write to it, or a file in it belongs to another user. Other users may write to it, or (a warning) read it",
  async run(examination) {
    const { dataDir } = examination.config();
    const found = await stat(dataDir).catch((error: NodeJS.ErrnoException) => error);
    const another = "set DATA_DIR to another folder";
    if (found instanceof Error) return await missingFolder(dataDir, found.code, another);
    if (!found.isDirectory()) return finding(`${dataDir} is not a folder`, `Delete the file ${dataDir}, or ${another}`);
    const error = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).then(() => undefined, reasonOf);
    if (error !== undefined)
      return finding(`This user may not write to ${dataDir} (${error})`, `sudo chown "$(id -un)" ${shellWord(dataDir)}, or ${another}`);
    return [permissions(dataDir, found.mode), await owners(dataDir, found.uid)];
  },
};

async function missingFolder(dataDir: string, code: string | undefined, another: string): Promise<Outcome> {
  if (code !== "ENOENT") return finding(`${dataDir} cannot be used (${code})`, `Give this user access to ${dataDir}, or ${another}`);
  const above = await nearestExisting(dataDir);
  const refusal = await access(above, constants.W_OK).then(() => undefined, reasonOf);
  if (refusal === undefined) return skipped(`${dataDir} does not exist yet; the first start of homesec creates it`);
  return finding(
    `${dataDir} does not exist, and this user cannot create it in ${above}`,
    `sudo install -d -m 700 -o "$(id -un)" ${shellWord(dataDir)}, or ${another}`,
  );
}

function permissions(dataDir: string, mode: number): Outcome {
  const shown = `0${(mode & 0o777).toString(8)}`;
  const open = [(mode & 0o004) > 0 && "read", (mode & 0o022) > 0 && "write to"].filter((word) => word !== false);
  if (open.length === 0) return ok(`${dataDir} (${shown})`);
  return finding(
    `Other users of this machine may ${open.join(" and ")} ${dataDir} (${shown})`,
    `chmod o-rw,g-w ${shellWord(dataDir)}`,
    (mode & 0o022) > 0 ? "error" : "warning",
  );
}

/** When homesec runs as root, the embedded server and its files belong to another account. */
const otherOwners: ReadonlySet<string> = new Set(["postgres", "postgresql", "run", "cameras"]);

async function owners(dataDir: string, uid: number): Promise<Outcome> {
  const names = (await readdir(dataDir)).filter((name) => !otherOwners.has(name) && !name.startsWith("postgres.new-"));
  const foreign: string[] = [];
  for (const name of names) {
    const entry = await stat(join(dataDir, name)).catch(() => undefined);
    if (entry && entry.uid !== uid) foreign.push(name);
  }
  if (foreign.length === 0) return ok();
  const paths = foreign.map((name) => shellWord(join(dataDir, name)));
  return finding(
    `${listed(foreign, ", ")} in ${dataDir} ${foreign.length === 1 ? "belongs" : "belong"} to another user than the folder: homesec once ran as that user`,
    `sudo chown -R ${uid} ${paths.join(" ")}`,
  );
}

const keyFile: Check = {
  id: "key-file",
  replaces: ["sealed-secrets"],
  group: "data",
  title: "Key file",
  severity: "error",
  reads: "data",
  finds:
    "Others may read SECRET_KEY_PATH, it is damaged or unreadable, or it is missing or another key although the database holds secrets sealed with it",
  async run(examination) {
    const { secretKeyPath } = examination.config();
    if ((await examination.shares()).silentFiles.includes(secretKeyPath))
      return skipped(`the network share of ${secretKeyPath} does not answer`);
    try {
      const key = readKey(secretKeyPath);
      return key ? await foreignSecrets(examination, key) : await missingKey(examination);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const [, fault = error.message, fix] = /: ([^;]+); (.*)$/.exec(error.message) ?? [];
      return finding(`${secretKeyPath}: ${fault}`, fix ?? `chmod 600 ${secretKeyPath}`);
    }
  },
};

async function missingKey(examination: Examination): Promise<Outcome> {
  const { secretKeyPath } = examination.config();
  const counts = await examination.rows().then((db) => db.query((sql) => countSealed(sql, undefined)), notPossible);
  if (counts === undefined) return ok("does not exist yet; doctor could not read the database to see whether it is needed");
  const holders = holdersText(counts.sealed);
  if (holders === undefined) return ok("does not exist yet; the first start of homesec creates it");
  return finding(
    `${secretKeyPath} is missing, and only it can open the secrets of ${holders} in the database`,
    `Restore it from a backup. If it is lost: (umask 077; head -c 32 /dev/urandom > ${secretKeyPath}), and enter these secrets again`,
  );
}

async function foreignSecrets(examination: Examination, key: Buffer): Promise<Outcome> {
  const { secretKeyPath } = examination.config();
  const { fingerprint } = sealerOf(key, secretKeyPath);
  const counts = await examination.rows().then((db) => db.query((sql) => countSealed(sql, fingerprint)), notPossible);
  const holders = counts && holdersText(counts.foreign);
  if (holders === undefined) return ok(secretKeyPath);
  return finding(
    `Secrets of ${holders} were sealed with another key than the one in ${secretKeyPath}, so homesec delivers nothing to these webhooks and gets nothing from these cameras`,
    `Restore the right key file to ${secretKeyPath} and restart homesec. Or enter the secrets again: auth and headers with homesec webhooks update, the signing secret with homesec webhooks rotate-secret, and passwords with homesec cameras update`,
  );
}

const maxBackupDays = 14;

const backup: Check = {
  id: "backup",
  group: "data",
  title: "Backup",
  severity: "warning",
  reads: "folders",
  finds: "The newest backup in the data folder, its folder backups or the working folder is more than two weeks old",
  async run(examination) {
    const { dataDir } = examination.config();
    const folders = [...new Set([dataDir, join(dataDir, "backups"), examination.machine.cwd])];
    const all = (await Promise.all(folders.map(entriesOf))).flat().filter(({ path }) => path.endsWith(".backup"));
    const newest = all.toSorted((one, other) => other.modified - one.modified)[0];
    if (newest === undefined)
      return skipped("no backup is in the data folder or the working folder, and other places are unknown; `homesec db backup` makes one");
    const now = examination.clock.now();
    const days = Math.floor((now.getTime() - newest.modified) / dayMs);
    if (days <= maxBackupDays) return ok(`${newest.path}, ${days} days old`);
    return finding(
      `The newest backup, ${newest.path}, is ${days} days old`,
      `homesec db backup ${shellWord(join(dirname(newest.path), `homesec-${localDay(now)}.backup`))}, best every night by cron`,
    );
  },
};

export const dataFolderChecks: readonly Check[] = [folder, keyFile, backup];
