import { isObject } from "../lenient-json.ts";
import { type Ask, base64, type Dialect, type Traits, temperature, withoutEnd } from "./dialect.ts";
import { verdictSchema } from "./verdict-schema.ts";

/** OpenAI itself refuses unknown fields; its models that think take another one. */
const openAiHost = /^https:\/\/api\.openai\.com(?:\/|$)/;
const thinkingModel = /^(?:gpt-5|o\d)/;

/**
 * The chat API of OpenAI, which LM Studio, vLLM, llama.cpp, OpenRouter, Groq and many others speak too. `url` decides about fields that
 * only OpenAI itself refuses.
 */
export function openai(url: string): Dialect {
  const isOpenAi = openAiHost.test(url);
  return {
    api: "openai",
    // Some have more than /v1 in front: Groq has /openai/v1.
    base: (address) => (/\/v\d[a-z\d]*(?:\/openai)?$/.test(address) ? address : `${address}/v1`),
    path: () => "/chat/completions",
    body: (ask, traits) => body(ask, traits, isOpenAi),
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    healthPath: "/models",
    list: { path: "/models", names: (list) => namesIn(list) },
    needsModel: true,
    mayTakePictures: true,
    mayLoad: !url.startsWith("https:"),
  };
}

function body({ prompt, tokens, pictures, model, isVerdict }: Ask, traits: Traits, isOpenAi: boolean): object {
  const content =
    pictures.length === 0
      ? prompt
      : [
          { type: "text", text: prompt },
          ...pictures.map((picture) => ({
            type: "image_url",
            image_url: { url: `data:${picture.mediaType};base64,${base64(picture)}` },
          })),
        ];
  const thinks = isOpenAi && thinkingModel.test(model ?? "");
  return {
    ...(model !== undefined && { model }),
    messages: [{ role: "user", content }],
    [isOpenAi ? "max_completion_tokens" : traits.tokensField]: tokens,
    ...(traits.takesTemperature && !thinks && { temperature }),
    stream: false,
    ...(isVerdict && responseFormat(traits)),
    ...(traits.takesThinking && (isOpenAi ? thinks && { reasoning_effort: "low" } : { chat_template_kwargs: { enable_thinking: false } })),
  };
}

function responseFormat({ format }: Traits): object {
  if (format === "text") return {};
  if (format === "object") return { response_format: { type: "json_object" } };
  return { response_format: { type: "json_schema", json_schema: { name: "verdict", strict: true, schema: verdictSchema } } };
}

/** Models that turn texts into vectors answer no questions. */
function namesIn(list: unknown): readonly string[] {
  const data = isObject(list) ? list["data"] : undefined;
  const names = Array.isArray(data)
    ? data.flatMap((model) => (isObject(model) && typeof model["id"] === "string" ? [model["id"]] : []))
    : [];
  return names.filter((name) => !/embed/i.test(name));
}

/** Returns the address without what belongs to this API. */
export const plainAddress = (url: string): string => withoutEnd(url, /\/v1$/);
