import type { UpstreamAnswer } from "../http.ts";
import type { Dialect } from "./dialect.ts";
import { errorIn } from "./error-body.ts";

/** The server that an advice is about. */
export interface Advised {
  readonly dialect: Dialect;
  readonly model: string | undefined;
  readonly hasKey: boolean;
  /** `LANGUAGE_MODEL`, or `LANGUAGE_MODEL_FALLBACK`: the start of the variables. */
  readonly prefix: string;
}

const modelMissing =
  /model.{0,120}(?:not found|not exist|not supported|unknown|not available|invalid)|try pulling|model_not_found|no models? loaded/i;

/** Returns what to do about a status that no question should get; undefined if the status says it. */
export function adviceFor(answer: UpstreamAnswer, { dialect, model = "", hasKey, prefix }: Advised): string | undefined {
  const { status } = answer;
  if (status === 401 || status === 403) {
    const what = hasKey ? `refuses the key of ${prefix}_KEY; correct it` : `asks for a key; set ${prefix}_KEY`;
    return `the server ${what}, or correct ${prefix}_URL`;
  }
  if (status === 402) return `the account at ${prefix}_URL has no credit left; top it up at the provider`;
  if (status !== 404 || dialect.api === "completion") return undefined;
  const error = errorIn(answer.text);
  if (error && modelMissing.test(`${error.code} ${error.message}`)) {
    if (dialect.api === "ollama") return `Ollama does not have the model "${model}"; run: ollama pull ${model}`;
    return `the server does not have the model "${model}"; load it there, or correct ${prefix}_NAME`;
  }
  return `nothing there has the API ${dialect.api}; correct ${prefix}_URL or ${prefix}_API`;
}
