/**
 * An error of the caller, as opposed to a fault of homesec. The message says what happened, why, and what to do; it contains nothing
 * secret. `daemon/http` maps the kind to an HTTP status, `commands` maps it to an exit code.
 */
export class Problem extends Error {
  override name = "Problem";
  readonly kind: ProblemKind;
  readonly items: readonly ProblemItem[];

  constructor(kind: ProblemKind, message: string, options: { readonly items?: readonly ProblemItem[]; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.items = options.items ?? [];
  }
}

/**
 * `invalid` 422, `bad_request` 400, `not_found` 404, `gone` 410, `conflict` 409, `forbidden` 403, `unauthorized` 401, `unavailable` 503, `too_large`
 * 413, `media_type` 415, `rate_limited` 429, `unreachable`: no daemon answers.
 */
export type ProblemKind =
  | "invalid"
  | "bad_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "gone"
  | "conflict"
  | "too_large"
  | "media_type"
  | "rate_limited"
  | "unavailable"
  | "unreachable";

/** One entry of the 422 body. `loc` starts with path, query, body or header. */
export interface ProblemItem {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: ProblemType;
}

/** The closed list of validation error types. */
export const problemTypes = [
  "missing",
  "int_parsing",
  "float_parsing",
  "bool_parsing",
  "string_too_short",
  "string_too_long",
  "string_pattern_mismatch",
  "greater_than_equal",
  "less_than_equal",
  "enum",
  "extra_forbidden",
  "json_invalid",
  "datetime_parsing",
  "date_parsing",
  "uuid_parsing",
  "url_parsing",
  "value_error",
] as const;
export type ProblemType = (typeof problemTypes)[number];

/** Creates the error for a thing that does not exist; it does not throw. */
export function notFound(thing: string, id: string | number, hint = ""): Problem {
  return new Problem("not_found", `${thing} ${id} does not exist${hint ? `; ${hint}` : ""}`);
}
