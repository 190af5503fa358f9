import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Problem } from "../../contract/problem.ts";
import { readingReason } from "../disk/file-reason.ts";
import type { ParsedConfig } from "./config.ts";
import { type ConfigFile, type ConfigInput, parseConfig } from "./parse.ts";

/** The inputs of a configuration. `configPath` is the value of `--config`. */
export interface ConfigOrigin extends Omit<ConfigInput, "envFile" | "configFile"> {
  readonly configPath?: string | undefined;
}

/** A configuration that can be read again. */
export interface LoadedConfig extends ParsedConfig {
  /** Absolute paths of the files that a running daemon watches: `.env`, which may be missing, and the file of `--config`. */
  readonly files: readonly string[];
  /** Reads the files again, with the same flags and environment. Throws as `loadConfig` does. */
  reload(): LoadedConfig;
}

interface FoundFile extends ConfigFile {
  /** Whether it can be read again, unlike a pipe or a terminal. */
  readonly isRegular: boolean;
  /** User ids of the owners of the file and of the link to it. */
  readonly owners: readonly number[];
}

/**
 * Reads `.env` in the working folder, if it exists, and the file of `--config`, and parses everything. Throws `Problem("invalid")` for
 * wrong values (all at once), for a file that cannot be read, and for an `.env` of another user.
 */
export function loadConfig({ configPath, ...origin }: ConfigOrigin): LoadedConfig {
  // The program removes secrets from its environment after the start
  const input = { ...origin, env: { ...origin.env } };
  const path = configPath === undefined ? undefined : resolve(input.cwd, configPath);
  const first = path === undefined ? undefined : read(path, configPath ?? path, "must be there");
  const files = [join(input.cwd, ".env"), ...(path !== undefined && first?.isRegular ? [path] : [])];
  const load = (configFile: FoundFile | undefined): LoadedConfig => {
    const envFile = readEnvFile(input, path);
    const reload = () => load(path !== undefined && first?.isRegular ? read(path, first.name, "must be there") : first);
    return { ...parseConfig({ ...input, envFile, configFile }), files, reload };
  };
  return load(first);
}

function readEnvFile(input: Pick<ConfigInput, "cwd" | "env">, configPath: string | undefined): FoundFile | undefined {
  const envFile = read(join(input.cwd, ".env"), ".env", "may be missing");
  if (envFile && configPath !== join(input.cwd, ".env")) refuseForeign(envFile, input);
  return envFile;
}

/**
 * In a folder that others may write to, a command would otherwise run with their configuration and send the API key to their address. A
 * file given with `--config` is intended.
 */
function refuseForeign({ owners }: FoundFile, { env }: Pick<ConfigInput, "env">): void {
  const self = process.getuid?.();
  // `sudo homesec` in a user's own folder
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
    // The default `.env` may be any kind of file: opening a pipe would block forever
    file = openSync(path, missing === "may be missing" ? constants.O_RDONLY | constants.O_NONBLOCK : constants.O_RDONLY);
    const found = fstatSync(file);
    // A folder called .env is a virtual environment of Python
    if (missing === "may be missing" && !found.isFile()) return undefined;
    // Editors on Windows write a byte order mark, which is not part of the first name
    const text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
    return { name, text, isRegular: found.isFile(), owners: [found.uid, lstatSync(path).uid] };
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (missing === "may be missing" && code === "ENOENT") return undefined;
    throw new Problem("invalid", `the configuration file ${name} cannot be read: ${readingReason(cause)}`, { cause });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
