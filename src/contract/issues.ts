import { z } from "zod";
import type { ProblemItem, ProblemType } from "./problem.ts";

type Issue = z.core.$ZodIssue;
type Loc = readonly (string | number)[];

const wholeNumber = "Must be a whole number";

/**
 * Pass this to every parse of external input. On its own, zod reports a text in place of a whole number as "expected number" and names
 * the whole number only for a fraction; this makes both messages the same.
 */
export const fromOutside: z.core.ParseContext<Issue> = {
  error: ({ code, inst }) =>
    code === "invalid_type" && inst instanceof z.core.$ZodNumberFormat && inst._zod.def.format === "safeint" ? wholeNumber : undefined,
};

/** Maximum number of errors reported. */
export const mostItems = 100;

/**
 * Converts zod issues to entries of the 422 body with a type of the closed list: the first 100, and how many more there are. `input` is
 * the value that was parsed with `fromOutside`; `unreported` is the number of issues that are not in the list.
 */
export function problemItems(issues: readonly Issue[], input: unknown, at: Loc, unreported = 0): ProblemItem[] {
  const first = issues.slice(0, mostItems);
  const items = first.flatMap((issue) => itemsOf(issue, input, at));
  // An object with unknown fields is one issue
  const unknown = first.reduce((sum, issue) => sum + Math.max(0, unknownFieldsOf(issue).length - mostItems), 0);
  const more = unreported + issues.length - first.length + Math.max(0, items.length - mostItems) + unknown;
  return more === 0 ? items : [...items.slice(0, mostItems), { loc: at, msg: `And ${more} more`, type: "value_error" }];
}

function itemsOf(issue: Issue, input: unknown, at: Loc): ProblemItem[] {
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  const loc = [...at, ...path];
  if (issue.code === "unrecognized_keys") {
    return unknownFieldsOf(issue)
      .slice(0, mostItems)
      .map((key): ProblemItem => ({ loc: [...loc, key], msg: "Unknown field", type: "extra_forbidden" }));
  }
  const given = valueAt(input, path);
  if (given === undefined && (issue.code === "invalid_type" || issue.code === "invalid_value" || issue.code === "invalid_union")) {
    return [{ loc, msg: "Missing; this value is required", type: "missing" }];
  }
  return [{ loc, ...describe(issue, given) }];
}

function unknownFieldsOf(issue: Issue): readonly string[] {
  return issue.code === "unrecognized_keys" ? issue.keys : [];
}

/** Joins the items in one sentence, for callers that show only the message. */
export function sentenceOf(items: readonly ProblemItem[]): string {
  return items
    .map(({ loc, msg }) => (loc.length > 1 || loc[0] !== "body" ? `${loc.slice(1).join(".") || loc[0]}: ${msg}` : msg))
    .join("; ");
}

interface Description {
  readonly msg: string;
  readonly type: ProblemType;
}

function describe(issue: Issue, given: unknown): Description {
  switch (issue.code) {
    case "invalid_type":
      if (issue.message === wholeNumber) return { msg: wholeNumber, type: "int_parsing" };
      return typeDescriptions[issue.expected] ?? { msg: `Must be of type ${issue.expected}`, type: "value_error" };
    case "too_small":
      if (issue.origin === "string") {
        return {
          msg: issue.minimum === 1 ? "Must not be empty" : `Must have at least ${issue.minimum} characters`,
          type: "string_too_short",
        };
      }
      if (isNumeric(issue.origin)) {
        return { msg: `Must be ${issue.inclusive ? "at least" : "greater than"} ${issue.minimum}`, type: "greater_than_equal" };
      }
      return { msg: issue.minimum === 1 ? "Must not be empty" : `Must have at least ${issue.minimum} entries`, type: "value_error" };
    case "too_big":
      if (issue.origin === "string") return { msg: `Must have at most ${issue.maximum} characters`, type: "string_too_long" };
      if (isNumeric(issue.origin)) {
        return { msg: `Must be ${issue.inclusive ? "at most" : "less than"} ${issue.maximum}`, type: "less_than_equal" };
      }
      return { msg: `Must have at most ${issue.maximum} entries`, type: "value_error" };
    case "invalid_format":
      return { msg: issue.message, type: formatTypes[issue.format] ?? "value_error" };
    case "invalid_value":
      return { msg: `Must be one of: ${issue.values.map(String).join(", ")}${suggestion(given)}`, type: "enum" };
    case "invalid_union":
      return { msg: issue.message, type: "discriminator" in issue ? "enum" : "value_error" };
    case "custom":
      return { msg: issue.message, type: (issue.params?.["type"] as ProblemType | undefined) ?? "value_error" };
    default:
      return { msg: issue.message, type: "value_error" };
  }
}

const typeDescriptions: Readonly<Record<string, Description>> = {
  number: { msg: "Must be a number", type: "float_parsing" },
  boolean: { msg: "Must be true or false", type: "bool_parsing" },
  date: { msg: "Must be a timestamp", type: "datetime_parsing" },
  string: { msg: "Must be text", type: "value_error" },
  array: { msg: "Must be a list", type: "value_error" },
  object: { msg: "Must be an object", type: "value_error" },
};

const formatTypes: Readonly<Record<string, ProblemType>> = {
  uuid: "uuid_parsing",
  guid: "uuid_parsing",
  url: "url_parsing",
  datetime: "datetime_parsing",
  date: "date_parsing",
  regex: "string_pattern_mismatch",
};

function isNumeric(origin: string): boolean {
  return origin === "number" || origin === "int" || origin === "bigint";
}

/** Repeats the invalid value when it is short enough to be a typing error. */
function suggestion(given: unknown): string {
  return typeof given === "string" && given.length <= 40 ? ` (not ${JSON.stringify(given)})` : "";
}

function valueAt(input: unknown, path: Loc): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}
