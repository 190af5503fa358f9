import { readFile, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { parseEnv } from "node:util";
import { silentLog } from "../../../base/log/log.ts";
import { shellWord } from "../../../base/text/format.ts";
import { routes } from "../../../contract/routes/index.ts";
import { modelFault } from "../../../monitoring/detector-model/model-file.ts";
import { configKey, type ParsedConfig } from "../../../platform/config/config.ts";
import { openToNetwork } from "../../../platform/config/cross-checks.ts";
import { commandLineVariables } from "../../../platform/config/environment-variables.ts";
import { nearest } from "../../../platform/config/nearest.ts";
import { storedValues } from "../../../platform/config/settings.ts";
import { type VariableName, variable, variableNames } from "../../../platform/config/variables.ts";
import { type Check, finding, type Outcome, ok, skipped } from "../check.ts";
import { listed, splitFix } from "../wording.ts";

const unknown = /there is no variable (\S+), it has no effect(?:; did you mean (\w+)\?)?/;

const configuration: Check = {
  id: "configuration",
  replaces: ["configuration-warnings", "unknown-variables", "notification-settings", "email-recipients", "alert-expiry", "detector-model"],
  group: "configuration",
  title: "Configuration",
  severity: "error",
  finds:
    "homesec does not start with these values, or with the file of DETECTOR_MODEL_PATH. A warning when a value has no effect, the email channel lacks a setting, or the name of a variable is misspelled",
  run: async (examination) => {
    const { parsed, machine } = examination;
    if (!(parsed instanceof Error)) {
      const { silentFiles } = await examination.shares();
      return [detectorModel(parsed, silentFiles), ineffectiveValues(parsed), unknownVariables(parsed, machine.environmentNames)];
    }
    return finding(
      parsed.message.replace(/\n\s*/g, " "),
      "Correct it in the environment, .env or the file of --config, then run homesec config check",
    );
  },
};

function detectorModel({ config }: ParsedConfig, silentFiles: readonly string[]): Outcome {
  if (config.detectorModelPath !== undefined && silentFiles.includes(config.detectorModelPath))
    return skipped(`the network share of ${config.detectorModelPath} does not answer`);
  const fault = modelFault(config);
  if (fault === undefined) return ok();
  const [text, fix = "Export a YOLO detector to ONNX and set DETECTOR_MODEL_PATH to its file"] = splitFix(fault);
  return finding(text, fix);
}

/** Warnings of the configuration, except what other checks report. */
function ineffectiveValues({ warnings, config }: ParsedConfig): Outcome {
  const others = warnings.filter((warning) => !unknown.test(warning) && warning !== openToNetwork(config));
  if (others.length === 0) return ok();
  return finding(listed(others), "Set or remove these variables; homesec config show says where each value comes from", "warning");
}

function unknownVariables({ warnings }: ParsedConfig, environmentNames: readonly string[]): Outcome {
  const known: readonly string[] = [...variableNames, ...Object.keys(commandLineVariables)];
  const reported = warnings.flatMap((warning) => {
    const [, name, meant] = unknown.exec(warning) ?? [];
    return name === undefined ? [] : [{ name, meant }];
  });
  const guessed = environmentNames
    .filter((name) => /^[A-Z][A-Z0-9_]{4,}$/.test(name) && !known.includes(name) && !reported.some((each) => each.name === name))
    .flatMap((name) => {
      const meant = name.includes("_") ? nearest(name, variableNames) : undefined;
      return meant === undefined ? [] : [{ name, meant }];
    });
  const found = [...reported, ...guessed];
  if (found.length === 0) return ok();
  const names = listed(
    found.map(({ name }) => name),
    ", ",
  );
  return finding(
    `${names} ${found.length === 1 ? "is not a variable" : "are not variables"} of homesec and ${found.length === 1 ? "has" : "have"} no effect`,
    listed(found.map(({ name, meant }) => (meant === undefined ? `Remove ${name}` : `Write ${meant} instead of ${name}`))),
    "warning",
  );
}

const applied: Check = {
  id: "configuration-applied",
  group: "configuration",
  title: "Configuration of the running daemon",
  severity: "warning",
  finds: "The configuration or a certificate changed, and the running daemon could not apply it: it has an error, or needs a restart",
  async run(examination) {
    const { client } = await examination.daemon();
    const { recent_events: events } = await client.call(routes.getHealth, {});
    const faults = events.filter(({ event_type: type }) => type === "not_applied").map(({ service, message }) => `${service}: ${message}`);
    const restart = events.filter(({ event_type: type }) => type === "restart_needed").map(({ message }) => message);
    if (faults.length + restart.length === 0) return ok();
    return finding(
      listed([...faults, ...restart]),
      faults.length > 0 ? "Correct what is named; homesec reads the file again when it changes" : "systemctl restart homesec",
      faults.length > 0 ? "error" : undefined,
    );
  },
};

const storedSettings: Check = {
  id: "stored-settings",
  group: "configuration",
  title: "Settings changed at run time",
  severity: "warning",
  finds: "A variable has no effect, because another value was stored at run time",
  async run(examination) {
    const config = examination.config();
    const { sources } = examination.parsed as ParsedConfig;
    const stored = await storedValues(await examination.rows(), silentLog);
    const overridden = [...stored].flatMap(([key, value]) => {
      const name = variableNames.find((each) => each === key);
      if (name === undefined || sources[name] === "default" || sources[name] === "flag") return [];
      const configured = config[configKey(name)];
      return JSON.stringify(configured) === JSON.stringify(value) ? [] : [{ name, value, configured, source: sources[name] }];
    });
    if (overridden.length === 0) return ok();
    return finding(
      listed(
        overridden.map(
          ({ name, value, configured, source }) =>
            `${name}=${configured} (${source}) has no effect: ${value ?? "none"} was stored at run time`,
        ),
      ),
      `homesec config set --reset ${overridden.map(({ name }) => wireName(name)).join(",")}`,
    );
  },
};

/** The name of a variable in `config set`. */
function wireName(name: VariableName): string {
  return name === "BATCH_WINDOW_SECONDS" ? "batch_timeout_seconds" : name.toLowerCase();
}

const files: Check = {
  id: "configuration-files",
  group: "configuration",
  title: "Files with secrets",
  severity: "warning",
  finds: ".env or the file of --config holds a secret, and other users of the machine may read it",
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
    return known
      ? variable(known).secret === true || ["DATABASE_URL", "REDIS_URL", "MQTT_URL"].includes(known)
      : name === "HOMESEC_API_KEY";
  });
}

export const configurationChecks: readonly Check[] = [configuration, applied, storedSettings, files];
