import { allCameras, statusReason } from "../../monitoring/cameras/cameras-repository.ts";
import { rootsOf } from "../../monitoring/cameras/roots.ts";
import { type FileInspection, inspectFile } from "../../monitoring/images/inspect-file.ts";
import { newestVersion } from "../../monitoring/images/ledger-repository.ts";
import { kindOf } from "../../monitoring/images/picture.ts";
import { isInside } from "../../platform/disk/files.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import { knownTo } from "./event.ts";
import { explainImage } from "./image.ts";
import { closedFolderOf, folderFault, ledgerPaths, type Place, placeOf, whyNeverRead } from "./place.ts";
import { between, type Explanation, type Step, sentence } from "./step.ts";

/** Explains what happened to a file, or why homesec has no record of it. */
export async function explainPath(path: string, context: OperationContext): Promise<Explanation> {
  const { db, config } = context;
  const roots = rootsOf(config);
  const cameras = await db.query(allCameras);
  const place = await placeOf(path, roots, config.cameraRoot, cameras);
  const known = await db.query(async (sql) => {
    const image = await newestVersion(sql, ledgerPaths(path, place));
    return image && { image, explanation: await explainImage(sql, image, knownTo(context)) };
  });
  if (known) return { subject: { type: "image", id: String(known.image.id) }, found: true, ...known.explanation };
  const steps = await reasons(path, place, roots, context);
  const outcome = `homesec has no record of this file. ${steps.map(({ text }) => text).join(" ")}`;
  return { subject: { type: "path", id: path }, found: false, trace: null, outcome, steps };
}

async function reasons(path: string, place: Place, roots: readonly string[], context: OperationContext): Promise<Step[]> {
  const never = whyNeverRead(path, place, roots);
  // reveal nothing about files outside of the roots
  if (place.resolved.state === "outside") return [fileStep("stopped", never ?? "", {})];
  const { owner, resolved } = place;
  const closed = resolved.state === "inside" ? await folderFault(resolved.path) : undefined;
  if (closed !== undefined) return [fileStep("failed", sentence(closed), {})];
  const steps: Step[] = [];
  if (never !== undefined) steps.push(fileStep("stopped", never, {}));
  else if (owner?.camera.status === "error") {
    const { camera_id } = owner.camera;
    const reason = await context.db.query((sql) => statusReason(sql, camera_id));
    const text = `Camera ${camera_id} is in error: ${sentence(reason ?? "`homesec cameras list` shows more")}`;
    steps.push({ at: null, step: "camera", status: "failed", text, details: { camera_id, status: "error", reason } });
  } else if (!owner && resolved.state !== "unreadable") {
    const failed = context.runtime
      ?.watcher()
      .passedOver?.find(({ kind, path }) => kind === "unregistered_folder" && isInside(path, resolved.path));
    if (failed) steps.push(fileStep("failed", sentence(failed.reason), {}));
    else steps.push(fileStep("note", "Its folder is not a camera yet; it becomes one with its first complete picture.", {}));
  }
  return [...steps, ...(await content(place, never === undefined, context))];
}

/** Describes the file itself. */
async function content(place: Place, wouldBeRead: boolean, context: OperationContext): Promise<readonly Step[]> {
  const { resolved } = place;
  const days = context.settings.current().retentionDays;
  if (resolved.state === "missing") {
    const text = `The file does not exist. homesec keeps records of deleted files for ${days} days.`;
    return [fileStep("note", text, { exists: false })];
  }
  if (resolved.state === "unreadable") {
    const folder = await closedFolderOf(resolved.path);
    const text = `homesec cannot read it (${resolved.code}): give the user that runs homesec the right to read the folder ${folder}. homesec then finds the file within 20 seconds.`;
    return [fileStep("failed", text, { code: resolved.code, folder })];
  }
  const now = context.clock.now();
  const stuck = context.runtime?.watcher().stuck.find(({ path }) => path === resolved.path);
  const seen = await inspectFile(resolved.path, {
    roots: [resolved.path],
    byContent: kindOf(resolved.path) === "other",
    quietMs: ({ modifiedNs }) => now.getTime() - Number(modifiedNs / 1_000_000n),
  });
  const since = stuck ? ` It has been stuck for ${between(stuck.since, now)}.` : "";
  const [status, text] = verdictOn(seen);
  const steps = [fileStep(status, `${text}${since}`, { ...versionOf(seen), stuck: stuck?.reason })];
  if (wouldBeRead && seen.kind === "inspected" && seen.inspection.state === "complete") steps.push(whenTaken(context));
  return steps;
}

function verdictOn(seen: FileInspection): readonly [Step["status"], string] {
  switch (seen.kind) {
    case "gone":
    case "known":
      return ["note", "It is not a regular file."];
    case "folder":
      return ["note", "It is a folder. Name a file in it."];
    case "not_media":
      return ["stopped", "It is no picture or video: its name has no known ending, and its content no known beginning."];
    case "undecided":
      return [
        "waiting",
        "Its name has no known ending, and its content is too short to tell what it is. homesec processes it when it is a picture.",
      ];
    case "empty":
      return ["waiting", "It is empty. homesec processes it when it has content."];
    case "refused":
    case "trouble":
      return ["failed", seen.detail];
    case "inspected":
      switch (seen.inspection.state) {
        case "incomplete":
          return ["waiting", `It is not complete: ${sentence(seen.inspection.detail)} homesec processes it when it is.`];
        case "refused":
          return ["stopped", seen.inspection.detail];
        case "complete":
          return ["note", "It exists and is complete."];
      }
  }
}

function versionOf(seen: FileInspection): Record<string, unknown> {
  return "version" in seen
    ? { exists: true, size_bytes: seen.version.sizeBytes, modified_at: new Date(Number(seen.version.modifiedNs / 1_000_000n)) }
    : {};
}

/** Says when homesec will find a complete file that has no record. */
function whenTaken({ runtime }: OperationContext): Step {
  if (!runtime) return fileStep("note", "homesec finds files while `homesec serve` runs; it finds this one when it starts.", {});
  const watcher = runtime.watcher();
  return watcher.running
    ? fileStep("waiting", "homesec should find it within seconds, and in the next full scan at the latest.", { pending: watcher.pending })
    : fileStep("failed", "The file watcher is not running; `homesec health` says why.", { running: false });
}

function fileStep(status: Step["status"], text: string, details: Record<string, unknown>): Step {
  return { at: null, step: "file", status, text, details };
}
