import { isAbsolute, join, normalize } from "node:path";
import { parseEnv } from "node:util";
import { redact } from "../../base/log/redact.ts";
import { Problem } from "../../contract/problem.ts";
import { type Config, configKey, type ParsedConfig, type Source } from "./config.ts";
import { crossChecks } from "./cross-checks.ts";
import { commandLineVariables, environmentVariables } from "./environment-variables.ts";
import type { Kind } from "./kinds.ts";
import { cutLines, type MalformedLine, malformedLines } from "./malformed-lines.ts";
import { nearest } from "./nearest.ts";
import type { Variable } from "./variable.ts";
import { type VariableName, variable, variableNames } from "./variables.ts";

/** The text of a configuration file. `name` appears in errors; a file whose name ends in .json contains a JSON object. */
export interface ConfigFile {
  readonly name: string;
  readonly text: string;
}

/** All inputs of a configuration. */
export interface ConfigInput {
  /** Values given as flags of the command, by variable name. */
  readonly flags?: Partial<Readonly<Record<VariableName, string>>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `.env` in the working folder. It may also contain variables of other programs. */
  readonly envFile?: ConfigFile | undefined;
  /** The file given with `--config`. Unknown names in it are errors. */
  readonly configFile?: ConfigFile | undefined;
  readonly isRoot: boolean;
  /** Replaces `~`. */
  readonly home: string;
  /** Base of relative paths. */
  readonly cwd: string;
}

/** A configuration that prevents the start of homesec; the message lists every error. */
export class WrongConfiguration extends Problem {
  override name = "WrongConfiguration";

  constructor(errors: readonly string[]) {
    const count = errors.length === 1 ? "an error" : `${errors.length} errors`;
    super("invalid", [`the configuration has ${count}:`, ...errors.map((error) => `  ${error}`)].join("\n"));
  }
}

/**
 * Combines the configuration from its inputs. An empty value counts as unset. Throws `WrongConfiguration`, whose message lists every
 * error at once with name, value (secrets masked), source and accepted values.
 */
export function parseConfig(input: ConfigInput): ParsedConfig {
  const errors: string[] = [];
  const warnings: string[] = [];
  const file = input.configFile ? valuesOf(input.configFile, errors) : {};
  const envFile = input.envFile ? valuesOf(input.envFile, errors) : {};
  if (input.configFile) errors.push(...unknownInFile(input.configFile, file));
  if (input.configFile) errors.push(...malformedIn(input.configFile, file, () => true));
  // Other programs may also use .env: only lines meant for homesec matter, and those that swallow one
  if (input.envFile)
    errors.push(...malformedIn(input.envFile, envFile, ({ word, swallowed }) => isOurs(word) || isOurs(lastLine(swallowed))));
  for (const each of [input.configFile, input.envFile]) if (each) warnings.push(...cutIn(each));
  warnings.push(...unknownNames("the environment", input.env, "ours"), ...unknownNames(".env", envFile, "alike"));

  const layers: readonly (readonly [Source, Readonly<Record<string, string | undefined>>])[] = [
    ["flag", input.flags ?? {}],
    ["environment", input.env],
    [".env", envFile],
    ["file", file],
  ];
  const config: Record<string, unknown> = {};
  const sources: Partial<Record<VariableName, Source>> = {};
  // DATA_DIR precedes CAMERA_ROOT in the table, so that its value is known for the default.
  for (const name of variableNames) {
    const spec = variable(name);
    const layer = layers.find(([, values]) => (values[name] ?? "").trim() !== "");
    const source = layer?.[0] ?? "default";
    const text = layer?.[1][name] ?? defaultText(spec, input, config);
    sources[name] = source;
    if (text === undefined) {
      config[configKey(name)] = undefined;
      continue;
    }
    const parsed = spec.kind.schema.safeParse(text.trim());
    if (!parsed.success)
      errors.push(`${name}=${shown(spec, text)} (${sourceText(source, name, input)}): must be ${spec.kind.allowed}${inUnit(spec)}`);
    // A wrong value is replaced by its default, so that the cross-checks also run and all errors are reported at once.
    const value = parsed.success ? parsed : spec.kind.schema.safeParse(defaultText(spec, input, config));
    config[configKey(name)] = value.success ? placed(spec.kind, value.data, input) : undefined;
  }
  const complete = config as unknown as Config;
  const found = crossChecks(complete);
  errors.push(...found.errors);
  warnings.push(...found.warnings);
  if (errors.length > 0) throw new WrongConfiguration(errors);
  return { config: complete, sources: sources as Record<VariableName, Source>, warnings };
}

function defaultText(spec: Variable, input: ConfigInput, config: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof spec.default !== "function") return spec.default;
  return spec.default({ isRoot: input.isRoot, dataDir: String(config["dataDir"] ?? input.cwd) });
}

/** Makes paths absolute. */
function placed(kind: Kind<unknown>, value: unknown, { home, cwd }: ConfigInput): unknown {
  const absolute = (path: string): string => {
    const expanded = path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
    return normalize(isAbsolute(expanded) ? expanded : join(cwd, expanded)).replace(/(?<=.)\/$/, "");
  };
  if (kind.holds === "path") return absolute(String(value));
  if (kind.holds === "paths") return (value as readonly string[]).map(absolute);
  return value;
}

/** Returns a value in the form for errors: secrets masked, short, on one line. */
function shown(spec: Variable, text: string): string {
  if (spec.secret) return "***";
  return redact(JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text));
}

const inUnit = (spec: Variable): string => (spec.unit ? ` (${spec.unit})` : "");

/** Describes where a value was set: a file with its line, a flag, or the environment. */
function sourceText(source: Source, name: VariableName, input: ConfigInput): string {
  const file = source === "file" ? input.configFile : source === ".env" ? input.envFile : undefined;
  return file === undefined ? source : `${file.name}${lineText(file, name)}`;
}

/** Returns `, line 3`, or nothing if the line is not found. The last of several lines with the same name counts. */
function lineText(file: ConfigFile, name: string): string {
  const isSetIn = (line: string): boolean =>
    isJson(file) ? line.includes(`${JSON.stringify(name)}:`) || line.includes(`${JSON.stringify(name)} :`) : nameIn(line) === name;
  const line = file.text.split(/\r?\n/).findLastIndex(isSetIn);
  return line === -1 ? "" : `, line ${line + 1}`;
}

const nameIn = (line: string): string | undefined => /^\s*(?:export\s+)?([^=#]*?)\s*=/.exec(line)?.[1];

function valuesOf(file: ConfigFile, errors: string[]): Readonly<Record<string, string>> {
  if (!isJson(file)) return { ...parseEnv(file.text) } as Record<string, string>;
  let parsed: unknown;
  try {
    parsed = JSON.parse(file.text);
  } catch (error) {
    errors.push(`${file.name}: not valid JSON: ${jsonFault(error)}`);
    return {};
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    errors.push(`${file.name}: must hold one JSON object with variables as names`);
    return {};
  }
  return Object.fromEntries(
    Object.entries(parsed).flatMap(([name, value]) => {
      if (value === null) return [];
      if (typeof value === "object" && !Array.isArray(value)) {
        errors.push(`${file.name}: ${name} must be a text, a number, true or false, or an array of texts`);
        return [];
      }
      return [[name, typeof value === "string" ? value : JSON.stringify(value)]];
    }),
  );
}

/** Returns the parser's complaint without its quote from the file, which may be a secret. */
const jsonFault = (error: unknown): string => redact(String(error).replace(/^\w*Error: |, (?:\.\.\.)?".*$/gs, ""));

const isOurs = (name: string): boolean => (variableNames as readonly string[]).includes(name) || Object.hasOwn(commandLineVariables, name);
const lastLine = (text = ""): string => (text.split("\n").at(-1) ?? "").replace(/^export\s+/, "");

function malformedIn(file: ConfigFile, values: Readonly<Record<string, string>>, matters: (line: MalformedLine) => boolean): string[] {
  if (isJson(file)) return [];
  return malformedLines(file.text, values)
    .filter(matters)
    .map(({ number }) => `${file.name}: line ${number} has no "="; write NAME=value, or begin it with # if it is a comment`);
}

function cutIn(file: ConfigFile): string[] {
  if (isJson(file)) return [];
  return cutLines(file.text)
    .filter(({ name }) => isOurs(name))
    .map(
      ({ number, name }) =>
        `${file.name}, line ${number}: the value of ${name} ends before the "#"; if the # belongs to it, write ${name}='...'`,
    );
}

const isJson = ({ name }: ConfigFile): boolean => name.toLowerCase().endsWith(".json");

/** Names that only the environment may have are no error: systemd and Docker use the file as the environment. */
function unknownInFile(file: ConfigFile, values: Readonly<Record<string, string>>): string[] {
  const known: readonly string[] = [...variableNames, ...Object.keys(commandLineVariables), ...Object.keys(environmentVariables)];
  return (
    Object.keys(values)
      // The error reports that line by its number
      .filter((name) => !known.includes(name) && !name.includes("\n"))
      .map((name) => `${file.name}${lineText(file, name)}: there is no variable ${JSON.stringify(name)}${didYouMean(name)}`)
  );
}

/** Warns of names that resemble ours: those that begin with HOMESEC_, and (`alike`) those similar to one of our variables. */
function unknownNames(where: string, values: Readonly<Record<string, string | undefined>>, which: "ours" | "alike"): string[] {
  const known: readonly string[] = [...variableNames, ...Object.keys(commandLineVariables)];
  return Object.keys(values)
    .filter((name) => !known.includes(name) && (/^HOMESEC_/i.test(name) || (which === "alike" && nearest(name, variableNames))))
    .map((name) => `${where}: there is no variable ${name}, it has no effect${didYouMean(name)}`);
}

function didYouMean(name: string): string {
  const known = [...variableNames, ...(Object.keys(commandLineVariables) as (keyof typeof commandLineVariables)[])];
  const meant = nearest(name, known) ?? nearest(name.replace(/^HOMESEC_/i, ""), known);
  return meant ? `; did you mean ${meant}?` : "";
}
