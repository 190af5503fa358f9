import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { eyeQuestion } from "../../src/monitoring/upstream/models/eyes.ts";
import { verdictText } from "./upstream.ts";

/* Servers of language models, as their documentation describes them, with the answers that clients of other programs stumble over. */

/** A question as a server received it. */
export interface SeenQuestion {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: each server has other fields
  readonly body: any;
}

export interface ModelServer {
  readonly url: string;
  /** Every request with a body, in order. */
  readonly questions: readonly SeenQuestion[];
  close(): Promise<void>;
}

/** The peculiarities of a server. */
export interface Quirks {
  /** The names of its models; the first is the usual one. */
  readonly models?: readonly string[];
  /** It refuses requests without this key. */
  readonly key?: string;
  /** The text of the model. */
  readonly answer?: (prompt: string, question: SeenQuestion) => string;
  /** The model refuses pictures, with this status. */
  readonly blind?: 200 | 400;
  /** The server drops pictures without a word, and the model invents what they show. */
  readonly ignoresPictures?: boolean;
  /** It takes only one picture, as Groq does. */
  readonly onePicture?: boolean;
  /** Kinds of `response_format` that it accepts. */
  readonly formats?: readonly string[];
  /** It streams whatever it is asked. */
  readonly streams?: boolean;
  /** The answer stands in `reasoning_content`. */
  readonly thinks?: boolean;
  /** Its context in tokens; three characters are one. */
  readonly context?: number;
  /** The first question takes this long, and is not finished if the client leaves. */
  readonly loadMs?: number;
  /** It takes `max_completion_tokens` and no `temperature`. */
  readonly isNewOpenAi?: boolean;
}

interface Reply {
  readonly status?: number;
  readonly body: unknown;
  /** Sent as it is. */
  readonly text?: string;
  readonly type?: string;
}

/** What the model says to the question whether it sees. */
function saidOf(prompt: string, pictures: number, question: SeenQuestion, quirks: Quirks): string {
  const { answer = () => verdictText(42) } = quirks;
  if (prompt !== eyeQuestion) return answer(prompt, question);
  return pictures > 0 && !quirks.ignoresPictures ? "4172" : "The number is 8305.";
}

type Answer = (request: SeenQuestion & { readonly method: string }, quirks: Quirks) => Reply;

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : (content as { type: string; text?: string }[]).flatMap((part) => (part.type === "text" ? [part.text ?? ""] : [])).join("");
const picturesOf = (content: unknown): number =>
  Array.isArray(content) ? content.filter((part: { type: string }) => part.type === "image_url").length : 0;

/** Splits a text into the pieces of a stream. */
const pieces = (text: string): readonly string[] => text.match(/[\s\S]{1,7}/g) ?? [];

/** The chat API of OpenAI with the wording of one server for each refusal. */
function chat(request: SeenQuestion, quirks: Quirks, words: ChatWords): Reply {
  const { body } = request;
  const { models = ["qwen2.5-vl"], formats, context } = quirks;
  const { content } = body.messages[0];
  const prompt = textOf(content);
  if (!words.takesAnyModel && !models.includes(body.model)) return words.noModel(body.model);
  if (quirks.blind && picturesOf(content) > 0) return words.blind(quirks.blind);
  if (quirks.onePicture && picturesOf(content) > 1) return openAiError(400, "Too many images provided. This model supports up to 1 image.");
  if (body.response_format && formats && !formats.includes(body.response_format.type)) return words.format(formats);
  if (quirks.isNewOpenAi && "max_tokens" in body) return words.tokens;
  if (quirks.isNewOpenAi && "temperature" in body) return words.temperature;
  if (words.isStrict && "chat_template_kwargs" in body) return words.unknownField("chat_template_kwargs");
  if (context && prompt.length / 3 + (body.max_tokens ?? body.max_completion_tokens) > context) return words.overflow(context);
  const text = saidOf(prompt, picturesOf(content), request, quirks);
  const message = quirks.thinks ? { role: "assistant", content: "", reasoning_content: text } : { role: "assistant", content: text };
  const model = body.model || models[0];
  if (quirks.streams) {
    const chunk = (delta: object, finish_reason: string | null) =>
      `data: ${JSON.stringify({ object: "chat.completion.chunk", model, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const parts = pieces(text).map((part) => chunk({ content: part }, null));
    return { body: null, type: "text/event-stream", text: `${parts.join("")}${chunk({}, "stop")}data: [DONE]\n\n` };
  }
  return { body: { object: "chat.completion", model, choices: [{ index: 0, message, finish_reason: "stop" }], usage: {} } };
}

interface ChatWords {
  readonly noModel: (model: string) => Reply;
  readonly blind: (status: number) => Reply;
  readonly format: (formats: readonly string[]) => Reply;
  readonly overflow: (context: number) => Reply;
  readonly tokens: Reply;
  readonly temperature: Reply;
  readonly unknownField: (name: string) => Reply;
  readonly isStrict?: boolean;
  readonly takesAnyModel?: boolean;
}

const openAiError = (status: number, message: string, code: string | null = null): Reply => ({
  status,
  body: { error: { message, type: "invalid_request_error", param: null, code } },
});
const openAiWords: ChatWords = {
  isStrict: true,
  noModel: (model) => openAiError(404, `The model \`${model}\` does not exist or you do not have access to it.`, "model_not_found"),
  blind: (status) => openAiError(status, "Invalid content type. image_url is only supported by certain models."),
  format: () => openAiError(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
  overflow: (context) =>
    openAiError(
      400,
      `This model's maximum context length is ${context} tokens. Please reduce the length of the messages.`,
      "context_length_exceeded",
    ),
  tokens: openAiError(
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "unsupported_parameter",
  ),
  temperature: openAiError(400, "Unsupported value: 'temperature' does not support 0.1 with this model.", "unsupported_value"),
  unknownField: (name) => openAiError(400, `Unrecognized request argument supplied: ${name}`),
};
const list = (models: readonly string[], more: object = {}): Reply => ({
  body: { object: "list", data: models.map((id) => ({ id, object: "model", ...more })) },
});

const openAi: Answer = ({ method, path, headers, ...rest }, quirks) => {
  const { models = ["gpt-4.1-mini"], key } = quirks;
  if (key !== undefined && headers.authorization !== `Bearer ${key}`) {
    return openAiError(401, `Incorrect API key provided: ${String(headers.authorization).slice(7)}.`, "invalid_api_key");
  }
  if (path === "/v1/models") return list(models);
  if (method !== "POST" || path !== "/v1/chat/completions") return openAiError(404, `Invalid URL (${method} ${path})`);
  return chat({ path, headers, ...rest }, { ...quirks, models }, openAiWords);
};

/** LM Studio answers 200 with an error, and has no `json_object`. */
const lmStudio: Answer = ({ method, path, ...rest }, quirks) => {
  const { models = ["qwen2.5-vl-7b-instruct"] } = quirks;
  if (path === "/v1/models") return list([...models, "text-embedding-nomic-embed-text-v1.5"]);
  if (path === "/api/v0/models")
    return list(models, { type: "vlm", max_context_length: 128_000, loaded_context_length: quirks.context ?? 16_384 });
  if (method !== "POST" || path !== "/v1/chat/completions") {
    return { body: { error: `Unexpected endpoint or method. (${method} ${path}). Returning 200 anyway` } };
  }
  return chat(
    { path, ...rest },
    { formats: ["json_schema", "text"], ...quirks, models },
    {
      ...openAiWords,
      isStrict: false,
      noModel: (model) => ({ body: { error: `Model "${model}" not found` } }),
      blind: () => ({ body: { error: "Model does not support images. Please use a model that does." } }),
      format: () => ({ status: 400, body: { error: "'response_format.type' must be 'json_schema' or 'text'" } }),
      overflow: () => ({
        body: {
          error:
            "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
        },
      }),
    },
  );
};

/** vLLM refuses what it does not know by 400 with its own kind of object. */
const vllm: Answer = ({ method, path, ...rest }, quirks) => {
  const { models = ["Qwen/Qwen2.5-VL-7B-Instruct"] } = quirks;
  const refusal = (message: string, status = 400): Reply => ({
    status,
    body: { object: "error", message, type: status === 404 ? "NotFoundError" : "BadRequestError", param: null, code: status },
  });
  if (path === "/health" || path === "/version") return { body: null, text: "" };
  if (path === "/v1/models") return list(models, { max_model_len: quirks.context ?? 32_768 });
  if (method !== "POST" || path !== "/v1/chat/completions") return { status: 404, body: { detail: "Not Found" } };
  return chat(
    { path, ...rest },
    { ...quirks, models },
    {
      ...openAiWords,
      isStrict: false,
      noModel: (model) => refusal(`The model \`${model}\` does not exist.`, 404),
      blind: () => refusal(`${models[0]} is not a multimodal model`),
      format: () => refusal('Grammar error: Unimplemented keys: ["additionalProperties"]'),
      overflow: (context) =>
        refusal(`This model's maximum context length is ${context} tokens. However, you requested 9000 tokens. Please reduce the length.`),
    },
  );
};

/** llama.cpp has one model, whatever name it is asked for, and both APIs. */
const llamaCpp: Answer = ({ method, path, ...rest }, quirks) => {
  const { models = ["gemma-3-4b-it-Q4_K_M.gguf"], key } = quirks;
  if (path === "/health") return { body: { status: "ok" } };
  if (path === "/props") return { body: { default_generation_settings: { n_ctx: quirks.context ?? 8_192, params: {} }, total_slots: 1 } };
  if (key !== undefined && rest.headers.authorization !== `Bearer ${key}`) {
    return { status: 401, body: { error: { code: 401, message: "Invalid API Key", type: "authentication_error" } } };
  }
  if (path === "/v1/models") return list(models);
  if (method === "POST" && path === "/completion") {
    const content = (quirks.answer ?? (() => verdictText(42)))(rest.body.prompt, { path, ...rest });
    return { body: { index: 0, content, model: models[0], stop: true, stop_type: "eos" } };
  }
  if (method !== "POST" || path !== "/v1/chat/completions") {
    return { status: 404, body: { error: { code: 404, message: "File Not Found", type: "not_found_error" } } };
  }
  const refusal = (code: number, message: string, type = "invalid_request_error"): Reply => ({
    status: code,
    body: { error: { code, message, type } },
  });
  return chat(
    { path, ...rest },
    { ...quirks, models },
    {
      ...openAiWords,
      isStrict: false,
      takesAnyModel: true,
      blind: () =>
        refusal(500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", "server_error"),
      format: () => refusal(400, "Failed to parse grammar"),
      overflow: (context) =>
        refusal(400, `the request exceeds the available context size, try increasing it (n_ctx ${context})`, "exceed_context_size_error"),
    },
  );
};

/** Ollama cuts what is too long without a word, and has a model only once it is pulled. */
const ollama: Answer = ({ method, path, ...rest }, quirks) => {
  const { models = ["qwen2.5vl:7b"] } = quirks;
  const { body } = rest;
  if (path === "/") return { body: null, text: "Ollama is running", type: "text/plain" };
  if (path === "/api/version") return { body: { version: "0.12.3" } };
  if (path === "/api/tags") return { body: { models: models.map((name) => ({ name, model: name })) } };
  if (path === "/v1/models") return list(models);
  if (path === "/api/show" && models.includes(body.model)) {
    return { body: { capabilities: ["completion", "vision"], model_info: { "qwen25vl.context_length": quirks.context ?? 128_000 } } };
  }
  if (method !== "POST" || path !== "/api/chat") return { status: 404, body: null, text: "404 page not found", type: "text/plain" };
  if (![body.model, `${body.model}:latest`].some((name) => models.includes(name))) {
    return { status: 404, body: { error: `model "${body.model}" not found, try pulling it first` } };
  }
  const [message] = body.messages;
  if (quirks.blind && message.images?.length > 0) {
    return { status: quirks.blind === 200 ? 200 : 500, body: { error: "this model is missing data required for image input" } };
  }
  if (typeof body.format === "object" && quirks.formats && !quirks.formats.includes("json_schema")) {
    return { status: 400, body: { error: 'invalid format: expected "json" or a JSON schema' } };
  }
  const room = ((body.options?.num_ctx ?? 4096) - (body.options?.num_predict ?? 0)) * 3;
  const prompt = message.content.slice(-room);
  const content = saidOf(prompt, message.images?.length ?? 0, { path, ...rest }, quirks);
  const end = { model: body.model, done: true, done_reason: "stop" };
  if (quirks.streams) {
    const lines = pieces(content).map((part) => ({ model: body.model, message: { role: "assistant", content: part }, done: false }));
    const text = [...lines, { ...end, message: { role: "assistant", content: "" } }].map((line) => JSON.stringify(line)).join("\n");
    return { body: null, type: "application/x-ndjson", text };
  }
  const said = quirks.thinks ? { role: "assistant", content: "", thinking: content } : { role: "assistant", content };
  return { body: { ...end, message: said } };
};

/** Gemini wants the name of the model in the path and the key in a header. A wrong key is status 400. */
const gemini: Answer = ({ method, path, ...rest }, quirks) => {
  const { models = ["gemini-2.5-flash"], key = "AIza-test" } = quirks;
  const { body, headers } = rest;
  const refusal = (code: number, message: string, status: string): Reply => ({ status: code, body: { error: { code, message, status } } });
  if (headers["x-goog-api-key"] !== key) return refusal(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT");
  if (path === "/v1beta/models") return { body: { models: models.map((name) => ({ name: `models/${name}` })) } };
  const described = models.find((name) => path === `/v1beta/models/${name}`);
  if (described !== undefined) return { body: { name: `models/${described}`, inputTokenLimit: quirks.context ?? 1_048_576 } };
  const asked = /^\/v1beta\/models\/(.+):generateContent$/.exec(path)?.[1];
  if (method !== "POST" || asked === undefined) return { status: 404, body: null, text: "" };
  if (!models.includes(asked)) {
    return refusal(404, `models/${asked} is not found for API version v1beta, or is not supported for generateContent.`, "NOT_FOUND");
  }
  const { generationConfig, contents } = body;
  if (JSON.stringify(generationConfig.responseSchema ?? {}).includes("additionalProperties")) {
    return refusal(
      400,
      "Invalid JSON payload received. Unknown name \"additionalProperties\" at 'generation_config.response_schema'",
      "INVALID_ARGUMENT",
    );
  }
  if (quirks.thinks && generationConfig.thinkingConfig) {
    return refusal(400, "Budget 0 is invalid. This model only works in thinking mode.", "INVALID_ARGUMENT");
  }
  const prompt: string = contents[0].parts.flatMap((part: { text?: string }) => (part.text === undefined ? [] : [part.text])).join("");
  const pictures = contents[0].parts.filter((part: { inline_data?: object }) => part.inline_data !== undefined).length;
  if (quirks.blind && pictures > 0) {
    return refusal(400, `Image input modality is not enabled for models/${asked}`, "INVALID_ARGUMENT");
  }
  const thoughts = quirks.thinks ? [{ text: "Let me think: risk_score 7?", thought: true }] : [];
  const content = { role: "model", parts: [...thoughts, { text: saidOf(prompt, pictures, { path, ...rest }, quirks) }] };
  return { body: { candidates: [{ content, finishReason: "STOP", index: 0 }], modelVersion: asked } };
};

const answers = { openAi, lmStudio, vllm, llamaCpp, ollama, gemini } as const;
export type ModelServerName = keyof typeof answers;

/** Starts a stand-in for a server of language models on a free port of 127.0.0.1. Close it when done. */
export async function modelServer(name: ModelServerName, quirks: Quirks = {}): Promise<ModelServer> {
  const questions: SeenQuestion[] = [];
  let loadedAt: number | undefined;
  const server = createServer(async (request, response) => {
    request.on("error", () => response.destroy());
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const known = {
      method: request.method ?? "",
      path: decodeURIComponent(pathname),
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
    if (known.method === "POST") {
      questions.push(known);
      if (quirks.loadMs !== undefined && loadedAt === undefined && /\/chat(?:\/completions)?$/.test(pathname)) {
        const left = await Promise.race([
          new Promise<boolean>((resolve) => setTimeout(() => resolve(false), quirks.loadMs)),
          new Promise<boolean>((resolve) => response.on("close", () => resolve(true))),
        ]);
        if (left) return;
        loadedAt = performance.now();
      }
    }
    const { status = 200, body, text: plain, type = "application/json" } = answers[name](known, quirks);
    response.writeHead(status, { "content-type": type });
    response.end(plain ?? JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    questions,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
