import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Problem } from "../../contract/problem.ts";
import { readingReason } from "../disk/file-reason.ts";
import type { ParsedConfig } from "./config.ts";
import { type ConfigFile, type ConfigInput, parseConfig } from "./parse.ts";

/** What a configuration is read from. `configPath` is the value of `--config`. */
export interface ConfigOrigin extends Omit<ConfigInput, "envFile" | "configFile"> {
  readonly configPath?: string | undefined;
}

interface FoundFile extends ConfigFile {
  /** Numbers of the users to whom the file and the link that leads to it belong. */
  readonly owners: readonly number[];
}

/**
 * Reads `.env` of the working folder, where there is one, and the file of `--config`, and parses everything. Throws `Problem("invalid")` for
 * wrong values (all at once), for a file that cannot be read, and for an `.env` that somebody else has put there.
 */
export function loadConfig({ configPath, ...input }: ConfigOrigin): ParsedConfig {
  const envFile = read(join(input.cwd, ".env"), ".env", "may be missing");
  const isNamed = configPath !== undefined && resolve(input.cwd, configPath) === join(input.cwd, ".env");
  if (envFile && !isNamed) refuseForeign(envFile, input);
  const configFile = configPath === undefined ? undefined : read(resolve(input.cwd, configPath), configPath, "must be there");
  return parseConfig({ ...input, envFile, configFile });
}

/**
 * Whoever runs a command in a folder that others may write to would otherwise do it with their configuration, and send the API key to an
 * address of theirs. A file that is named by `--config` is meant.
 */
function refuseForeign({ owners }: FoundFile, { env }: Pick<ConfigInput, "env">): void {
  const self = process.getuid?.();
  // `sudo homesec` in a person's own folder
  const caller = self === 0 && /^\d+$/.test(env["SUDO_UID"] ?? "") ? Number(env["SUDO_UID"]) : self;
  const owner = owners.find((each) => ![self, caller, 0].includes(each));
  if (self === undefined || owner === undefined) return;
  throw new Problem(
    "invalid",
    `the configuration file .env in this folder belongs to another user (uid ${owner}) and is not trusted; run homesec in another folder, give the file to this user, or name it with --config .env`,
  );
}

function read(path: string, name: string, missing: "may be missing" | "must be there"): FoundFile | undefined {
  let file: number | undefined;
  try {
    // one that nobody named may be anything: a pipe would be waited for without end
    file = openSync(path, missing === "may be missing" ? constants.O_RDONLY | constants.O_NONBLOCK : constants.O_RDONLY);
    const found = fstatSync(file);
    // a folder called .env is somebody's virtual environment
    if (missing === "may be missing" && !found.isFile()) return undefined;
    // editors of Windows put a mark before the text, which is no part of the first name
    return { name, text: readFileSync(file, "utf8").replace(/^\uFEFF/, ""), owners: [found.uid, lstatSync(path).uid] };
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (missing === "may be missing" && code === "ENOENT") return undefined;
    throw new Problem("invalid", `the configuration file ${name} cannot be read: ${readingReason(cause)}`, { cause });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
