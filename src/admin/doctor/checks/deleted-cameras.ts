import { shellWord } from "../../../base/text/shell-word.ts";
import { listDeletedCameras, liveCameras } from "../../../monitoring/cameras/cameras-repository.ts";
import { resolveInside, rootsOf } from "../../../monitoring/cameras/roots.ts";
import { type Check, finding, ok } from "../check.ts";
import { newPictureBelow } from "../folders.ts";
import { listed } from "../wording.ts";

/** Of more deleted cameras the last deleted are looked at. */
const mostCameras = 100;

const deleted: Check = {
  id: "deleted-cameras",
  group: "cameras",
  title: "Uploads of deleted cameras",
  severity: "warning",
  finds: "Pictures still come into the folder of a deleted camera, or into a new folder below: nobody looks at them",
  remedy: "homesec cameras restore ID, or end the uploads of that camera",
  async run(examination, signal) {
    const db = await examination.rows();
    const [gone, live] = await Promise.all([
      db.query((sql) => listDeletedCameras(sql, { limit: mostCameras, offset: 0, after: undefined })),
      db.query(liveCameras),
    ]);
    const roots = rootsOf(examination.config());
    const realOf = async (folder: string): Promise<string | undefined> => {
      const resolved = await resolveInside(roots, folder);
      return resolved.state === "inside" ? resolved.path : undefined;
    };
    const reals = await Promise.all([...live, ...gone.map(({ record }) => record)].map(({ folder_path }) => realOf(folder_path)));
    const uploads: { readonly id: string; readonly path: string }[] = [];
    for (const [at, { record }] of gone.entries()) {
      const own = reals[live.length + at];
      // what comes into the folder of another camera is that one's, also of a deleted one further down
      const others = new Set(reals.flatMap((real) => (real === undefined || real === own ? [] : [real])));
      if (own === undefined || reals.indexOf(own) < live.length || record.deleted_at === null) continue;
      const path = await newPictureBelow(own, { since: record.deleted_at, others, signal });
      if (path !== undefined) uploads.push({ id: record.camera_id, path });
    }
    const [first] = uploads;
    if (first === undefined) return ok(gone.length === 0 ? "no camera is deleted" : "");
    return finding(
      `Pictures came after the camera was deleted, and nobody looks at them: ${listed(uploads.map(({ id, path }) => `${id} (such as ${path})`))}`,
      `homesec cameras restore ${first.id}; or end these uploads and remove what came: ls -l ${shellWord(first.path)}`,
    );
  },
};

export const deletedCameraChecks: readonly Check[] = [deleted];
