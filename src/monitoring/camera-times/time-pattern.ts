import { shownAt, type WallTime } from "./wall-time.ts";

/*
 * A time pattern describes the end of a file's path: its name without its ending and, with slashes, the folders above it.
 *
 *   %Y year   %y year of two digits   %m month   %d day   %H hour   %I hour of 12   %p am or pm   %M minute   %S second
 *   %L milliseconds   %f fraction of a second   %z offset from UTC   %s seconds since 1970   %% a percent sign
 *   %-m %-d %-H %-I the same without a leading zero   * any characters   ? one character
 *
 * Everything else stands for itself, in either case. `*` and `?` never cross a slash.
 */

type Part = "year" | "shortYear" | "month" | "day" | "hour" | "hour12" | "half" | "minute" | "second" | "fraction" | "zone" | "epoch";

const parts: Readonly<Record<string, readonly [part: Part, expression: string]>> = {
  "%Y": ["year", "(?:19[7-9]\\d|20\\d\\d)"],
  "%y": ["shortYear", "\\d\\d"],
  "%m": ["month", "(?:0[1-9]|1[0-2])"],
  "%-m": ["month", "(?:0?[1-9]|1[0-2])"],
  "%d": ["day", "(?:0[1-9]|[12]\\d|3[01])"],
  "%-d": ["day", "(?:0?[1-9]|[12]\\d|3[01])"],
  "%H": ["hour", "(?:[01]\\d|2[0-3])"],
  "%-H": ["hour", "(?:1\\d|2[0-3]|0?\\d)"],
  "%I": ["hour12", "(?:0[1-9]|1[0-2])"],
  "%-I": ["hour12", "(?:1[0-2]|0?[1-9])"],
  "%p": ["half", "[ap]\\.?m\\.?"],
  "%M": ["minute", "[0-5]\\d"],
  "%S": ["second", "(?:[0-5]\\d|60)"],
  "%L": ["fraction", "\\d{3}"],
  "%f": ["fraction", "\\d{1,9}"],
  "%z": ["zone", "(?:z|[+-]\\d\\d[:.]?\\d\\d)"],
  // 2001 to 2099
  "%s": ["epoch", "(?:[1-3]\\d{9}|40\\d{8})"],
};

const longestPattern = 200;
/** Each one multiplies the time that a name without a match takes. */
const mostStars = 3;
/** Longer names are no names of pictures with a time. */
const longestName = 1_000;
const tokenPattern = /%-?[a-z%]|[*?]|[^%*?]+|%/gi;

/** A pattern that was read. */
export interface TimePattern {
  /** Returns the time in the name of a file; undefined if the pattern does not match, or the date does not exist. */
  read(path: string): WallTime | undefined;
}

/** Explains why a text is no time pattern, to follow its name; undefined if it is one. */
export function whyNoPattern(pattern: string): string | undefined {
  if (pattern.length > longestPattern) return `must have at most ${longestPattern} characters`;
  const tokens = pattern.match(tokenPattern) ?? [];
  const unknown = tokens.find((token) => token.startsWith("%") && token !== "%%" && !parts[token]);
  if (unknown !== undefined) return `has ${unknown}, which is none of ${Object.keys(parts).join(" ")} %%`;
  if (tokens.filter((token) => token === "*").length > mostStars) return `must have at most ${mostStars} asterisks`;
  const found = new Set(tokens.map((token) => parts[token]?.[0]));
  if (found.has("epoch")) return undefined;
  const has = (...any: readonly Part[]): boolean => any.some((part) => found.has(part));
  const isDate = has("year", "shortYear") && has("month") && has("day");
  const isTime = has("minute") && (has("hour") || (has("hour12") && has("half")));
  return isDate && isTime ? undefined : "must have a date and a time, such as *_%Y%m%d_%H%M%S, or %s";
}

/** Reads a pattern for which `whyNoPattern` has no objection. */
export function timePattern(pattern: string): TimePattern {
  const groups: Part[] = [];
  const tokens = pattern.match(tokenPattern) ?? [];
  const isOpen = (token: string | undefined): boolean => token === undefined || token === "*";
  const source = tokens.map((token, at) => {
    if (token === "*") return "[^/]*?";
    if (token === "?") return "[^/]";
    const part = parts[token];
    if (!part) return (token === "%%" ? "%" : token).replace(/[\\^$.|+()[\]{}]/g, "\\$&");
    groups.push(part[0]);
    // digits next to any characters are not the end of a longer number
    const before = isOpen(tokens[at - 1]) && part[0] !== "zone" ? "(?<!\\d)" : "";
    const after = isOpen(tokens[at + 1]) && part[0] !== "half" ? "(?!\\d)" : "";
    return `${before}(${part[1]})${after}`;
  });
  // an ending and the number of a copy may follow: `.jpg`, `.jpg.1`
  const expression = new RegExp(`(?:^|/)${source.join("")}(?:\\.[a-z0-9]{1,8}){0,2}$`, "i");
  return {
    read: (path) => {
      const match = path.length > longestName ? null : expression.exec(path);
      return match ? timeOf(groups, match.slice(1)) : undefined;
    },
  };
}

function timeOf(groups: readonly Part[], values: readonly string[]): WallTime | undefined {
  const found = new Map(groups.map((part, at) => [part, values[at] ?? ""]));
  const number = (part: Part): number => Number(found.get(part) ?? 0);
  const millisecond = Math.floor(Number(`0.${found.get("fraction") ?? "0"}`) * 1_000);
  if (found.has("epoch")) return { shownMs: number("epoch") * 1_000 + millisecond, offsetMinutes: 0 };
  const shownMs = shownAt({
    year: found.has("year") ? number("year") : 2_000 + number("shortYear"),
    month: number("month"),
    day: number("day"),
    hour: found.has("hour") ? number("hour") : (number("hour12") % 12) + (/^p/i.test(found.get("half") ?? "") ? 12 : 0),
    minute: number("minute"),
    second: number("second"),
    millisecond,
  });
  return shownMs === undefined ? undefined : { shownMs, offsetMinutes: offsetOf(found.get("zone")) };
}

function offsetOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const [, sign, hours, minutes] = /^([+-])(\d\d)[:.]?(\d\d)$/.exec(text) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}
