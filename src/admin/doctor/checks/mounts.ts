import { rootsOf } from "../../../monitoring/cameras/roots.ts";
import { isNetworkType, isVolatileType, type Mount, readMounts, realMountOf, sharesOf } from "../../../platform/disk/mounts.ts";
import { type Check, finding, NotPossible, ok } from "../check.ts";
import type { Examination } from "../examination.ts";
import { shareAnswerMs } from "../shares.ts";
import { listed } from "../wording.ts";

const dataMount: Check = {
  id: "data-folder-mount",
  group: "data",
  title: "File system of the data folder",
  severity: "error",
  finds: "The data folder lies on a network share, in memory, or on a file system that is read-only",
  remedy: "Name a folder on a local disk with DATA_DIR",
  async run(examination) {
    const { dataDir, databaseUrl } = examination.config();
    const mount = await realMountOf(await known(examination), dataDir);
    if (mount === undefined) throw new NotPossible("this system does not tell how its disks are mounted");
    const elsewhere = "Name a folder on a local disk with DATA_DIR, and move there what is in this one while homesec is stopped";
    if (mount.readOnly)
      return finding(
        `${dataDir} lies on ${mount.folder}, which is read-only`,
        `sudo mount -o remount,rw ${mount.folder}; look into dmesg, a damaged disk is made read-only`,
      );
    if (isVolatileType(mount.type))
      return finding(`${dataDir} lies in memory (${mount.type}): all of it is gone when the machine is switched off`, elsewhere, "warning");
    if (isNetworkType(mount.type) && databaseUrl === undefined) {
      return finding(
        `${dataDir} lies on a network share (${mount.type}), which cannot be relied on to keep a database whole`,
        `${elsewhere}; or set DATABASE_URL`,
      );
    }
    return ok(mount.type);
  },
};

const cameraMounts: Check = {
  id: "camera-mounts",
  group: "cameras",
  title: "File systems of the camera folders",
  severity: "warning",
  finds:
    "A camera root, or a folder in it, lies on a network share (NFS, CIFS), where new files raise no event: pictures are found by looking again and again",
  remedy: "Let cameras upload to a local disk of this machine",
  async run(examination) {
    const mounts = await known(examination);
    const asked = rootsOf(examination.config()).map(async (root) => {
      const mount = await realMountOf(mounts, root);
      const inside = (await sharesOf(mounts, root))
        .filter((share) => share !== mount)
        .map((share) => ({ root: share.folder, mount: share }));
      return mount ? [{ root, mount }, ...inside] : inside;
    });
    const found = (await Promise.all(asked)).flat();
    const shares = found.filter(({ mount }) => isNetworkType(mount.type));
    if (shares.length === 0) return ok([...new Set(found.map(({ mount }) => mount.type))].join(", "));
    return finding(
      listed(
        shares.map(
          ({ root, mount }) => `${root} is a network share (${mount.type}): pictures there are found by polling, some seconds late`,
        ),
      ),
      "Let the cameras upload to a local disk of this machine and name it with CAMERA_ROOT; if it has to be a share: homesec doctor --skip camera-mounts",
    );
  },
};

const mountsAnswer: Check = {
  id: "mounts-answer",
  group: "data",
  title: "Network shares answer",
  severity: "error",
  finds: "A network share with a folder of homesec does not answer: whoever reads there hangs",
  remedy: "Bring its server back, or unmount it with umount -l",
  async run(examination) {
    const { all, silent } = await examination.shares();
    if (all.length === 0) return ok("no folder lies on a network share");
    if (silent.length === 0) return ok(listed(all, 5, ", "));
    return finding(
      `${listed(silent, 5, ", ")} did not answer within ${shareAnswerMs / 1000} s: whoever reads there hangs`,
      `Bring the server of the share back, or take the share away: sudo umount -l ${silent[0]}`,
    );
  },
};

const known = (examination: Examination): Promise<readonly Mount[]> => readMounts(examination.machine.proc);

export const mountChecks: readonly Check[] = [dataMount, mountsAnswer];
export const cameraMountChecks: readonly Check[] = [cameraMounts];
