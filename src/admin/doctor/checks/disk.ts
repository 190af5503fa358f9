import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { dayMs } from "../../../base/clock/durations.ts";
import { shellWord } from "../../../base/text/shell-word.ts";
import { freeShare, leastFreeDiskShare, spaceOf } from "../../../platform/disk/disk.ts";
import { areOnOneDisk } from "../../../platform/disk/picture-disk.ts";
import { type Check, finding, NotPossible, ok, skipped } from "../check.ts";
import { recentPictureBytes } from "../doctor-repository.ts";
import type { Machine } from "../machine.ts";
import { bytesText } from "../wording.ts";

/** From here on a person should know. */
const scarceShare = 0.1;
const leastInodeShare = 0.05;
const fewestDays = 14;
const makeRoom = "delete old pictures, set DELETE_IMAGES=true, lower RETENTION_DAYS, or move the folder to a larger disk";

const space: Check = {
  id: "disk-space",
  group: "data",
  title: "Disk of the data folder",
  severity: "error",
  finds: "Less than 10 % of the disk is free; from 5 % on it is an error",
  remedy: "Make room, lower RETENTION_DAYS, or set DISK_PRESSURE_DELETE=true",
  run: async (examination) => await judged(examination.machine, await existing(examination.config().dataDir), "DATA_DIR"),
};

const cameraSpace: Check = {
  id: "camera-disk-space",
  group: "data",
  title: "Disk of the pictures",
  severity: "error",
  finds: "Less than 10 % of the disk with CAMERA_ROOT is free; from 5 % on it is an error",
  remedy: "Delete old pictures, or set DELETE_IMAGES=true",
  async run(examination) {
    const { dataDir, cameraRoot } = examination.config();
    const [data, cameras] = await Promise.all([existing(dataDir), existing(cameraRoot)]);
    if (await areOnOneDisk(data, cameras)) return ok("the same disk as that of the data folder");
    return await judged(examination.machine, cameras, "CAMERA_ROOT");
  },
};

async function judged(machine: Machine, path: string, name: string) {
  const disk = spaceOf(await machine.statfs(path));
  const share = freeShare(disk);
  const text = `${bytesText(disk.freeBytes)} (${(share * 100).toFixed(1)} %)`;
  if (share >= scarceShare) return ok(`${text} free`);
  return finding(
    `Only ${text} of the disk with ${name} (${path}) are free`,
    `See what takes the space: du -xh --max-depth=2 ${shellWord(path)} | sort -h | tail; then ${makeRoom}`,
    share < leastFreeDiskShare ? "error" : "warning",
  );
}

const inodes: Check = {
  id: "inodes",
  group: "data",
  title: "Files that still fit on the disk",
  severity: "error",
  finds: "Less than 5 % of the inodes are free: no file can be made although there is space",
  remedy: "Delete old pictures, or move them to a file system made for many files",
  async run(examination) {
    const { dataDir, cameraRoot } = examination.config();
    for (const path of new Set([await existing(dataDir), await existing(cameraRoot)])) {
      const { files, ffree } = await examination.machine.statfs(path);
      if (files === 0 || ffree / files >= leastInodeShare) continue;
      return finding(
        `Only ${ffree} of ${files} files still fit on the disk with ${path}, however much space there is`,
        `See where the files are: du --inodes -x --max-depth=2 ${shellWord(path)} | sort -h | tail; then ${makeRoom}`,
      );
    }
    return ok();
  },
};

const growth: Check = {
  id: "disk-growth",
  group: "data",
  title: "Growth of the pictures",
  severity: "warning",
  finds: "At the rate of the last day the disk with the pictures is full within two weeks, and nothing deletes them in time",
  remedy: "Set DELETE_IMAGES=true with a fitting RETENTION_DAYS, or DISK_PRESSURE_DELETE=true",
  async run(examination) {
    const { cameraRoot, deleteImages, diskPressureDelete } = examination.config();
    const now = examination.clock.now();
    const db = await examination.rows();
    const perDay = await db.query((sql) => recentPictureBytes(sql, new Date(now.getTime() - dayMs), now));
    if (perDay === 0) return skipped("no picture came within the last day");
    const { retentionDays } = await examination.settings();
    const { freeBytes } = spaceOf(await examination.machine.statfs(await existing(cameraRoot)));
    const days = freeBytes / perDay;
    const rate = `${bytesText(perDay)} a day`;
    if (days >= fewestDays || (deleteImages && days > retentionDays)) return ok(`${rate}; room for ${Math.floor(days)} days`);
    if (deleteImages && diskPressureDelete) return ok(`${rate}; the oldest go when the disk is nearly full`);
    const fitting = Math.max(1, Math.floor(days / 2));
    return finding(
      `Pictures take ${rate}: in ${days.toFixed(1)} days the disk with ${cameraRoot} is full, and ${deleteImages ? `they are kept for ${retentionDays} days` : "nothing deletes them (DELETE_IMAGES=false)"}`,
      deleteImages
        ? `homesec config set --retention-days ${fitting}`
        : `Set DELETE_IMAGES=true and RETENTION_DAYS=${fitting}, or delete pictures yourself`,
    );
  },
};

/** The path, or the nearest folder above it that is there. */
async function existing(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    const there = await stat(folder).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== "ENOENT" && error.code !== "ENOTDIR",
    );
    if (there) return folder;
    if (folder === dirname(folder)) throw new NotPossible(`nothing of ${path} is there`);
  }
}

export const diskChecks: readonly Check[] = [space, cameraSpace, inodes, growth];
