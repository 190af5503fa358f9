import type { Picture } from "../multipart.ts";

/** The APIs of language models that homesec speaks. `completion` is that of docs/services.md. */
export const modelApis = ["completion", "openai", "ollama", "gemini"] as const;
export type ModelApi = (typeof modelApis)[number];

/** A question to a model, before it is put into the form of an API. */
export interface Ask {
  readonly prompt: string;
  /** The most tokens of the answer. */
  readonly tokens: number;
  readonly pictures: readonly Picture[];
  /** Name of the model; undefined if the server has only one or needs no name. */
  readonly model: string | undefined;
  /** The answer must be a verdict; other questions have plain text as their answer. */
  readonly isVerdict: boolean;
}

/** The parts that a server accepts. Starts with everything; homesec learns from each refusal and remembers it for the server. */
export interface Traits {
  /** How the answer is bound to JSON: by a schema, as any object, or by the prompt alone. */
  readonly format: "schema" | "object" | "text";
  /** The field with the token limit. */
  readonly tokensField: "max_tokens" | "max_completion_tokens";
  readonly takesTemperature: boolean;
  /** It accepts the fields that switch thinking off. */
  readonly takesThinking: boolean;
  /** It sees pictures; false once it has refused one. */
  readonly sees: boolean;
  /** The most pictures in one question. */
  readonly mostPictures: number;
}

export const unknownTraits: Traits = {
  format: "schema",
  tokensField: "max_tokens",
  takesTemperature: true,
  takesThinking: true,
  sees: true,
  mostPictures: 3,
};

/** An API of language models: how to ask, and where health and the list of models are. Answers are read by `readCompletion` for all. */
export interface Dialect {
  readonly api: ModelApi;
  /** Returns the address that the paths below are appended to, for an address as people write it, with or without `/v1`. */
  readonly base: (url: string) => string;
  readonly path: (model: string | undefined) => `/${string}`;
  /** Builds the body of a question, as JSON. */
  readonly body: (ask: Ask, traits: Traits) => object;
  /** Headers with the key. The key never stands in an address, since addresses are logged. */
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  /** Answers GET with 200 while the server works. */
  readonly healthPath: `/${string}`;
  /** Lists the models, as `names` reads them; undefined if the API has no list. */
  readonly list: { readonly path: `/${string}`; readonly names: (body: unknown) => readonly string[] } | undefined;
  /** The API cannot be used without the name of a model. */
  readonly needsModel: boolean;
  /** It accepts pictures, if its model does. */
  readonly mayTakePictures: boolean;
  /** The characters that fit, if the server cuts a longer prompt without a word; each picture takes `charactersPerPicture` of them. */
  readonly mostCharacters?: number;
  /** It may load its model at the first question, which can take minutes. */
  readonly mayLoad: boolean;
}

/** A picture takes about a thousand tokens of three characters. */
export const charactersPerPicture = 3_000;

/** The temperature of every question. Low: the same event should get the same score. */
export const temperature = 0.1;

/** Removes the ends of an address that people add because other programs want them. */
export function withoutEnd(url: string, end: RegExp): string {
  return url.replace(/\/+$/, "").replace(end, "");
}

export const base64 = ({ bytes }: Picture): string => Buffer.from(bytes).toString("base64");
