import type { UpstreamHttp } from "../http.ts";
import { isObject } from "../lenient-json.ts";
import type { Access, Found } from "./found.ts";
import { ollamaContext } from "./ollama.ts";
import { plainAddress } from "./openai.ts";

/** How servers call the size of a context, in the order of trust: what is loaded comes before what the model could do. */
const sizeNames = [
  "loaded_context_length",
  "n_ctx",
  "max_model_len",
  "context_length",
  "context_window",
  "max_context_length",
  "inputTokenLimit",
];

/** Returns the size of a model's context in tokens; undefined if its server does not say. Never throws because of the server. */
export async function contextOf(http: UpstreamHttp, { url, dialect, model }: Found, access: Access): Promise<number | undefined> {
  const { key, timeoutMs, signal } = access;
  const headers = { "content-type": "application/json", ...(key !== undefined && dialect.headers(key)) };
  const ask = async (baseUrl: string, path: `/${string}`, body?: string): Promise<unknown> => {
    try {
      const method = body === undefined ? "GET" : "POST";
      const answer = await http.exchange({ baseUrl, path, method, headers, timeoutMs, signal, ...(body !== undefined && { body }) });
      return answer.status === 200 ? JSON.parse(answer.text) : undefined;
    } catch {
      signal?.throwIfAborted();
      return undefined;
    }
  };
  const plain = plainAddress(url);
  switch (dialect.api) {
    case "ollama": {
      const most = sizeIn(await ask(dialect.base(url), "/api/show", JSON.stringify({ model })));
      return most === undefined ? undefined : Math.min(most, ollamaContext);
    }
    case "gemini":
      return sizeIn(await ask(dialect.base(url), `/models/${encodeURIComponent((model ?? "").replace(/^models\//, ""))}`));
    case "completion":
      return sizeIn(await ask(plain, "/props"));
    case "openai":
      return (
        sizeIn(entryOf(await ask(dialect.base(url), "/models"), model)) ??
        sizeIn(await ask(plain, "/props")) ??
        sizeIn(entryOf(await ask(plain, "/api/v0/models"), model))
      );
  }
}

/** Returns the entry of a model in a list of models. */
function entryOf(list: unknown, model: string | undefined): unknown {
  const entries: readonly unknown[] = isObject(list) && Array.isArray(list["data"]) ? list["data"] : [];
  return entries.length === 1 ? entries[0] : entries.find((entry) => isObject(entry) && entry["id"] === model);
}

/** Finds the size in an answer: in a field with a known name, also one with a prefix such as `llama.context_length`, two levels deep. */
function sizeIn(answer: unknown): number | undefined {
  if (!isObject(answer)) return undefined;
  const levels = [answer, ...Object.values(answer).filter(isObject)];
  for (const name of sizeNames) {
    for (const [field, value] of levels.flatMap((level) => Object.entries(level))) {
      if ((field === name || field.endsWith(`.${name}`)) && typeof value === "number" && value > 0) return Math.floor(value);
    }
  }
  return undefined;
}
