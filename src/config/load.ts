import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Problem } from "../contract/problem.ts";
import { type ConfigFile, type ConfigInput, type ParsedConfig, parseConfig } from "./config.ts";

/** What a configuration is read from. `configPath` is the value of `--config`. */
export interface ConfigOrigin extends Omit<ConfigInput, "envFile" | "configFile"> {
  readonly configPath?: string | undefined;
}

/**
 * Reads `.env` of the working folder, where there is one, and the file of `--config`, and parses everything.
 * Throws `Problem("invalid")` for wrong values (all at once) and for a file that cannot be read.
 */
export function loadConfig({ configPath, ...input }: ConfigOrigin): ParsedConfig {
  const envFile = read(join(input.cwd, ".env"), ".env", "may be missing");
  const configFile = configPath === undefined ? undefined : read(resolve(input.cwd, configPath), configPath, "must be there");
  return parseConfig({ ...input, envFile, configFile });
}

function read(path: string, name: string, missing: "may be missing" | "must be there"): ConfigFile | undefined {
  try {
    return { name, text: readFileSync(path, "utf8") };
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    // A folder called .env is somebody's virtual environment.
    if (missing === "may be missing" && (code === "ENOENT" || code === "EISDIR")) return undefined;
    const reason = { ENOENT: "it does not exist", EISDIR: "it is a folder", EACCES: "permission denied" }[code ?? ""] ?? String(cause);
    throw new Problem("invalid", `the configuration file ${name} cannot be read: ${reason}`, { cause });
  }
}
