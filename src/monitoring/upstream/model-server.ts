import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import type { Breaker } from "./breaker.ts";
import { callService, callThrough, type Unavailable } from "./call.ts";
import { type Completion, readCompletion } from "./completion.ts";
import { UpstreamFailure, type UpstreamHttp, upstreamHttp } from "./http.ts";
import { adviceFor } from "./models/advice.ts";
import { contextOf } from "./models/context.ts";
import { type ModelApi, type Traits, unknownTraits } from "./models/dialect.ts";
import { withProperStatus } from "./models/error-body.ts";
import { Eyes, eyeQuestion, eyeTokens, knownPicture, readsNumber } from "./models/eyes.ts";
import { apiOfAddress, askForApi, dialectOf } from "./models/find-api.ts";
import { FirstLoad } from "./models/first-load.ts";
import { type Found, healthOf, loadingProbe, onlyModel } from "./models/found.ts";
import { type Question, Tries } from "./models/tries.ts";
import { type PictureRule, takesPicturesAt } from "./picture-rule.ts";
import { type Probe, probeHealth } from "./probe.ts";

/** Where a language model is and how to talk to it. */
export interface ModelServerOptions {
  /** A function if the address can change while the daemon runs. */
  readonly url: string | (() => string);
  /** The API; `auto` finds it out (default). */
  readonly api?: ModelApi | "auto";
  /** The model to use on a server with several. */
  readonly name?: string | undefined;
  /** The key of the server; sent in a header only. */
  readonly key?: string | undefined;
  /** The start of the variables in messages. */
  readonly prefix?: string;
  /** Where pictures may go (default `off`). */
  readonly pictures?: PictureRule;
  readonly breaker: Breaker;
  readonly clock: Clock;
  readonly log: Log;
}

/** The answer of a server. `sent` is the prompt that it answered to. */
export type Completed = Completion & { readonly kind: "completed"; readonly sent: string; readonly pictures: number };
export type Refused = { readonly kind: "refused"; readonly detail: string };

/** Facts about a server. */
export interface ServerFacts {
  readonly api: ModelApi;
  readonly model: string | undefined;
  readonly traits: Traits;
  /** Whether the model sees pictures; undefined while homesec has not asked it. */
  readonly sees: boolean | undefined;
}

/** Whether a model sees, or why that is not known. */
export type Sight = { readonly kind: "sees" } | { readonly kind: "blind"; readonly detail: string } | Refused | Unavailable;

const missing: ReadonlySet<number> = new Set([404, 405, 410, 501]);

/** The connections to the server of a language model. Finds out its API and its model once, and remembers what it does not accept. */
export class ModelServer {
  readonly #options: ModelServerOptions;
  readonly #http: FirstLoad;
  #found: Found | undefined;
  #traits: Traits = unknownTraits;
  readonly #eyes: Eyes;

  constructor(options: ModelServerOptions) {
    this.#options = options;
    this.#eyes = new Eyes(options.clock);
    const http = upstreamHttp();
    this.#http = new FirstLoad(hidingKey(http, options.key), options.clock, () => this.#found?.dialect.mayLoad ?? false);
  }

  /** Facts about the server; undefined before the first question. */
  facts(): ServerFacts | undefined {
    return this.#found && { api: this.#found.dialect.api, model: this.#found.model, traits: this.#traits, sees: this.#eyes.known()?.sees };
  }

  /** How long the server has been loading its model, in milliseconds; undefined if it is not loading. */
  loadingMs(): number | undefined {
    return this.#http.loadingMs();
  }

  /** Asks a question. Never throws because of the server; throws the signal's reason if the caller cancelled. */
  async ask(question: Question, reference: string, signal?: AbortSignal): Promise<Completed | Refused | Unavailable> {
    if (question.pictures.length === 0) return await this.#ask(question, reference, signal);
    if (!(await this.takesPictures())) return await this.#ask({ ...question, pictures: [] }, reference, signal);
    const sight = await this.look(question.timeoutMs, reference, signal);
    if (sight.kind === "unavailable") return sight;
    return await this.#ask(sight.kind === "sees" ? question : { ...question, pictures: [] }, reference, signal);
  }

  /** Tells whether pictures may go to the server, and its model is not known to be blind. Never throws. */
  async takesPictures(): Promise<boolean> {
    const { url: given, pictures = "off", name } = this.#options;
    if (this.blindness() !== undefined) return false;
    const url = typeof given === "string" ? given : given();
    return await takesPicturesAt(pictures, url, this.#found?.model ?? name);
  }

  /** Why the model is known not to see pictures; undefined while it is not. */
  blindness(): string | undefined {
    const known = this.#eyes.known();
    return this.#apiWithoutPictures() ?? (known?.sees === false ? known.detail : undefined);
  }

  #apiWithoutPictures(): string | undefined {
    if (this.#found?.dialect.mayTakePictures !== false && this.#options.api !== "completion") return undefined;
    return `the API /completion takes none; with llama.cpp, set ${this.#options.prefix ?? "LANGUAGE_MODEL"}_API=openai`;
  }

  /** Shows the model a known picture, unless it is known whether it sees. Never throws because of the server. */
  async look(timeoutMs: number, reference: string, signal?: AbortSignal): Promise<Sight> {
    const known = this.#eyes.known();
    if (known) return known.sees ? { kind: "sees" } : { kind: "blind", detail: known.detail };
    const question = { prompt: () => eyeQuestion, tokens: eyeTokens, pictures: [knownPicture], isVerdict: false, timeoutMs };
    this.#traits = { ...this.#traits, sees: true };
    const answer = await this.#ask(question, reference, signal);
    if (answer.kind !== "completed") return answer;
    const said = answer.content.replace(/\s+/g, " ").trim().slice(0, 60);
    const detail =
      this.#apiWithoutPictures() ??
      (answer.pictures === 0 ? "it refuses pictures" : `it cannot read a number in a picture; it said: ${said}`);
    const sees = answer.pictures > 0 && readsNumber(answer.content);
    this.#eyes.note(sees, detail);
    if (!sees) this.#options.log.warn({ detail }, "the language model does not see pictures; homesec has it judge by text");
    return sees ? { kind: "sees" } : { kind: "blind", detail };
  }

  async #ask(question: Question, reference: string, signal?: AbortSignal): Promise<Completed | Refused | Unavailable> {
    const found = await this.#find(question.timeoutMs, signal);
    if ("kind" in found) return found;
    const result = await this.#askAs(found, question, reference, signal);
    if (result.kind !== "other api") return result;
    const again = await this.#find(question.timeoutMs, signal);
    if ("kind" in again) return again;
    const second = await this.#askAs(again, question, reference, signal);
    return second.kind === "other api" ? second.failure : second;
  }

  /**
   * Asks for the health of the server: that of its API, or `GET /health` as long as the API is not known and that succeeds. Never throws.
   */
  async health(timeoutMs: number): Promise<Probe> {
    const { url: given, name, key } = this.#options;
    const url = typeof given === "string" ? given : given();
    const loadingMs = this.loadingMs();
    if (loadingMs !== undefined) return loadingProbe(loadingMs);
    const known = this.#found?.url === url ? this.#found : this.#simple(url);
    const plain = known === undefined || known.dialect.api === "completion" ? await probeHealth(url, timeoutMs) : undefined;
    if (plain?.healthy || (plain && this.#options.api === "completion")) return plain;
    try {
      const found = plain
        ? await this.#askServer(url, timeoutMs, undefined)
        : (known ?? { url, dialect: dialectOf("completion", url), model: name });
      if (found.dialect.api === "completion") return plain ?? (await probeHealth(url, timeoutMs));
      return await healthOf(this.#http, found, { key, prefix: this.#options.prefix ?? "LANGUAGE_MODEL", timeoutMs });
    } catch (error) {
      if (plain && !(error instanceof UpstreamFailure && error.reason === "status")) return plain;
      return { healthy: false, responseMs: null, error: error instanceof Error ? error.message : String(error), body: null };
    }
  }

  /** Asks for the size of the model's context in tokens; undefined if the server does not say. Never throws because of the server. */
  async context(timeoutMs: number, signal?: AbortSignal): Promise<number | undefined> {
    const { key, prefix = "LANGUAGE_MODEL" } = this.#options;
    return this.#found && (await contextOf(this.#http, this.#found, { key, prefix, timeoutMs, signal }));
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** Finds the API and the model, unless they are known for this address. */
  async #find(timeoutMs: number, signal: AbortSignal | undefined): Promise<Found | Unavailable> {
    const { url: given, breaker, clock } = this.#options;
    const url = typeof given === "string" ? given : given();
    if (this.#found?.url === url) return this.#found;
    const simple = this.#simple(url);
    const found = simple ?? (await callThrough(breaker, clock, () => this.#askServer(url, timeoutMs, signal), signal));
    if (!("kind" in found)) {
      this.#found = found;
      this.#forget();
    }
    return found;
  }

  /** Returns what needs no question to the server: the `completion` API is the first to try where nothing points to another. */
  #simple(url: string): Found | undefined {
    const { api = "auto", name } = this.#options;
    const known = api === "auto" ? (URL.canParse(url) ? apiOfAddress(url) : "completion") : api;
    if (known === undefined) return name === undefined ? { url, dialect: dialectOf("completion", url), model: undefined } : undefined;
    const dialect = dialectOf(known, url);
    return dialect.needsModel && name === undefined ? undefined : { url, dialect, model: name };
  }

  async #askServer(url: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<Found> {
    const { api = "auto", name, key } = this.#options;
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const known = api === "auto" ? (apiOfAddress(url) ?? (await askForApi(this.#http, { url, headers, timeoutMs, signal }))) : api;
    const dialect = dialectOf(known ?? "completion", url);
    if (!dialect.needsModel || name !== undefined) return { url, dialect, model: name };
    const prefix = this.#options.prefix ?? "LANGUAGE_MODEL";
    return { url, dialect, model: await onlyModel(this.#http, { url, dialect, model: undefined }, { key, prefix, timeoutMs, signal }) };
  }

  async #askAs(
    found: Found,
    question: Question,
    reference: string,
    signal: AbortSignal | undefined,
  ): Promise<Completed | Refused | Unavailable | { readonly kind: "other api"; readonly failure: Unavailable }> {
    const { key, prefix = "LANGUAGE_MODEL", log } = this.#options;
    const { dialect, model } = found;
    const tries = new Tries(dialect, question, model, this.#traits);
    let isMissing = false;
    const result = await callService(this.#http, this.#options, {
      baseUrl: dialect.base(found.url),
      path: dialect.path(model),
      contentType: "application/json",
      ...(key !== undefined && { headers: dialect.headers(key) }),
      body: tries.body(),
      staysInNetwork: tries.pictures > 0 && this.#options.pictures !== "anywhere",
      reference: () => tries.reference(reference),
      ...(dialect.api !== "completion" && { normalize: withProperStatus, adapt: (refusal) => tries.after(refusal) }),
      advise: (answer) => {
        isMissing = missing.has(answer.status);
        return adviceFor(answer, { dialect, model, hasKey: key !== undefined, prefix });
      },
      timeoutMs: question.timeoutMs,
      signal,
      read: readCompletion,
      lines: { refused: "the language model refused a prompt", failed: "the call to the language model failed" },
    });
    if (result.kind === "refused") return result;
    if (result.kind === "unavailable")
      return this.#mayBeAnother(isMissing || mayBeWrongPath(result))
        ? await this.#another(found, result, question.timeoutMs, signal)
        : result;
    this.#remember(tries, log);
    return { kind: "completed", ...result.value, model: result.value.model || (model ?? ""), sent: tries.prompt, pictures: tries.pictures };
  }

  /** Only a server that was taken for one with the `completion` API, because nothing said otherwise, may have another. */
  #mayBeAnother(isMissing: boolean): boolean {
    return isMissing && (this.#options.api ?? "auto") === "auto" && this.#found?.dialect.api === "completion";
  }

  /** After "nothing is there": asks the server for its API. The failure stays the answer if that finds nothing. */
  async #another(
    found: Found,
    failure: Unavailable,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Unavailable | { readonly kind: "other api"; readonly failure: Unavailable }> {
    try {
      const other = await this.#askServer(found.url, timeoutMs, signal);
      if (other.dialect.api === "completion") return failure;
      this.#options.log.info({ api: other.dialect.api, model: other.model }, "found out the API of the language model");
      this.#found = other;
      this.#forget();
      return { kind: "other api", failure };
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof UpstreamFailure)) throw error;
      return error.reason === "status" ? { ...failure, detail: error.message } : failure;
    }
  }

  #forget(): void {
    this.#traits = unknownTraits;
    this.#eyes.forget();
  }

  #remember(tries: Tries, log: Log): void {
    if (tries.learned === this.#traits) return;
    this.#traits = tries.learned;
    if (!tries.learned.sees) this.#eyes.note(false, "it refuses pictures");
    log.info({ ...tries.learned }, "the language model does not accept everything; homesec remembers what it does");
  }
}

/** LM Studio answers 200 with an error to a path that it does not know; the reader then finds no text. */
function mayBeWrongPath({ reason, detail }: Unavailable): boolean {
  return reason === "unreadable" && /unexpected endpoint|"error"/i.test(detail);
}

/** Removes the key from answers: some servers repeat it in an error, which is logged and stored. */
function hidingKey(http: UpstreamHttp, key: string | undefined): UpstreamHttp {
  if (key === undefined || key === "") return http;
  return {
    exchange: async (request) => {
      const answer = await http.exchange(request);
      return { ...answer, text: answer.text.replaceAll(key, "***") };
    },
    close: () => http.close(),
  };
}
