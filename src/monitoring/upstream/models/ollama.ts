import { isObject } from "../lenient-json.ts";
import { base64, type Dialect, temperature, withoutEnd } from "./dialect.ts";
import { verdictSchema } from "./verdict-schema.ts";

/**
 * The context that homesec asks Ollama for, in tokens. Ollama's own default is smaller, and it cuts a longer prompt without a word. It is
 * always the same, since another value would load the model again.
 */
export const ollamaContext = 8_192;
const tokensOfAnswer = 2_048;
/** How long Ollama keeps the model in memory after a question; its own default is five minutes. */
const keepAlive = "30m";

/** The chat API of Ollama. */
export const ollama: Dialect = {
  api: "ollama",
  base: (url) => withoutEnd(url, /\/(?:v1|api)$/),
  path: () => "/api/chat",
  body: ({ prompt, tokens, pictures, model, isVerdict }, traits) => ({
    model: model ?? "",
    messages: [{ role: "user", content: prompt, ...(pictures.length > 0 && { images: pictures.map(base64) }) }],
    stream: false,
    ...(traits.takesThinking && { think: false }),
    ...(isVerdict && traits.format !== "text" && { format: traits.format === "schema" ? verdictSchema : "json" }),
    keep_alive: keepAlive,
    options: { temperature, num_predict: Math.min(tokens, ollamaContext / 2), num_ctx: ollamaContext },
  }),
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  healthPath: "/api/version",
  list: {
    path: "/api/tags",
    names: (list) => {
      const models = isObject(list) ? list["models"] : undefined;
      return Array.isArray(models)
        ? models.flatMap((model) => (isObject(model) && typeof model["name"] === "string" ? [model["name"]] : []))
        : [];
    },
  },
  needsModel: true,
  mayTakePictures: true,
  mostCharacters: (ollamaContext - tokensOfAnswer) * 3,
  mayLoad: true,
};
