import { isObject } from "../lenient-json.ts";
import { base64, type Dialect, temperature, withoutEnd } from "./dialect.ts";
import { verdictSchema, withoutAdditional } from "./verdict-schema.ts";

/** The API of Google's Gemini. */
export const gemini: Dialect = {
  api: "gemini",
  base: (url) => `${withoutEnd(url, /\/v1(?:beta)?(?:\/openai)?$/)}/v1beta`,
  path: (model = "") => `/models/${encodeURIComponent(model.replace(/^models\//, ""))}:generateContent`,
  body: ({ prompt, tokens, pictures, isVerdict }, traits) => ({
    contents: [
      {
        role: "user",
        parts: [{ text: prompt }, ...pictures.map((picture) => ({ inline_data: { mime_type: picture.mediaType, data: base64(picture) } }))],
      },
    ],
    generationConfig: {
      ...(traits.takesTemperature && { temperature }),
      maxOutputTokens: tokens,
      ...(isVerdict && traits.format !== "text" && { responseMimeType: "application/json" }),
      ...(isVerdict && traits.format === "schema" && { responseSchema: withoutAdditional(verdictSchema) }),
      ...(traits.takesThinking && { thinkingConfig: { thinkingBudget: 0 } }),
    },
  }),
  headers: (key) => ({ "x-goog-api-key": key }),
  healthPath: "/models",
  list: {
    path: "/models",
    names: (list) => {
      const models = isObject(list) ? list["models"] : undefined;
      const names = Array.isArray(models)
        ? models.flatMap((model) => (isObject(model) && typeof model["name"] === "string" ? [model["name"]] : []))
        : [];
      return names.map((name) => name.replace(/^models\//, ""));
    },
  },
  needsModel: true,
  mayTakePictures: true,
  mayLoad: false,
};
