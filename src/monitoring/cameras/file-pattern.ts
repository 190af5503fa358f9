import { matchesWildcards } from "../../base/text/wildcards.ts";

/*
 * A file pattern says which files of a shared folder belong to a camera: `ch01*`, `ch02/**`. `*` stands for any characters of a name, `**` for
 * any characters of a path, and `?` for one character of a name. Without a slash it describes the name of the file, in whatever folder
 * below; with one it describes the path from the shared folder. Upper and lower case are the same.
 */

const longestPattern = 200;

/** Explains why a text is no file pattern, to follow its name; undefined if it is one. */
export function whyNoFilePattern(pattern: string): string | undefined {
  if (pattern.length > longestPattern) return `must have at most ${longestPattern} characters`;
  if (pattern.startsWith("/")) return "must be relative to the folder, without a slash in front";
  if (pattern.split("/").some((name) => name === "" || name === "." || name === "..")) return "must not have empty names, . or ..";
  return /[^*?/]/.test(pattern) ? undefined : "must name something, such as ch01*";
}

/** Tells whether a pattern matches a path below the shared folder. Takes time in proportion to both lengths. */
export function matchesFilePattern(pattern: string, path: string): boolean {
  return matchesWildcards(pattern, pattern.includes("/") ? path : path.slice(path.lastIndexOf("/") + 1), "/");
}

/** A camera of a shared folder; one without a pattern takes the files that no pattern takes. */
export interface FolderSharer {
  readonly camera_id: string;
  readonly file_pattern: string | null;
}

/**
 * Sorts the cameras of a folder in the order in which their patterns are tried: the one with the most fixed characters first, so that
 * `ch10*` goes before `ch1*`; the camera without a pattern last.
 */
export function inPatternOrder<T extends FolderSharer>(sharers: readonly T[]): readonly T[] {
  const fixed = ({ file_pattern }: T): number => (file_pattern === null ? -1 : file_pattern.replace(/[*?]/g, "").length);
  return sharers.toSorted((a, b) => fixed(b) - fixed(a) || (a.camera_id < b.camera_id ? -1 : 1));
}

/** Returns the camera that takes a file, from cameras in pattern order; undefined if no pattern takes it. */
export function sharerOf<T extends FolderSharer>(ordered: readonly T[], path: string): T | undefined {
  return ordered.find(({ file_pattern }) => file_pattern === null || matchesFilePattern(file_pattern, path));
}

/** Tells whether two cameras would take the same files of one folder. */
export function samePattern(one: string | null, other: string | null): boolean {
  return one?.toLowerCase() === other?.toLowerCase();
}
