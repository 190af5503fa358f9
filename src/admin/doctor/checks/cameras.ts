import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { pluralize } from "../../../base/text/pluralize.ts";
import { shellWord } from "../../../base/text/shell-word.ts";
import { liveCameras } from "../../../monitoring/cameras/cameras-repository.ts";
import { inspectFolder } from "../../../monitoring/cameras/folder.ts";
import { rootsOf } from "../../../monitoring/cameras/roots.ts";
import { isInside } from "../../../platform/disk/inside.ts";
import { type Check, finding, NotPossible, ok, skipped } from "../check.ts";
import type { Examination } from "../examination.ts";
import { listed, reasonOf } from "../wording.ts";

const root: Check = {
  id: "camera-root",
  group: "cameras",
  title: "Folder into which cameras upload",
  severity: "error",
  finds: "CAMERA_ROOT is missing although homesec ran here, is no folder, or cannot be read",
  remedy: "Make it and let the user that runs homesec read it, or correct CAMERA_ROOT",
  async run(examination) {
    const { cameraRoot, dataDir } = examination.config();
    const found = await stat(cameraRoot).catch((error: NodeJS.ErrnoException) => error);
    if (found instanceof Error) {
      const isNew = await stat(dataDir).then(
        () => false,
        () => true,
      );
      if (found.code === "ENOENT" && isNew) return skipped(`${cameraRoot} is made at the first start`);
      return finding(
        `${cameraRoot} is not there, or not to be reached (${found.code})`,
        `mkdir -p ${shellWord(cameraRoot)}, or correct CAMERA_ROOT`,
      );
    }
    if (!found.isDirectory()) return finding(`${cameraRoot} is no folder`, "Correct CAMERA_ROOT");
    const refusal = await access(cameraRoot, constants.R_OK | constants.X_OK).then(() => undefined, reasonOf);
    if (refusal === undefined) return ok(cameraRoot);
    return finding(
      `This user may not read ${cameraRoot} (${refusal})`,
      `sudo chmod o+rx ${shellWord(cameraRoot)}, or give it to the user that runs homesec`,
    );
  },
};

const extraRoots: Check = {
  id: "camera-extra-roots",
  group: "cameras",
  title: "Other roots of camera folders",
  severity: "warning",
  finds: "A folder of CAMERA_EXTRA_ROOTS is missing, or so wide that it takes in the data folder or the whole disk",
  remedy: "Correct CAMERA_EXTRA_ROOTS",
  async run(examination) {
    const { cameraExtraRoots, dataDir } = examination.config();
    if (cameraExtraRoots.length === 0) return ok("none");
    const wide = cameraExtraRoots.filter((folder) => isInside(folder, dataDir));
    if (wide.length > 0)
      return finding(
        `CAMERA_EXTRA_ROOTS has ${wide.join(", ")}, which takes in the data folder ${dataDir}`,
        "Name the folders of the cameras themselves",
      );
    const missing: string[] = [];
    for (const folder of cameraExtraRoots)
      if (
        !(await stat(folder).then(
          (found) => found.isDirectory(),
          () => false,
        ))
      )
        missing.push(folder);
    if (missing.length === 0) return ok(cameraExtraRoots.join(", "));
    return finding(
      `${listed(missing, 5, ", ")} of CAMERA_EXTRA_ROOTS ${missing.length === 1 ? "is" : "are"} not there, or no folder`,
      `mkdir -p ${missing.map(shellWord).join(" ")}, or correct CAMERA_EXTRA_ROOTS`,
    );
  },
};

const cameras: Check = {
  id: "cameras",
  group: "cameras",
  title: "Cameras",
  severity: "warning",
  finds: "There is no camera yet",
  remedy: "homesec cameras add, or let a camera upload into a folder of its own",
  async run(examination) {
    const known = await camerasOf(examination);
    if (known.length > 0) return ok(pluralize(known.length, "camera"));
    return finding(
      "There is no camera yet: nothing is watched",
      `homesec cameras add 'Front door'; or let a camera upload into a new folder below ${examination.config().cameraRoot}`,
    );
  },
};

const folders: Check = {
  id: "camera-folders",
  group: "cameras",
  title: "Folders of the cameras",
  severity: "error",
  finds: "The folder of a camera is missing, unreadable, or outside of the allowed roots: its pictures are not seen",
  remedy: "Make the folder, let homesec read it, add it to CAMERA_EXTRA_ROOTS, or correct it with homesec cameras update",
  async run(examination) {
    const roots = rootsOf(examination.config());
    const known = await someCameras(examination);
    const faults = await Promise.all(
      known.map(async ({ camera_id, folder_path }) => ({
        camera_id,
        folder_path,
        ...(await inspectFolder(roots, folder_path)),
      })),
    );
    const bad = faults.filter(({ issues }) => issues.length > 0);
    if (bad.length === 0) return ok(pluralize(known.length, "folder"));
    return finding(
      listed(
        bad.map(({ camera_id, folder_path, issues }) => `${camera_id} (${folder_path}): ${issues[0]?.split("; ")[0]}`),
        3,
      ),
      remedyFor(bad[0]),
    );
  },
};

function remedyFor(camera: { readonly camera_id: string; readonly folder_path: string; readonly isOutside: boolean } | undefined): string {
  const correction = `correct it: homesec cameras update ${camera?.camera_id} --folder-path FOLDER`;
  if (camera?.isOutside) return `Add ${camera.folder_path} to CAMERA_EXTRA_ROOTS and start homesec again, or ${correction}`;
  return `mkdir -p ${shellWord(camera?.folder_path ?? "")}, let the user that runs homesec read it, or ${correction}`;
}

const writable: Check = {
  id: "camera-folders-writable",
  group: "cameras",
  title: "Uploads into the folders",
  severity: "error",
  finds: "Nobody may write into the folder of a camera; or homesec may not although it is to delete pictures",
  remedy: "chmod u+w, or chown",
  async run(examination) {
    const { deleteImages: deletes } = examination.config();
    const closed: string[] = [];
    for (const { folder_path } of await someCameras(examination)) {
      const found = await stat(folder_path).catch(() => undefined);
      if (!found) continue;
      const mayWrite =
        !deletes ||
        (await access(folder_path, constants.W_OK).then(
          () => true,
          () => false,
        ));
      if ((found.mode & 0o222) === 0 || !mayWrite) closed.push(folder_path);
    }
    if (closed.length === 0) return ok();
    return finding(
      `${listed(closed, 3, ", ")} cannot be written to${deletes ? ", and homesec is to delete old pictures there" : ": no camera can upload"}`,
      `sudo chmod ${deletes ? "ug+w" : "u+w"} ${closed.slice(0, 3).map(shellWord).join(" ")}; the folder belongs to the user that the uploads come as${deletes ? ", and homesec has to be in its group" : ""}`,
    );
  },
};

const apart: Check = {
  id: "camera-folders-apart",
  group: "cameras",
  title: "One folder for each camera",
  severity: "warning",
  finds: "Two cameras have the same folder, or one has a folder inside of another's: pictures count for the wrong camera",
  remedy: "Give each camera a folder of its own",
  async run(examination) {
    const known = await someCameras(examination);
    const real = await Promise.all(
      known.map(async (camera) => ({ id: camera.camera_id, path: await realpath(camera.folder_path).catch(() => camera.folder_path) })),
    );
    const shared: { readonly text: string; readonly inner: string }[] = [];
    for (const outer of real) {
      for (const inner of real) {
        if (inner.id === outer.id || !isInside(outer.path, inner.path)) continue;
        if (inner.path !== outer.path)
          shared.push({ text: `${inner.id} has a folder inside of that of ${outer.id} (${inner.path})`, inner: inner.id });
        else if (inner.id > outer.id)
          shared.push({ text: `${outer.id} and ${inner.id} have the same folder (${inner.path})`, inner: inner.id });
      }
    }
    if (shared.length === 0) return ok();
    return finding(
      listed(shared.map(({ text }) => text)),
      `homesec cameras update ${shared[0]?.inner} --folder-path FOLDER, and let that camera upload there`,
    );
  },
};

/** The cameras that are not deleted. */
async function camerasOf(examination: Examination) {
  return await (await examination.rows()).query(liveCameras);
}

/** The same, but at least one. Throws `NotPossible`. */
export async function someCameras(examination: Examination) {
  const known = await camerasOf(examination);
  if (known.length === 0) throw new NotPossible("there is no camera yet");
  return known;
}

export const cameraChecks: readonly Check[] = [root, extraRoots, cameras, folders, writable, apart];
