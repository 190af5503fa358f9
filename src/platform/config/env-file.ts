import { readFileSync } from "node:fs";
import { chown, lstat, open, rename, rm } from "node:fs/promises";
import { isDeepStrictEqual, parseEnv } from "node:util";
import { Problem } from "../../contract/problem.ts";
import { readingReason, writingReason } from "../disk/file-reason.ts";
import { replacedFile } from "../disk/files.ts";
import type { VariableName } from "./variables.ts";

/** Values to set; an empty text removes the value. */
export type EnvValues = Readonly<Partial<Record<VariableName, string>>>;

/**
 * Sets variables in a file of `NAME=value` lines, such as `.env`, and keeps every other line. The file is replaced atomically and
 * only its owner can read it afterwards. Throws `Problem("invalid")` if the file cannot be read or written, or cannot hold a value.
 */
export async function setInEnvFile(path: string, values: EnvValues): Promise<void> {
  const place = at(path, "read", readingReason, () => replacedFile(path));
  const before = at(path, "read", readingReason, () => textOf(place));
  const text = withVariables(before, values);
  if (text === before) return;
  const part = `${place}.${process.pid}.part`;
  try {
    const owner = await lstat(place).catch(() => undefined);
    const file = await open(part, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    // With sudo, the daemon's own user must still be able to read it
    if (owner !== undefined && process.getuid?.() === 0) await chown(part, owner.uid, owner.gid);
    await rename(part, place);
  } catch (cause) {
    await rm(part, { force: true });
    throw new Problem("invalid", `${path} cannot be written: ${writingReason(cause)}`, { cause });
  }
}

/**
 * Returns the text of a file with these variables set. Lines of other variables, comments and line ends stay. Throws
 * `Problem("invalid")`, which does not contain the value, if the file cannot hold a value.
 */
export function withVariables(text: string, values: EnvValues): string {
  let result = text;
  for (const [name, value] of Object.entries(values)) {
    const known = parsed(result);
    if (known[name] === value || (value === "" && known[name] === undefined)) continue;
    const wanted = { ...known, [name]: value };
    const line = `${name}=${quoted(name, value)}`;
    const changed = [withLine(result, name, line), appended(result, line)].find(
      (each) => each !== undefined && isDeepStrictEqual(parsed(each), wanted),
    );
    if (changed === undefined) {
      throw new Problem("invalid", `the file cannot hold ${name} beside its other lines; check it with \`homesec config check\``);
    }
    result = changed;
  }
  return result;
}

const parsed = (text: string) => ({ ...parseEnv(text.replace(/^\uFEFF/, "")) });

/** Replaces the last line that sets the variable, and keeps the comment behind the value. Undefined without a line of this form. */
function withLine(text: string, name: string, line: string): string | undefined {
  const assignment = new RegExp(
    `^([^\\S\\r\\n]*(?:export[^\\S\\r\\n]+)?)${name}[^\\S\\r\\n]*=[^\\S\\r\\n]*(?:'[^'\\r\\n]*'|"[^"\\r\\n]*"|\`[^\`\\r\\n]*\`|[^#'"\`\\s][^#\\r\\n]*?|)(?:([^\\S\\r\\n]+#[^\\r\\n]*)|#[^\\r\\n]*)?[^\\S\\r\\n]*$`,
    "gm",
  );
  const last = [...text.matchAll(assignment)].at(-1);
  if (last === undefined) return undefined;
  const [whole, indent = "", comment = ""] = last;
  return text.slice(0, last.index) + indent + line + comment + text.slice(last.index + whole.length);
}

function appended(text: string, line: string): string {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  return `${text}${text === "" || text.endsWith("\n") ? "" : end}${line}${end}`;
}

/** The form of a value that `.env`, systemd and Docker read alike, if there is one. */
function quoted(name: string, value: string): string {
  if (/^[\w@.:/+,=-]+$/.test(value)) return value;
  if (/[\0\r\n]/.test(value)) throw new Problem("invalid", `${name} must be one line`);
  const quote = ["'", '"', "`"].find((each) => !value.includes(each) && !(each === '"' && value.includes("\\n")));
  if (quote === undefined) throw new Problem("invalid", `${name} contains all three kinds of quotes, which no file can hold; change it`);
  return `${quote}${value}${quote}`;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function at<T>(path: string, verb: string, reason: (error: unknown) => string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Problem("invalid", `${path} cannot be ${verb}: ${reason(cause)}`, { cause });
  }
}
