import type { Kind } from "./kinds.ts";
import type { VariableName, variables } from "./variables.ts";

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>;

type ValueOf<V> = V extends { readonly kind: Kind<infer T> } ? (V extends { readonly default: unknown } ? T : T | undefined) : never;

/** The parsed configuration. Fields have the names of the environment variables in camel case; see docs/configuration.md. */
export type Config = { readonly [K in VariableName as CamelCase<K>]: ValueOf<(typeof variables)[K]> };

/** Source of a value. Each takes precedence over those after it: flag, environment, .env, file, default. */
export type Source = "flag" | "environment" | ".env" | "file" | "default";

export interface ParsedConfig {
  readonly config: Config;
  readonly sources: Readonly<Record<VariableName, Source>>;
  /** Sentences about values that are probably mistakes. */
  readonly warnings: readonly string[];
}

/** Returns the field of `Config` that has a variable's value. */
export function configKey(name: VariableName): keyof Config {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as keyof Config;
}
