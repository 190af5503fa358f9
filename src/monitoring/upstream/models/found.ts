import { UpstreamFailure, type UpstreamHttp } from "../http.ts";
import type { Probe } from "../probe.ts";
import { adviceFor } from "./advice.ts";
import type { Dialect } from "./dialect.ts";
import { withProperStatus } from "./error-body.ts";

/** A server and its model, as found out. */
export interface Found {
  readonly url: string;
  readonly dialect: Dialect;
  readonly model: string | undefined;
}

/** How to ask a server. */
export interface Access {
  readonly key: string | undefined;
  /** The start of the variables in messages. */
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the name of the model on a server that has one. Throws `UpstreamFailure` that names the variable and the models if it has none
 * or several.
 */
export async function onlyModel(http: UpstreamHttp, found: Found, access: Access): Promise<string | undefined> {
  const { dialect } = found;
  if (!dialect.list) return undefined;
  const names = await namesAt(http, found, access);
  if (names.length === 1) return names[0];
  const listed = names.slice(0, 8).join(", ") + (names.length > 8 ? ", ..." : "");
  if (names.length > 0)
    throw new UpstreamFailure("status", `the server has several models; set ${access.prefix}_NAME to one of: ${listed}`);
  throw new UpstreamFailure(
    "status",
    dialect.api === "ollama"
      ? "Ollama has no model yet; run, for example: ollama pull qwen2.5vl:7b"
      : `the server lists no model; load one there, or set ${access.prefix}_NAME`,
  );
}

/** Returns the names of the models on a server. Throws `UpstreamFailure` if it does not list them. */
async function namesAt(http: UpstreamHttp, { url, dialect, model }: Found, access: Access): Promise<readonly string[]> {
  const { key, prefix, timeoutMs, signal } = access;
  const path = dialect.list?.path ?? dialect.healthPath;
  const headers = key === undefined ? {} : { ...dialect.headers(key) };
  const answer = withProperStatus(await http.exchange({ baseUrl: dialect.base(url), path, method: "GET", headers, timeoutMs, signal }));
  if (answer.status !== 200) {
    const advice = adviceFor(answer, { dialect, model, hasKey: key !== undefined, prefix });
    throw new UpstreamFailure("status", `status ${answer.status}: ${advice ?? `there is no list of models; set ${prefix}_NAME`}`, {
      answer: answer.text,
    });
  }
  return dialect.list?.names(parsed(answer.text)) ?? [];
}

/** The health of a server that is not of the `completion` API: whether it lists models, and with Ollama, whether it has this one. */
export async function healthOf(http: UpstreamHttp, found: Found, access: Access): Promise<Probe> {
  const startedAt = performance.now();
  const names = await namesAt(http, found, access);
  const responseMs = Math.round((performance.now() - startedAt) * 100) / 100;
  const isMissing = found.dialect.api === "ollama" && found.model !== undefined && !hasModel(names, found.model);
  const error = isMissing ? `Ollama does not have the model "${found.model}"; run: ollama pull ${found.model}` : null;
  return { healthy: error === null, responseMs, error, body: null };
}

/** Ollama lists `llama3.2` as `llama3.2:latest`. */
function hasModel(names: readonly string[], model: string): boolean {
  return names.includes(model) || names.includes(`${model}:latest`);
}

/** The health of a server that is loading its model: no fault, and not ready. */
export function loadingProbe(loadingMs: number): Probe {
  const error = `the server has been loading its model for ${Math.round(loadingMs / 1_000)} s`;
  return { healthy: false, starting: true, responseMs: null, error, body: null };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
