import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { dayMs, latestPast } from "../../../base/clock/clock.ts";
import { durationText, pluralize, shellWord } from "../../../base/text/format.ts";
import { listDeletedCameras, liveCameras, statusReason } from "../../../monitoring/cameras/cameras-repository.ts";
import { isDayName } from "../../../monitoring/cameras/day-folders.ts";
import { inspectFolder } from "../../../monitoring/cameras/folder.ts";
import { whyReserved } from "../../../monitoring/cameras/reserved-folder.ts";
import { resolveInside, rootsOf } from "../../../monitoring/cameras/roots.ts";
import { silenceLimit } from "../../../monitoring/cameras/silence-limit.ts";
import { listPulls } from "../../../monitoring/pulls/pulls-repository.ts";
import { isInside } from "../../../platform/disk/files.ts";
import { type Check, finding, NotPossible, type Outcome, ok, skipped } from "../check.ts";
import type { Examination } from "../examination.ts";
import { exists, newPictureBelow } from "../folders.ts";
import { listed, reasonOf } from "../wording.ts";

type Cameras = Awaited<ReturnType<typeof liveCameras>>;

async function camerasOf(examination: Examination): Promise<Cameras> {
  return await (await examination.rows()).query(liveCameras);
}

const roots: Check = {
  id: "camera-roots",
  replaces: ["camera-root", "camera-extra-roots"],
  group: "cameras",
  title: "Upload folders",
  severity: "error",
  reads: "folders",
  finds:
    "CAMERA_ROOT is missing although homesec ran here, is not a folder, or cannot be read. A warning when a folder of CAMERA_EXTRA_ROOTS is missing, or contains the data folder",
  run: async (examination) => [await cameraRoot(examination), await extraRoots(examination)],
};

async function cameraRoot(examination: Examination): Promise<Outcome> {
  const { cameraRoot, dataDir } = examination.config();
  const found = await stat(cameraRoot).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    if (found.code === "ENOENT" && !(await exists(dataDir))) return skipped(`the first start of homesec creates ${cameraRoot}`);
    return finding(
      `${cameraRoot} does not exist or cannot be reached (${found.code})`,
      `mkdir -p ${shellWord(cameraRoot)}, or correct CAMERA_ROOT`,
    );
  }
  if (!found.isDirectory()) return finding(`${cameraRoot} is not a folder`, "Correct CAMERA_ROOT");
  const error = await access(cameraRoot, constants.R_OK | constants.X_OK).then(() => undefined, reasonOf);
  if (error === undefined) return ok(cameraRoot);
  return finding(
    `This user may not read ${cameraRoot} (${error})`,
    `sudo chmod o+rx ${shellWord(cameraRoot)}, or give it to the user that runs homesec`,
  );
}

async function extraRoots(examination: Examination): Promise<Outcome> {
  const { cameraExtraRoots, dataDir } = examination.config();
  const wide = cameraExtraRoots.filter((folder) => isInside(folder, dataDir));
  if (wide.length > 0)
    return finding(
      `CAMERA_EXTRA_ROOTS has ${wide.join(", ")}, which contains the data folder ${dataDir}`,
      "List the folders of the cameras instead",
      "warning",
    );
  const found = await Promise.all(cameraExtraRoots.map((folder) => stat(folder).catch(() => undefined)));
  const missing = cameraExtraRoots.filter((_, at) => !found[at]?.isDirectory());
  if (missing.length === 0) return cameraExtraRoots.length === 0 ? skipped("") : ok(cameraExtraRoots.join(", "));
  return finding(
    `${listed(missing, ", ")} of CAMERA_EXTRA_ROOTS ${missing.length === 1 ? "does not exist or is not a folder" : "do not exist or are not folders"}`,
    `mkdir -p ${missing.map(shellWord).join(" ")}, or correct CAMERA_EXTRA_ROOTS`,
    "warning",
  );
}

const cameras: Check = {
  id: "cameras",
  replaces: ["camera-silence"],
  group: "cameras",
  title: "Cameras",
  severity: "error",
  finds: "A camera is offline or in error, or has sent no picture since it was added a day ago; a warning when there is no camera",
  async run(examination) {
    const known = await camerasOf(examination);
    const db = await examination.rows();
    if (known.length === 0) {
      return finding(
        "There is no camera yet, so homesec monitors nothing",
        `homesec cameras add 'Front door'; or let a camera upload into a new folder below ${examination.config().cameraRoot}`,
        "warning",
      );
    }
    const faults = known.map(async (camera) => {
      const reason = camera.status === "error" ? await db.query((sql) => statusReason(sql, camera.camera_id)) : null;
      const { limitMs } = await db.query((sql) =>
        silenceLimit(sql, camera.camera_id, {
          until: latestPast(examination.clock.now()),
          offlineAfterSeconds: examination.config().cameraOfflineAfterSeconds,
        }),
      );
      return silenceOf(camera, examination.clock.now().getTime(), { reason, limitMs }) ?? [];
    });
    const silent = (await Promise.all(faults)).flat();
    if (silent.length === 0) return ok(pluralize(known.length, "camera"));
    return finding(
      listed(silent),
      "Check its power and network, and that its uploads go to its folder (homesec cameras show ID). To remove a camera: homesec cameras remove ID; for one with long pauses, set CAMERA_OFFLINE_AFTER_SECONDS",
    );
  },
};

/** Why a camera is silent; undefined when it is not. A camera that was restored, or can be read again, gets the full time to send a picture. */
function silenceOf(
  camera: Cameras[number],
  now: number,
  { reason, limitMs }: { readonly reason: string | null; readonly limitMs: number },
): string | undefined {
  const { camera_id, status, last_seen_at, created_at, updated_at } = camera;
  if (status === "error") return `${camera_id} is in error: ${reason?.split("; ")[0] ?? "the reason is unknown"}`;
  if (last_seen_at === null) return now - created_at.getTime() > dayMs ? `${camera_id} has never sent a picture` : undefined;
  const quietMs = now - last_seen_at.getTime();
  const dueMs = Math.min(quietMs, now - updated_at.getTime());
  if (status !== "offline" && dueMs <= limitMs) return undefined;
  return `${camera_id} has sent nothing for ${durationText(quietMs)}`;
}

const folders: Check = {
  id: "camera-folders",
  replaces: ["camera-folders-writable", "camera-folders-apart"],
  group: "cameras",
  title: "Folders of the cameras",
  severity: "error",
  reads: "folders",
  finds:
    "The folder of a camera is missing, unreadable, outside of the allowed roots, not writable for uploads or deletion, or takes the pictures of other cameras",
  async run(examination) {
    const known = await camerasOf(examination);
    if (known.length === 0) throw new NotPossible("there is no camera yet");
    return [await readable(known, examination), await writable(known, examination), await separate(known, examination)];
  },
};

async function readable(known: Cameras, examination: Examination): Promise<Outcome> {
  const allowed = rootsOf(examination.config());
  const inspected = await Promise.all(known.map(async (camera) => ({ camera, ...(await inspectFolder(allowed, camera.folder_path)) })));
  const bad = inspected.filter(({ issues }) => issues.length > 0);
  const [first] = bad;
  if (first === undefined) return ok(pluralize(known.length, "folder"));
  const { camera_id, folder_path } = first.camera;
  const correct = `correct it: homesec cameras update ${camera_id} --folder-path FOLDER`;
  return finding(
    listed(bad.map(({ camera, issues }) => `${camera.camera_id} (${camera.folder_path}): ${issues[0]?.split("; ")[0]}`)),
    first.isOutside
      ? `Add ${folder_path} to CAMERA_EXTRA_ROOTS and restart homesec, or ${correct}`
      : `mkdir -p ${shellWord(folder_path)}, let the user that runs homesec read it, or ${correct}`,
  );
}

async function writable(known: Cameras, examination: Examination): Promise<Outcome> {
  const { deleteImages } = examination.config();
  const closed: string[] = [];
  for (const { folder_path } of known) {
    const found = await stat(folder_path).catch(() => undefined);
    if (!found) continue;
    const error = deleteImages ? await access(folder_path, constants.W_OK).then(() => undefined, reasonOf) : undefined;
    if ((found.mode & 0o222) === 0 || error !== undefined) closed.push(folder_path);
  }
  if (closed.length === 0) return ok();
  const names = listed(closed, ", ");
  const paths = closed.slice(0, 3).map(shellWord).join(" ");
  return deleteImages
    ? finding(
        `homesec cannot write to ${names}, so it cannot delete old pictures there (DELETE_IMAGES=true)`,
        `sudo chmod ug+w ${paths}; the uploading user must own the folder, and homesec must be in its group`,
      )
    : finding(`${names} cannot be written to, so no camera can upload`, `sudo chmod u+w ${paths}; the uploading user must own the folder`);
}

/** A camera of an older version may have a folder that is refused today. */
async function separate(known: Cameras, examination: Examination): Promise<Outcome> {
  for (const { camera_id, folder_path } of known) {
    const reason = await whyReserved(examination.config(), folder_path);
    if (reason === undefined) continue;
    return finding(`The folder of ${camera_id} (${folder_path}) ${reason}`, `homesec cameras update ${camera_id} --folder-path FOLDER`);
  }
  return ok();
}

/** Only the last deleted cameras are checked. */
const maxDeletedCameras = 100;

const deleted: Check = {
  id: "deleted-cameras",
  group: "cameras",
  title: "Uploads of deleted cameras",
  severity: "warning",
  reads: "folders",
  finds: "Pictures still arrive in the folder of a deleted camera or below it, and homesec ignores them",
  async run(examination, signal) {
    const db = await examination.rows();
    const [deleted, live] = await Promise.all([
      db.query((sql) => listDeletedCameras(sql, { limit: maxDeletedCameras, offset: 0, after: undefined })),
      db.query(liveCameras),
    ]);
    const allowed = rootsOf(examination.config());
    const realOf = async (folder: string): Promise<string | undefined> => {
      const resolved = await resolveInside(allowed, folder);
      return resolved.state === "inside" ? resolved.path : undefined;
    };
    const reals = await Promise.all([...live, ...deleted.map(({ record }) => record)].map(({ folder_path }) => realOf(folder_path)));
    const uploads: { readonly id: string; readonly path: string }[] = [];
    for (const [at, { record }] of deleted.entries()) {
      const own = reals[live.length + at];
      // pictures in the folder of another camera belong to that camera, even to a deleted one further down the list
      const others = new Set(reals.flatMap((real) => (real === undefined || real === own ? [] : [real])));
      if (own === undefined || reals.indexOf(own) < live.length || record.deleted_at === null) continue;
      const path = await newPictureBelow(own, { since: record.deleted_at, others, signal });
      if (path !== undefined) uploads.push({ id: record.camera_id, path });
    }
    const [first] = uploads;
    if (first === undefined) return ok(deleted.length === 0 ? "no camera is deleted" : "");
    return finding(
      `Pictures arrived after the camera was deleted, and homesec ignores them: ${listed(uploads.map(({ id, path }) => `${id} (such as ${path})`))}`,
      `homesec cameras restore ${first.id}; or stop these uploads and delete the files: ls -l ${shellWord(first.path)}`,
    );
  },
};

const days: Check = {
  id: "day-cameras",
  group: "cameras",
  title: "Folders of days",
  severity: "warning",
  finds: "A recorder writes its folders of days directly into CAMERA_ROOT, and each day became a camera",
  async run(examination) {
    const { cameraRoot } = examination.config();
    const known = await camerasOf(examination);
    const ofDays = known.filter(({ folder_path }) => dirname(folder_path) === cameraRoot && isDayName(basename(folder_path)));
    if (ofDays.length === 0) return ok();
    const ids = ofDays.map(({ camera_id }) => camera_id);
    return finding(
      `Each day of a recorder in ${cameraRoot} became a camera: ${listed(ids, ", ")}`,
      `Let the recorder write into a separate folder, such as ${join(cameraRoot, "recorder")}; then: ${ids
        .slice(0, 3)
        .map((id) => `homesec cameras remove ${id}`)
        .join(" && ")}`,
    );
  },
};

const pulls: Check = {
  id: "camera-pulls",
  group: "cameras",
  title: "Addresses that pictures are fetched from",
  severity: "error",
  finds: "No picture comes from the address or the stream of a camera",
  async run(examination) {
    const known = await (await examination.rows()).query(listPulls);
    if (known.length === 0) return skipped("homesec fetches pictures from no camera");
    const failing = known.filter(({ state }) => state === "failing");
    const [first] = failing;
    if (first === undefined) return ok(pluralize(known.length, "camera"));
    return finding(
      listed(failing.map(({ camera_id, fault }) => `${camera_id}: ${fault}`)),
      `Correct the address or the password: homesec cameras update ${first.camera_id} --pull ADDRESS --user NAME --password-file FILE`,
    );
  },
};

export const cameraChecks: readonly Check[] = [roots, cameras, pulls, folders, deleted, days];
