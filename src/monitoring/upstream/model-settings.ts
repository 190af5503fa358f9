import type { Config } from "../../platform/config/config.ts";
import { readSecretFile } from "../../platform/config/secret-file.ts";
import type { ModelServerOptions } from "./model-server.ts";

/** The models of the chain: the first is asked, the fallback if the first is away. */
export type ModelPlace = "first" | "fallback";

/** The start of the variables of a model. */
export const variablePrefix = { first: "LANGUAGE_MODEL", fallback: "LANGUAGE_MODEL_FALLBACK" } as const satisfies Record<
  ModelPlace,
  string
>;

/** Where a model is and how to talk to it, as configured. `url` is undefined if it is not configured. */
export type ModelSettings = Required<Pick<ModelServerOptions, "api" | "name" | "key" | "prefix">> & { readonly url: string | undefined };

/** Returns the settings of a model. Throws `Problem("invalid")` with the fix if the file with its key cannot be used. */
export function modelSettings(config: Config, place: ModelPlace): ModelSettings {
  const prefix = variablePrefix[place];
  const given =
    place === "first"
      ? {
          ...{ url: config.languageModelUrl, api: config.languageModelApi, name: config.languageModelName },
          ...{ key: config.languageModelKey, file: config.languageModelKeyFile },
        }
      : {
          ...{ url: config.languageModelFallbackUrl, api: config.languageModelFallbackApi, name: config.languageModelFallbackName },
          ...{ key: config.languageModelFallbackKey, file: config.languageModelFallbackKeyFile },
        };
  const { file, key = file === undefined ? undefined : readSecretFile(file, `${prefix}_KEY_FILE`), ...rest } = given;
  return { ...rest, key, prefix };
}

/** Returns the language of the home as a tag such as `de`: the configured one, or that of the machine's locale. */
export function homeLanguage({ homeLanguage: configured }: Pick<Config, "homeLanguage">): string {
  return configured ?? Intl.DateTimeFormat().resolvedOptions().locale;
}
