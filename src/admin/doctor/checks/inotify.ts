import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { rootsOf } from "../../../monitoring/cameras/roots.ts";
import { type Check, finding, NotPossible, ok } from "../check.ts";
import { countFolders } from "../folders.ts";
import type { Machine } from "../machine.ts";

/** Of the budget of a user; other programs of that user watch folders too. */
const shareForFolders = 0.8;
/** One for homesec, and some for what else this user starts. */
const spareInstances = 4;

const watches: Check = {
  id: "inotify-watches",
  group: "data",
  title: "Watches for folders",
  severity: "error",
  finds: "There are more folders below the camera roots than the system lets one user watch",
  remedy: "Raise fs.inotify.max_user_watches",
  async run(examination, signal) {
    const limit = await limitOf(examination.machine, "max_user_watches");
    const folders = await countFolders(rootsOf(examination.config()), signal);
    if (folders <= limit * shareForFolders) return ok(`${folders} of ${limit} needed`);
    const wanted = Math.max(524_288, folders * 2);
    return finding(
      `${folders} camera folders are to be watched, and this user may watch ${limit} in all: pictures in the others are found late, by rescans`,
      `echo fs.inotify.max_user_watches=${wanted} | sudo tee /etc/sysctl.d/60-homesec.conf && sudo sysctl --system`,
    );
  },
};

const instances: Check = {
  id: "inotify-instances",
  group: "data",
  title: "Watchers of this user",
  severity: "warning",
  finds: "This user has nearly as many watchers as the system allows",
  remedy: "Raise fs.inotify.max_user_instances",
  async run({ machine }) {
    const limit = await limitOf(machine, "max_user_instances");
    const used = await countInstances(machine);
    if (used + spareInstances <= limit) return ok(`${used} of ${limit} in use`);
    return finding(
      `${used} of the ${limit} watchers that this user may have are in use; homesec may get none`,
      `echo fs.inotify.max_user_instances=${Math.max(1_024, limit * 4)} | sudo tee /etc/sysctl.d/60-homesec-instances.conf && sudo sysctl --system`,
    );
  },
};

async function limitOf({ proc }: Machine, name: string): Promise<number> {
  const text = await readFile(join(proc, "sys", "fs", "inotify", name), "utf8").catch(() => undefined);
  if (text === undefined) throw new NotPossible("this system has no such limit");
  return Number(text.trim());
}

/** Open inotify instances of the processes whose files this user may see. */
async function countInstances({ proc }: Machine): Promise<number> {
  const processes = (await readdir(proc)).filter((name) => /^\d+$/.test(name));
  const counts = await Promise.all(
    processes.map(async (pid) => {
      const folder = join(proc, pid, "fd");
      const files = await readdir(folder).catch(() => []);
      const links = await Promise.all(files.map((file) => readlink(join(folder, file)).catch(() => "")));
      return links.filter((link) => /^anon_inode:\[?inotify\]?$/.test(link)).length;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

export const inotifyChecks: readonly Check[] = [watches, instances];
