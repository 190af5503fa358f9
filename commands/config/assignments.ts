import { Problem } from "../../src/contract/problem.ts";
import { nearest } from "../../src/platform/config/nearest.ts";
import { type VariableName, variable, variableNames } from "../../src/platform/config/variables.ts";
import { type Option, WrongValue } from "../input/options.ts";

type Options = Readonly<Record<string, Option<unknown>>>;

/** Variables whose setting has another name. */
const otherNames: Readonly<Record<string, string>> = { batch_window_seconds: "batch_timeout_seconds" };

/**
 * Reads texts such as `RETENTION_DAYS=14` into values of these options. Names are those of variables, of the API or of options, in any
 * case. Throws `Problem("invalid")` for other texts; for a variable that is no setting it says where to write it. A value that may be
 * secret is never repeated.
 */
export function readAssignments(texts: readonly string[], options: Options, now: Date): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const text of texts) {
    const [, name = "", value] = /^([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(text) ?? [];
    // Not repeated: it may be a secret
    if (name === "") throw refusal("an argument is no assignment; write NAME=VALUE, such as RETENTION_DAYS=14");
    const key = settingOf(name, options);
    if (value === undefined) throw refusal(`${name} has no value; write ${name}=VALUE, or use --reset ${key} for the configured value`);
    if (Object.hasOwn(values, key)) throw refusal(`${name} is given twice; remove one`);
    values[key] = settingValue(name, value.trim(), options[key] as Option<unknown>, now);
  }
  return values;
}

function settingValue(name: string, text: string, option: Option<unknown>, now: Date): unknown {
  const given = option.placeholder === undefined ? { texts: [], set: switchOf(name, text), now } : { texts: [text], set: undefined, now };
  try {
    return option.read(given);
  } catch (error) {
    if (error instanceof WrongValue) throw refusal(`${name} ${JSON.stringify(text)} must be ${error.message}`);
    throw error;
  }
}

function switchOf(name: string, text: string): boolean {
  const word = text.toLowerCase();
  if (["true", "yes", "on", "1"].includes(word)) return true;
  if (["false", "no", "off", "0"].includes(word)) return false;
  throw refusal(`${name} ${JSON.stringify(text)} must be true or false`);
}

/** The option of a name. Throws `Problem("invalid")` if it is no setting. */
function settingOf(name: string, options: Options): string {
  const key = name.trim().toLowerCase().replaceAll("-", "_");
  const setting = otherNames[key] ?? key;
  if (Object.hasOwn(options, setting)) return setting;
  if (setting === "risk_score_thresholds")
    throw refusal(`${name} has several values; write MEDIUM_FROM=30, HIGH_FROM=60 or CRITICAL_FROM=80`);
  const configured = variableNames.find((each) => each.toLowerCase() === key);
  if (configured !== undefined) throw refusal(configuredText(configured));
  const known = [...Object.keys(options).map((each) => each.toUpperCase()), ...variableNames];
  const guess = nearest(key.toUpperCase(), known);
  throw refusal(
    `${name} is no setting; ${guess === undefined ? "`homesec config set --help` lists the settings" : `did you mean ${guess}?`}`,
  );
}

/** A variable that only the configuration of the daemon sets. */
function configuredText(name: VariableName): string {
  const after = variable(name).live ? "a running daemon applies it within seconds" : "then restart the daemon";
  return `${name} is not stored in the database; write ${name}=VALUE to the .env file in the daemon's folder, or to its --config file; ${after}`;
}

function refusal(message: string): Problem {
  return new Problem("invalid", message);
}
