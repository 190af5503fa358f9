import { readFile, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { parseEnv } from "node:util";
import { silentLog } from "../../../base/log/log.ts";
import { shellWord } from "../../../base/text/shell-word.ts";
import { configKey } from "../../../platform/config/config.ts";
import { openToNetwork } from "../../../platform/config/cross-checks.ts";
import { nearest } from "../../../platform/config/nearest.ts";
import { storedValues } from "../../../platform/config/settings.ts";
import { commandLineVariables, type VariableName, variable, variableNames } from "../../../platform/config/variables.ts";
import { type Check, finding, NotPossible, ok } from "../check.ts";
import type { Examination } from "../examination.ts";
import { listed } from "../wording.ts";

const unknown = /there is no variable (\S+), it has no effect(?:; did you mean (\w+)\?)?/;

const configuration: Check = {
  id: "configuration",
  group: "configuration",
  title: "Configuration",
  severity: "error",
  finds: "A value is not allowed, or values do not go together: homesec does not start",
  remedy: "Correct what `homesec config check` lists",
  run: ({ parsed }) => {
    if (!(parsed instanceof Error)) return ok();
    return finding(
      parsed.message.replace(/\n\s*/g, " "),
      "Correct it in the environment, .env or the file of --config, and look again: homesec config check",
    );
  },
};

const warnings: Check = {
  id: "configuration-warnings",
  group: "configuration",
  title: "Values that do not go together",
  severity: "warning",
  finds: "Values that have no effect, or are probably not meant so",
  remedy: "Remove or complete what is named",
  run: (examination) => {
    const config = examination.config();
    // what is open to the network is a check of its own
    const others = warningsOf(examination).filter((warning) => !unknown.test(warning) && warning !== openToNetwork(config));
    if (others.length === 0) return ok();
    return finding(listed(others), "Set or remove the variables that are named; homesec config show tells where each value comes from");
  },
};

const unknownVariables: Check = {
  id: "unknown-variables",
  group: "configuration",
  title: "Misspelled variables",
  severity: "warning",
  finds: "A name in the environment or .env is not one of ours, but nearly: it has no effect",
  remedy: "Correct the name",
  run: (examination) => {
    const known: readonly string[] = [...variableNames, ...Object.keys(commandLineVariables)];
    const told = warningsOf(examination).flatMap((warning) => {
      const [, name, meant] = unknown.exec(warning) ?? [];
      return name === undefined ? [] : [{ name, meant }];
    });
    const guessed = examination.machine.environmentNames
      .filter((name) => /^[A-Z][A-Z0-9_]{4,}$/.test(name) && !known.includes(name) && !told.some((each) => each.name === name))
      .flatMap((name) => {
        const meant = name.includes("_") ? nearest(name, variableNames) : undefined;
        return meant === undefined ? [] : [{ name, meant }];
      });
    const found = [...told, ...guessed];
    if (found.length === 0) return ok();
    return finding(
      `${listed(
        found.map(({ name }) => name),
        5,
        ", ",
      )} ${found.length === 1 ? "is no variable" : "are no variables"} of homesec and ${found.length === 1 ? "has" : "have"} no effect`,
      listed(found.map(({ name, meant }) => (meant === undefined ? `Remove ${name}` : `Write ${meant} instead of ${name}`))),
    );
  },
};

const storedSettings: Check = {
  id: "stored-settings",
  group: "configuration",
  title: "Values changed at run time",
  severity: "warning",
  finds: "A variable was set, but another value that was stored at run time beats it",
  remedy: "homesec config set --reset NAME",
  async run(examination) {
    const config = examination.config();
    const { sources } = examination.parsed as Exclude<Examination["parsed"], Error>;
    const stored = await storedValues(await examination.rows(), silentLog);
    const beaten = [...stored].flatMap(([key, value]) => {
      const name = variableNames.find((each) => each === key);
      if (name === undefined || sources[name] === "default" || sources[name] === "flag") return [];
      const configured = config[configKey(name)];
      return JSON.stringify(configured) === JSON.stringify(value) ? [] : [{ name, value, configured, source: sources[name] }];
    });
    if (beaten.length === 0) return ok();
    return finding(
      listed(
        beaten.map(
          ({ name, value, configured, source }) =>
            `${name}=${configured} (${source}) has no effect: ${value ?? "none"} was stored at run time`,
        ),
      ),
      `homesec config set --reset ${beaten.map(({ name }) => wireName(name)).join(",")}`,
    );
  },
};

/** How `config set` calls a variable. */
function wireName(name: VariableName): string {
  return name === "BATCH_WINDOW_SECONDS" ? "batch_timeout_seconds" : name.toLowerCase();
}

const files: Check = {
  id: "configuration-files",
  group: "configuration",
  title: "Files with secrets",
  severity: "warning",
  finds: ".env or the file of --config holds a secret and may be read by other users of the machine",
  remedy: "chmod 600",
  async run({ machine: { cwd, configPath } }) {
    const paths = [join(cwd, ".env"), ...(configPath === undefined ? [] : [isAbsolute(configPath) ? configPath : join(cwd, configPath)])];
    const open: string[] = [];
    for (const path of paths) {
      const found = await stat(path).catch(() => undefined);
      if (!found?.isFile() || (found.mode & 0o044) === 0) continue;
      if (holdsSecret(path, await readFile(path, "utf8").catch(() => ""))) open.push(path);
    }
    if (open.length === 0) return ok();
    return finding(
      `${open.join(" and ")} ${open.length === 1 ? "holds" : "hold"} secrets, and other users of this machine may read ${open.length === 1 ? "it" : "them"}`,
      `chmod 600 ${open.map(shellWord).join(" ")}`,
    );
  },
};

function holdsSecret(path: string, text: string): boolean {
  const names = path.toLowerCase().endsWith(".json")
    ? [...text.matchAll(/"([A-Z_]+)"\s*:/g)].map(([, name = ""]) => name)
    : Object.keys(parseEnv(text));
  return names.some((name) => {
    const known = variableNames.find((each) => each === name);
    return known ? variable(known).secret === true || known === "DATABASE_URL" || known === "REDIS_URL" : name === "HOMESEC_API_KEY";
  });
}

function warningsOf({ parsed }: Examination): readonly string[] {
  if (parsed instanceof Error) throw new NotPossible("the configuration has errors");
  return parsed.warnings;
}

export const configurationChecks: readonly Check[] = [configuration, warnings, unknownVariables, storedSettings, files];
