import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { shellWord } from "../../../base/text/shell-word.ts";
import { type Check, finding, NotPossible, ok, skipped } from "../check.ts";
import { listed, reasonOf } from "../wording.ts";

/** The embedded server and its programs belong to an account of their own when homesec runs as root. */
const ofOthers: ReadonlySet<string> = new Set(["postgres", "postgresql", "run", "cameras"]);

const folder: Check = {
  id: "data-folder",
  group: "data",
  title: "Data folder",
  severity: "error",
  finds: "DATA_DIR is no folder, cannot be written to by this user, or cannot be made",
  remedy: "Give the folder to the user that runs homesec, or name another with DATA_DIR",
  async run(examination) {
    const { dataDir } = examination.config();
    const found = await stat(dataDir).catch((error: NodeJS.ErrnoException) => error);
    const another = "name another folder with DATA_DIR";
    if (found instanceof Error) {
      if (found.code !== "ENOENT")
        return finding(`${dataDir} cannot be used (${found.code})`, `Let this user pass to ${dataDir}, or ${another}`);
      const above = await nearestFolder(dataDir);
      const canBeMade = await access(above, constants.W_OK).then(
        () => true,
        () => false,
      );
      if (canBeMade) return skipped(`${dataDir} is not there yet; the first start of homesec makes it`);
      return finding(
        `${dataDir} is not there, and this user cannot make it in ${above}`,
        `sudo install -d -m 700 -o "$(id -un)" ${shellWord(dataDir)}, or ${another}`,
      );
    }
    if (!found.isDirectory()) return finding(`${dataDir} is no folder`, `Remove the file ${dataDir}, or ${another}`);
    const refusal = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).then(() => undefined, reasonOf);
    if (refusal === undefined) return ok(dataDir);
    return finding(`This user may not write to ${dataDir} (${refusal})`, `sudo chown "$(id -un)" ${shellWord(dataDir)}, or ${another}`);
  },
};

async function nearestFolder(path: string): Promise<string> {
  for (let above = dirname(path); ; above = dirname(above)) {
    const there = await stat(above).then(
      () => true,
      () => false,
    );
    if (there || above === dirname(above)) return above;
  }
}

const permissions: Check = {
  id: "data-folder-permissions",
  group: "data",
  title: "Permissions of the data folder",
  severity: "warning",
  finds: "Other users of the machine may read the data folder or write to it",
  remedy: "chmod o-rw,g-w DATA_DIR",
  async run(examination) {
    const { dataDir } = examination.config();
    const { mode } = await statOf(dataDir);
    const shown = `0${(mode & 0o777).toString(8)}`;
    const open = [(mode & 0o004) > 0 && "read", (mode & 0o022) > 0 && "write to"].filter((word) => word !== false);
    if (open.length === 0) return ok(shown);
    return finding(
      `Other users of this machine may ${open.join(" and ")} ${dataDir} (${shown})`,
      `chmod o-rw,g-w ${shellWord(dataDir)}`,
      (mode & 0o022) > 0 ? "error" : "warning",
    );
  },
};

const owners: Check = {
  id: "data-folder-owner",
  group: "data",
  title: "Owner of what is in the data folder",
  severity: "error",
  finds: "Something in the data folder belongs to another user than the folder: homesec was once run as that user",
  remedy: "chown -R to the owner of the folder",
  async run(examination) {
    const { dataDir } = examination.config();
    const { uid } = await statOf(dataDir);
    const names = (await readdir(dataDir)).filter((name) => !ofOthers.has(name) && !name.startsWith("postgres.new-"));
    const foreign: string[] = [];
    for (const name of names) {
      const entry = await stat(join(dataDir, name)).catch(() => undefined);
      if (entry && entry.uid !== uid) foreign.push(name);
    }
    if (foreign.length === 0) return ok();
    const paths = foreign.map((name) => shellWord(join(dataDir, name)));
    return finding(
      `${listed(foreign, 5, ", ")} in ${dataDir} ${foreign.length === 1 ? "belongs" : "belong"} to another user than the folder`,
      `sudo chown -R ${uid} ${paths.join(" ")}`,
    );
  },
};

async function statOf(dataDir: string) {
  try {
    return await stat(dataDir);
  } catch (cause) {
    throw new NotPossible(`${dataDir} is not there, or not to be reached`, { cause });
  }
}

const lock: Check = {
  id: "data-folder-lock",
  group: "data",
  title: "Lock of the data folder",
  severity: "warning",
  finds: "homesec was killed and has not been started since, or holds the folder without answering",
  remedy: "Start homesec again; or end the process that hangs",
  async run(examination) {
    const holder = await examination.holder();
    if (holder === undefined) return ok("nobody holds it");
    const daemon = await examination.lookForDaemon();
    if (!holder.lives) {
      if ("client" in daemon) return ok("left behind, and not in the way");
      return finding(
        `homesec (pid ${holder.pid}) ended without giving the data folder back: it was killed, or the machine was switched off`,
        "Start it again: homesec serve. What was being worked on is taken up; the lock needs no removing",
      );
    }
    if ("client" in daemon || !daemon.asked) return ok(`held by pid ${holder.pid}`);
    return finding(
      `A homesec (pid ${holder.pid}) holds the data folder, but no daemon answers: ${daemon.absent}`,
      `It may be starting, or listen elsewhere (name it with --url). If it hangs: kill ${holder.pid}, then start it again`,
    );
  },
};

export const dataFolderChecks: readonly Check[] = [folder, permissions, owners, lock];
