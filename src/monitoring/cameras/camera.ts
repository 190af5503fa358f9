import { createHash } from "node:crypto";
import type { z } from "zod";
import { shellWord } from "../../base/text/shell-word.ts";
import type { cameraStatuses } from "../../contract/constants.ts";
import { Problem } from "../../contract/problem.ts";
import type { Camera as CameraRecord } from "../../contract/routes/cameras.ts";

/** A camera as clients see it. */
export type Camera = z.output<typeof CameraRecord>;
export type CameraStatus = (typeof cameraStatuses)[number];

/** What no two cameras may share, deleted ones included. */
export interface CameraIdentity {
  readonly camera_id: string;
  readonly name: string;
  readonly folder_path: string;
}

/*
 * The status of a camera:
 *
 *   unknown --(first picture)--> online --(none for CAMERA_OFFLINE_AFTER_SECONDS, or for much longer than usual)--> offline --(picture)--> online
 *   any --(its folder is missing, unreadable or outside of the allowed roots)--> error
 *   error --(its folder is well again)--> offline when it was silent before, unknown without a picture yet, else online
 *   deleted --(restored)--> unknown
 */

const longestSlug = 64;
const longestName = 255;

/** Letters that do not come apart into a plain one and a mark. */
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

/** What the API has at the place of a camera: one with this id could not be asked for. */
const reservedCameraId = "deleted";

/**
 * A camera id made of a name: `Front Door` becomes `front_door`, `Größe` becomes `grosse`. A name that is one already stays
 * as it is; one without a letter that can be spelled so gets an id made of its checksum. The same name gives the same id.
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

/** The n-th choice of an id: `front_door`, `front_door_2`, `front_door_3`. */
export function numberedSlug(slug: string, n: number): string {
  return n === 1 ? slug : `${slug.slice(0, longestSlug - String(n).length - 1)}_${n}`;
}

/** The n-th choice of a name: `Front Door`, `Front Door (2)`. */
export function numberedName(name: string, n: number): string {
  const suffix = n === 1 ? "" : ` (${n})`;
  return [...name].slice(0, longestName - suffix.length).join("") + suffix;
}

/** The way back of a deleted camera, for those who use the API and for those at the command line. */
export function howToRestore(cameraId: string): string {
  return `restore it with POST /api/cameras/${cameraId}/restore or \`homesec cameras restore ${cameraId}\``;
}

/** What a camera would share with another one. */
export type SharedField = "camera_id" | "name" | "folder_path";

/** The first of these that the other camera has too: its id, its name or its folder. */
export function sharedField(asked: CameraIdentity, other: CameraIdentity): SharedField {
  if (other.camera_id === asked.camera_id) return "camera_id";
  return other.name === asked.name ? "name" : "folder_path";
}

/**
 * The refusal of a camera that would share something with another one. Names the other and the way out; `taker` is the camera that exists already
 * and asks for it.
 */
export function conflictProblem(field: SharedField, other: Camera, taker?: string): Problem {
  const what = {
    camera_id: `the id ${other.camera_id}`,
    name: `the name ${JSON.stringify(other.name)}`,
    folder_path: `the folder ${other.folder_path}`,
  }[field];
  const another = { camera_id: "another camera_id", name: "another name", folder_path: "another folder_path" }[field];
  const takeOver = field === "folder_path" && taker !== undefined ? `, or ${howToTakeOver(other, taker)}` : "";
  return other.deleted_at
    ? new Problem(
        "conflict",
        `The deleted camera ${other.camera_id} (${JSON.stringify(other.name)}) has ${what}; ${howToRestore(other.camera_id)}, or give ${another}${takeOver}`,
      )
    : new Problem("conflict", `Camera ${other.camera_id} (${JSON.stringify(other.name)}) has ${what} already; give ${another}${takeOver}`);
}

/** How a camera gets the folder of another one. While homesec runs, a folder that is given up is that of a new camera at once. */
function howToTakeOver(other: Camera, taker: string): string {
  const id = other.camera_id;
  const commands = [
    ...(other.deleted_at ? [`\`homesec --direct cameras restore ${id}\``] : []),
    `\`homesec --direct cameras update ${id} --folder-path ${shellWord(`${other.folder_path}-before`)}\``,
    `\`homesec --direct cameras update ${taker} --folder-path ${shellWord(other.folder_path)}\``,
    `\`homesec --direct cameras remove ${id}\``,
  ];
  return `stop homesec and have ${taker} take it over: ${commands.join(", ")}`;
}
