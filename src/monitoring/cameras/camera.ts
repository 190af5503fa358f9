import { createHash } from "node:crypto";
import type { z } from "zod";
import { shellWord } from "../../base/text/format.ts";
import type { cameraStatuses } from "../../contract/constants.ts";
import { notFound, Problem } from "../../contract/problem.ts";
import type { Camera as CameraRecord } from "../../contract/routes/cameras.ts";

/** A camera as clients see it. */
export type Camera = z.output<typeof CameraRecord>;
export type CameraStatus = (typeof cameraStatuses)[number];

/** Identity of a camera: no two cameras may share one of these, deleted cameras included. */
export interface CameraIdentity {
  readonly camera_id: string;
  readonly name: string;
  readonly folder_path: string;
  /** Cameras with different patterns may share a folder. */
  readonly file_pattern: string | null;
}

/*
 * The status of a camera:
 *
 *   unknown --(first picture)--> online --(none for CAMERA_OFFLINE_AFTER_SECONDS, or, if that is not set, for much longer than usual, or for a day without a rhythm)--> offline --(picture)--> online
 *   any --(its folder is missing, unreadable or outside of the allowed roots)--> error
 *   error --(its folder is readable again)--> offline if it was silent before, unknown if it never sent a picture, else online
 *   deleted --(restored)--> unknown
 */

const longestSlug = 64;
const longestName = 255;

/** Letters that do not decompose into a plain letter and a mark. */
const spelled: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ı: "i",
  ŋ: "ng",
};

/** A path segment of the API: a camera with this id could not be requested. */
const reservedCameraId = "deleted";

/**
 * Derives a camera id from a name: `Front Door` becomes `front_door`, `Größe` becomes `grosse`. A valid id stays unchanged; a name
 * without any such letter gets an id from its checksum. The same name always gives the same id.
 */
export function slugOf(name: string): string {
  if (/^[a-z0-9_-]{1,64}$/.test(name) && name !== reservedCameraId) return name;
  const plain = name
    .toLowerCase()
    .replace(/./gu, (letter) => spelled[letter] ?? letter)
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9-]+/g, "_")
    .replace(/^[_-]+/, "")
    .slice(0, longestSlug)
    .replace(/[_-]+$/, "");
  if (plain === reservedCameraId) return `camera_${plain}`;
  return plain || `camera_${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
}

/** Returns the n-th candidate for an id: `front_door`, `front_door_2`, `front_door_3`. */
export function numberedSlug(slug: string, n: number): string {
  return n === 1 ? slug : `${slug.slice(0, longestSlug - String(n).length - 1)}_${n}`;
}

/** Returns the n-th candidate for a name: `Front Door`, `Front Door (2)`. */
export function numberedName(name: string, n: number): string {
  const suffix = n === 1 ? "" : ` (${n})`;
  return [...name].slice(0, longestName - suffix.length).join("") + suffix;
}

/** Explains how to restore a deleted camera, over the API and at the command line. */
export function howToRestore(cameraId: string): string {
  return `restore it with POST /api/cameras/${cameraId}/restore or \`homesec cameras restore ${cameraId}\``;
}

/** Returns the problem for an unknown or deleted camera. */
export function noSuchCamera(cameraId: string, deleted: Camera | undefined): Problem {
  return deleted ? new Problem("not_found", `Camera ${cameraId} is deleted; ${howToRestore(cameraId)}`) : notFound("Camera", cameraId);
}

/** A field that two cameras would share. */
export type SharedField = "camera_id" | "name" | "folder_path";

/** Returns the first field that both cameras share: id, name or folder. */
export function sharedField(asked: CameraIdentity, other: CameraIdentity): SharedField {
  if (other.camera_id === asked.camera_id) return "camera_id";
  return other.name === asked.name ? "name" : "folder_path";
}

/**
 * Returns the problem for a camera that would share a field with another one. Names the other camera and the solution; `requester` is the
 * existing camera that asks for it.
 */
export function conflictProblem(field: SharedField, other: Camera, requester?: string): Problem {
  const what = {
    camera_id: `the id ${other.camera_id}`,
    name: `the name ${JSON.stringify(other.name)}`,
    folder_path: `the folder ${other.folder_path}`,
  }[field];
  const another = {
    camera_id: "another camera_id",
    name: "another name",
    folder_path: "another folder_path, or a file_pattern of its own",
  }[field];
  const takeOver = field === "folder_path" && requester !== undefined ? `, or ${howToTakeOver(other, requester)}` : "";
  return other.deleted_at
    ? new Problem(
        "conflict",
        `The deleted camera ${other.camera_id} (${JSON.stringify(other.name)}) has ${what}; ${howToRestore(other.camera_id)}, or give ${another}${takeOver}`,
      )
    : new Problem("conflict", `Camera ${other.camera_id} (${JSON.stringify(other.name)}) has ${what} already; give ${another}${takeOver}`);
}

/** Explains how to reuse the folder of another camera. While homesec runs, a released folder becomes a new camera at once. */
function howToTakeOver(other: Camera, requester: string): string {
  const id = other.camera_id;
  const commands = [
    ...(other.deleted_at ? [`\`homesec --direct cameras restore ${id}\``] : []),
    `\`homesec --direct cameras update ${id} --folder-path ${shellWord(`${other.folder_path}-before`)}\``,
    `\`homesec --direct cameras update ${requester} --folder-path ${shellWord(other.folder_path)}\``,
    `\`homesec --direct cameras remove ${id}\``,
  ];
  return `stop homesec and have ${requester} take it over: ${commands.join(", ")}`;
}
