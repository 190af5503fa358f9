import { pluralize, shellWord } from "../../base/text/format.ts";
import type { PassedOver } from "../../work/operations/runtime.ts";

type Kind = PassedOver["kind"];

/** Kinds that may hide pictures, so that a person must do something. */
const hiding: ReadonlySet<Kind> = new Set([
  "unreadable_folder",
  "linked_folder",
  "unreadable_name",
  "unregistered_folder",
  "stray_file",
  "unassigned_file",
]);

/** Tells whether pictures may be among what is passed over. */
export function mayHidePictures({ kind }: Pick<PassedOver, "kind">): boolean {
  return hiding.has(kind);
}

const nouns: Readonly<Record<Kind, readonly [one: string, many: string]>> = {
  unreadable_folder: ["folder", "folders"],
  linked_folder: ["link", "links"],
  unreadable_name: ["folder", "folders"],
  unregistered_folder: ["folder", "folders"],
  stray_file: ["file", "files"],
  unassigned_file: ["file that no camera takes", "files that no camera takes"],
  not_media: ["file that is no picture or video", "files that are no pictures or videos"],
  side_file: ["side file", "side files"],
  unfinished: ["unfinished upload", "unfinished uploads"],
};

/** `12 side files, such as /srv/cameras/yard/index.idx`. */
export function passedOverCount({ kind, count, path }: PassedOver): string {
  return `${pluralize(count, ...nouns[kind])}, such as ${path}`;
}

/** Describes what is passed over, and how to fix it: the reason of one, with the number of the others. */
export function passedOverParts({ count, reason }: PassedOver): { readonly text: string; readonly fix: string } {
  const [text = "", ...fix] = reason.split("; ");
  return { text: count > 1 ? `${text} (and ${count - 1} more)` : text, fix: fix.join("; ") };
}

/** The same in one sentence without a full stop. */
export function passedOverText(entry: PassedOver): string {
  const { text, fix } = passedOverParts(entry);
  return fix === "" ? text : `${text}; ${fix}`;
}

/** The reason of a link to a folder, with the fix. `target` is undefined if it leads nowhere. */
export function linkedFolderReason(path: string, target: string | undefined): string {
  if (target === undefined) return `the link ${path} leads nowhere; mount the disk of its target, or delete the link`;
  const fix = `add a camera for its target: homesec cameras add NAME --folder-path ${shellWord(target)}`;
  return `the link ${path} leads to the folder ${target}, and homesec follows no links to folders; ${fix}`;
}

/** The reasons of files that are passed over, with the fix. */
export const fileReasons: Readonly<
  Record<"stray_file" | "unassigned_file" | "not_media" | "side_file" | "unfinished", (path: string) => string>
> = {
  stray_file: (path) => `${path} is in the camera root itself and belongs to no camera; move it into a folder named after its camera`,
  unassigned_file: (path) =>
    `no camera of its folder takes ${path} by its file pattern; add a camera for it (homesec cameras add NAME --folder-path FOLDER --file-pattern PATTERN), or change a pattern`,
  not_media: (path) =>
    `${path} is no picture or video by its content; if nothing needs such files, have the camera or recorder not write them`,
  side_file: (path) => `${path} is no picture or video by its name; nothing needs to be done`,
  unfinished: (path) => `the name of ${path} marks an unfinished upload; homesec processes the file when it is renamed`,
};

/** Finished uploads lose their temporary names at once: this many are the sign of a program that never renames them. */
const manyUnfinished = 20;

/** Tells whether the entry is a finding for a person, and not only a number. */
export function isFinding(entry: PassedOver): boolean {
  return mayHidePictures(entry) || entry.kind === "not_media" || (entry.kind === "unfinished" && entry.count >= manyUnfinished);
}
