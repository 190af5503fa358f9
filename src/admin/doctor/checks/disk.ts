import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { dayMs } from "../../../base/clock/clock.ts";
import { shellWord } from "../../../base/text/format.ts";
import { rootsOf } from "../../../monitoring/cameras/roots.ts";
import { freeShare, leastFreeDiskShare, spaceOf } from "../../../platform/disk/disk.ts";
import { isNetworkType, isVolatileType, readMounts, realMountOf, sharesOf } from "../../../platform/disk/mounts.ts";
import { areOnOneDisk } from "../../../platform/disk/picture-disk.ts";
import { type Check, finding, NotPossible, type Outcome, ok, parts, skipped } from "../check.ts";
import { recentPictureBytes } from "../doctor-repository.ts";
import type { Examination } from "../examination.ts";
import { countFolders, nearestExisting } from "../folders.ts";
import type { Machine } from "../machine.ts";
import { shareTimeoutMs } from "../shares.ts";
import { bytesText, listed } from "../wording.ts";

const mounts: Check = {
  id: "mounts",
  replaces: ["data-folder-mount", "mounts-answer"],
  group: "data",
  title: "File systems",
  severity: "error",
  finds: "The data folder is on a network share or a read-only file system, or (a warning) in memory; or a network share does not answer",
  run: parts(dataMount, silentShares),
};

async function dataMount(examination: Examination): Promise<Outcome> {
  const { dataDir, databaseUrl } = examination.config();
  const mount = await realMountOf(await readMounts(examination.machine.proc), dataDir);
  if (mount === undefined) throw new NotPossible("this system does not report its mounts");
  const elsewhere = "Stop homesec, move the data folder to a local disk, and set DATA_DIR to it";
  if (mount.readOnly)
    return finding(
      `${dataDir} is on ${mount.folder}, which is read-only`,
      `sudo mount -o remount,rw ${mount.folder}; see dmesg, because Linux makes a damaged disk read-only`,
    );
  if (isVolatileType(mount.type))
    return finding(`${dataDir} is in memory (${mount.type}): all data is lost when the machine is switched off`, elsewhere, "warning");
  if (isNetworkType(mount.type) && databaseUrl === undefined)
    return finding(`${dataDir} is on a network share (${mount.type}), which can damage a database`, `${elsewhere}; or set DATABASE_URL`);
  return ok(mount.type);
}

async function silentShares(examination: Examination): Promise<Outcome> {
  const { all, silent } = await examination.shares();
  if (silent.length === 0) return ok(listed(all, ", "));
  return finding(
    `${listed(silent, ", ")} did not answer within ${shareTimeoutMs / 1000} s: every program that reads there hangs`,
    `Bring the server of the share back, or unmount it: sudo umount -l ${silent[0]}`,
  );
}

const cameraMounts: Check = {
  id: "camera-mounts",
  group: "cameras",
  title: "File systems of the camera folders",
  severity: "warning",
  finds: "A camera folder is on a network share (NFS, CIFS), which reports no new files: homesec finds pictures there by polling",
  async run(examination) {
    const all = await readMounts(examination.machine.proc);
    const asked = rootsOf(examination.config()).map(async (root) => {
      const mount = await realMountOf(all, root);
      const inside = (await sharesOf(all, root)).filter((share) => share !== mount).map((share) => ({ root: share.folder, mount: share }));
      return mount ? [{ root, mount }, ...inside] : inside;
    });
    const found = (await Promise.all(asked)).flat();
    const shares = found.filter(({ mount }) => isNetworkType(mount.type));
    if (shares.length === 0) return ok([...new Set(found.map(({ mount }) => mount.type))].join(", "));
    return finding(
      listed(shares.map(({ root, mount }) => `${root} is a network share (${mount.type}): homesec finds pictures there some seconds late`)),
      "Let the cameras upload to a local disk of this machine and set CAMERA_ROOT to it. To accept the delay: homesec doctor --skip camera-mounts",
    );
  },
};

const warnFreeShare = 0.1;

const space: Check = {
  id: "disk-space",
  replaces: ["camera-disk-space", "inodes", "logs"],
  group: "data",
  title: "Disk space",
  severity: "error",
  reads: "folders",
  finds: "Less than 5 % (a warning: 10 %) of the disk with the data folder or the pictures is free",
  async run({ config, machine }) {
    const { dataDir, cameraRoot } = config();
    const [data, cameras] = await Promise.all([nearestExisting(dataDir), nearestExisting(cameraRoot)]);
    const disks = [{ path: data, name: "DATA_DIR" }];
    if (!(await areOnOneDisk(data, cameras))) disks.push({ path: cameras, name: "CAMERA_ROOT" });
    return await Promise.all(disks.map(({ path, name }) => freeSpace(machine, path, name)));
  },
};

async function freeSpace(machine: Machine, path: string, name: string): Promise<Outcome> {
  const disk = spaceOf(await machine.statfs(path));
  const share = freeShare(disk);
  const text = `${bytesText(disk.freeBytes)} (${(share * 100).toFixed(1)} %)`;
  if (share >= warnFreeShare) return ok(`${name}: ${text} free`);
  return finding(
    `Only ${text} of the disk with ${name} (${path}) is free`,
    `Find what takes the space: du -xh --max-depth=2 ${shellWord(path)} | sort -h | tail; then delete old pictures, set DELETE_IMAGES=true, lower RETENTION_DAYS, or move the folder to a larger disk`,
    share < leastFreeDiskShare ? "error" : "warning",
  );
}

const minDaysLeft = 14;
/** More days than this say nothing: the rate of one day does not hold for that long. */
const mostDaysNamed = 730;

const growth: Check = {
  id: "disk-growth",
  group: "data",
  title: "Growth of the pictures",
  severity: "warning",
  reads: "folders",
  finds: "At the rate of the last day, the disk with the pictures is full within two weeks, and nothing deletes them in time",
  async run(examination) {
    const { cameraRoot, deleteImages, diskPressureDelete } = examination.config();
    const now = examination.clock.now();
    const db = await examination.rows();
    const perDay = await db.query((sql) => recentPictureBytes(sql, new Date(now.getTime() - dayMs), now));
    if (perDay === 0) return skipped("no picture arrived within the last day");
    const { retentionDays } = await examination.settings();
    const { freeBytes } = spaceOf(await examination.machine.statfs(await nearestExisting(cameraRoot)));
    const days = freeBytes / perDay;
    const rate = `${bytesText(perDay)} a day`;
    if (days >= minDaysLeft || (deleteImages && days > retentionDays))
      return ok(`${rate}; room for ${days > mostDaysNamed ? "years" : `${Math.floor(days)} days`}`);
    if (deleteImages && diskPressureDelete) return ok(`${rate}; homesec deletes the oldest when the disk is nearly full`);
    const fitting = Math.max(1, Math.floor(days / 2));
    return finding(
      `Pictures take ${rate}: the disk with ${cameraRoot} is full in ${days.toFixed(1)} days, and ${deleteImages ? `homesec keeps pictures for ${retentionDays} days` : "nothing deletes pictures (DELETE_IMAGES=false)"}`,
      deleteImages
        ? `homesec config set --retention-days ${fitting}`
        : `Set DELETE_IMAGES=true and RETENTION_DAYS=${fitting}, or delete pictures yourself`,
    );
  },
};

/** Share of a user's inotify watches that camera folders may take: other programs of the user need some too. */
const maxWatchShare = 0.8;
const inotify: Check = {
  id: "inotify",
  replaces: ["inotify-watches", "inotify-instances"],
  group: "data",
  title: "File watches (inotify)",
  severity: "error",
  reads: "folders",
  finds: "There are more camera folders than this user may watch",
  async run({ machine, config }, signal) {
    const text = await readFile(join(machine.proc, "sys", "fs", "inotify", "max_user_watches"), "utf8").catch(() => undefined);
    if (text === undefined) throw new NotPossible("this system has no such limit");
    const limit = Number(text.trim());
    const folders = await countFolders(rootsOf(config()), signal);
    if (folders <= limit * maxWatchShare) return ok(`${folders} of ${limit} watches needed`);
    return finding(
      `There are ${folders} camera folders, and this user may watch ${limit} in all: pictures in the others are found late, by rescans`,
      `echo fs.inotify.max_user_watches=${Math.max(524_288, folders * 2)} | sudo tee /etc/sysctl.d/60-homesec.conf && sudo sysctl --system`,
    );
  },
};

export const diskChecks: readonly Check[] = [mounts, space, growth, inotify, cameraMounts];
