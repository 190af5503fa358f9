import type { Ended, Home } from "./home.ts";

/** The output of a run with variable parts replaced. Columns are two spaces apart; other tests check the widths. */
export function forSnapshot({ out, err }: Ended, home: Home): string {
  const text = (given: string): string =>
    replacements
      .reduce((all, [pattern, name]) => all.replaceAll(pattern, name), withoutPlaces(given, home))
      .replaceAll(/(?<=\S) {2,}/g, "  ");
  return err === "" ? text(out) : `${text(out)}--- beside the data\n${text(err)}`;
}

function withoutPlaces(given: string, { folder, url, hook }: Home): string {
  return given.replaceAll(folder, "<folder>").replaceAll(url, "<daemon>").replaceAll(hook, "<hook>");
}

/** The ids from `furnish` stay. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/\b(?!5f0c9d6e|7d3a1f5e|3f0c7a52|0e3cb4f5)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uuid>"],
  [/\bwhsec_[A-Za-z0-9+/]+=*/g, "<secret>"],
  [/\bhs_[A-Za-z0-9_-]{20,}|(?<![\w-])[A-Za-z0-9_-]{43}(?![\w-])/g, "<key>"],
  [/\?v=[0-9a-f]{16}\b/g, "?v=<version>"],
  [/trigger-\S+-visitor/g, "<copy>"],
  // the watcher, which may find the copy in the same moment, takes a number too
  [/^picture +\d+(?=\n)/gm, "picture  <id>"],
  [/ on \S+, by homesec (?=\d)/g, " on <machine>, by homesec "],
  [/\bby homesec \d+\.\d+\.\d+/g, "by homesec <version>"],
  [/\b(?!2025-0)\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"],
  [/\b(?!2025-0)\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?/g, "<time>"],
  [/\b(?!2025-0)\d{4}-\d\d-\d\d\b/g, "<day>"],
  [/\b\d\d:\d\d:\d\d\.\d{3}\b/g, "<clock>"],
  [/\b(just now|\d+ (s|min|h) ago)/g, "<ago>"],
  [/\b\d+(\.\d+)? ms\b/g, "<duration>"],
  [/\bin \d+\.\d s\b/g, "in <duration>"],
  // the program starts a moment before the daemon registers it
  [/\(in (\d+ (?:h|min|d)) \d+ s\)/g, "(in $1)"],
  [/\(in 1 h 59 min\)/g, "(in 2 h)"],
  // on a slow machine a message may still be on its way when the backup is made
  [/^held +\d+ outstanding messages\n/gm, ""],
  [/^\d+ outstanding messages? (?:is|are) held back:.*\n/gm, ""],
  [/\b[1-9]\d* bytes\b/g, "<size>"],
  [/\b\d+\.\d [KM]iB\b/g, "<size>"],
  [/\b\d+ rows of \d+ tables\b/g, "<rows>"],
  [/\b\d{4}_\w+\.sql\b/g, "<migration>"],
  [/\b\d+ d (ago|later)/g, "<days> $1"],
  [/(pid |kill )\d+/g, "$1<pid>"],
  [/http:\/\/127\.0\.0\.1:\d{4,}/g, "<service>"],
];
