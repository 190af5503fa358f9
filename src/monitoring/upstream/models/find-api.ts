import type { UpstreamHttp } from "../http.ts";
import { isObject } from "../lenient-json.ts";
import { type Dialect, type ModelApi, temperature } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { ollama } from "./ollama.ts";
import { openai, plainAddress } from "./openai.ts";

/** The API of docs/services.md, also of the built-in scorer. */
const completion: Dialect = {
  api: "completion",
  base: (url) => url,
  path: () => "/completion",
  body: ({ prompt, tokens }) => ({ prompt, max_tokens: tokens, temperature }),
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  healthPath: "/health",
  list: undefined,
  needsModel: false,
  mayTakePictures: false,
  mayLoad: false,
};

/** Returns the dialect of an API at an address. */
export function dialectOf(api: ModelApi, url: string): Dialect {
  switch (api) {
    case "completion":
      return completion;
    case "openai":
      return openai(url);
    case "ollama":
      return ollama;
    case "gemini":
      return gemini;
  }
}

/** Returns the API that an address itself names; undefined if the server must be asked. */
export function apiOfAddress(url: string): ModelApi | undefined {
  const { hostname, pathname } = new URL(url);
  if (hostname === "generativelanguage.googleapis.com") return pathname.endsWith("/openai") ? "openai" : "gemini";
  if (/(?:^|\.)(?:openai\.com|openrouter\.ai|groq\.com|mistral\.ai|deepseek\.com)$/.test(hostname)) return "openai";
  if (/\/v1$/.test(pathname)) return "openai";
  return /\/api$/.test(pathname) ? "ollama" : undefined;
}

/**
 * Asks a server which API it has: Ollama tells its version, and the others that are not the `completion` API list their models. Undefined
 * if it has neither. Throws `UpstreamFailure` if there is no complete answer.
 */
export async function askForApi(
  http: UpstreamHttp,
  request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<ModelApi | undefined> {
  const { timeoutMs, signal, headers } = request;
  const baseUrl = plainAddress(request.url);
  const get = async (path: `/${string}`) =>
    await http.exchange({ baseUrl, path, method: "GET", headers: { ...headers }, timeoutMs, signal });
  const version = await get("/api/version");
  if (version.status === 200 && typeof field(version.text, "version") === "string") return "ollama";
  const models = await get("/v1/models");
  // Without its key a server of this API says so in its own way, and one without the path does not ask for a key.
  if (models.status === 401 || (models.status === 200 && Array.isArray(field(models.text, "data")))) return "openai";
  return undefined;
}

function field(text: string, name: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body[name] : undefined;
  } catch {
    return undefined;
  }
}
