import { redact } from "../../base/log/redact.ts";
import type { configGroups } from "../../contract/constants.ts";
import type { Kind } from "./kinds.ts";

/** A configuration variable, used by docs/configuration.md, the parser and `homesec config show`. */
export interface Variable<T = unknown> {
  readonly group: Group;
  readonly kind: Kind<T>;
  /** The text of the default. Without one, the value is `undefined` unless it is set. */
  readonly default?: string | ((known: DefaultContext) => string);
  /** The default in the documentation if it is not one fixed text. */
  readonly defaultNote?: string;
  readonly unit?: "seconds" | "minutes" | "hours" | "days";
  /** A running daemon applies changes in `.env` and the `--config` file without a restart. */
  readonly live?: true;
  /** Never shown: not in errors, not by `config show`, not in the log. */
  readonly secret?: true;
  readonly description: string;
}

/** Values that a computed default may depend on. */
export interface DefaultContext {
  readonly isRoot: boolean;
  /** The value of DATA_DIR. */
  readonly dataDir: string;
}

/** A group of variables. */
export type Group = keyof typeof configGroups;

/** Returns a value in the form that users may see: secrets and passwords in URLs are masked; null if it is not set. */
export function maskedValue(spec: Variable, value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map((entry) => maskedValue(spec, entry));
  if (spec.secret) return "***";
  return typeof value === "string" ? redact(value) : value;
}
