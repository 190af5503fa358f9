import type { UpstreamAnswer } from "../http.ts";
import type { Picture } from "../multipart.ts";
import { changeAfter } from "./adapt.ts";
import { type Ask, charactersPerPicture, type Dialect, type Traits } from "./dialect.ts";

/** A question as the client of the language model asks it. */
export interface Question {
  /**
   * Writes the prompt: 0 is whole, each higher number is shorter. `pictures` is the number beside it. Undefined: it cannot be any shorter.
   */
  readonly prompt: (shortness: number, pictures: number) => string | undefined;
  readonly tokens: number;
  readonly pictures: readonly Picture[];
  readonly isVerdict: boolean;
  readonly timeoutMs: number;
}

/** Enough to see that the model accepts questions. */
const referenceTokens = 16;
/** The tokens of a verdict, for a model whose context has no room for more. */
const fewTokens = 700;

/** The bodies of one question: each follows from the refusal of the last. */
export class Tries {
  readonly #dialect: Dialect;
  readonly #question: Question;
  readonly #model: string | undefined;
  #traits: Traits;
  #shortness = 0;
  #prompt = "";
  /** What to remember about the server if it answers. */
  learned: Traits;

  constructor(dialect: Dialect, question: Question, model: string | undefined, traits: Traits) {
    this.#dialect = dialect;
    this.#question = question;
    this.#model = model;
    this.#traits = traits;
    this.learned = traits;
    this.#write();
  }

  get prompt(): string {
    return this.#prompt;
  }

  /** The number of pictures in the next body. */
  get pictures(): number {
    return this.#pictures().length;
  }

  body(): string {
    const ask = { prompt: this.#prompt, tokens: this.#tokens(), pictures: this.#pictures(), isVerdict: this.#question.isVerdict };
    return this.#json(ask);
  }

  reference(prompt: string): string {
    return this.#json({ prompt, tokens: referenceTokens, pictures: [], isVerdict: false });
  }

  /** Returns the next body after a refusal; undefined if nothing is left to change. */
  after(refusal: UpstreamAnswer): string | undefined {
    const change = changeAfter(refusal, this.#traits, this.pictures);
    if (!change) return undefined;
    if ("shorter" in change) {
      this.#shortness += 1;
      const shorter = this.#question.prompt(this.#shortness, this.pictures);
      if (shorter === undefined) return undefined;
      this.#prompt = shorter;
      return this.body();
    }
    // A picture that is refused without a reason may be a bad one, so the server may still have eyes.
    if (!(change.isGuess && this.#traits.sees && !change.traits.sees)) this.learned = change.traits;
    const before = this.pictures;
    this.#traits = change.traits;
    // Without its pictures, the prompt must not speak of them.
    if (this.pictures !== before) this.#write();
    return this.body();
  }

  /** Writes the prompt, shorter if the server would cut it. */
  #write(): void {
    this.#prompt = this.#question.prompt(this.#shortness, this.pictures) ?? this.#prompt;
    const room = (this.#dialect.mostCharacters ?? Number.POSITIVE_INFINITY) - charactersPerPicture * this.pictures;
    for (let shortness = this.#shortness + 1; this.#prompt.length > room; shortness += 1) {
      const shorter = this.#question.prompt(shortness, this.pictures);
      if (shorter === undefined) break;
      this.#prompt = shorter;
    }
  }

  /** A context that is too small gets fewer tokens for the answer before it gets a shorter prompt. */
  #tokens(): number {
    return this.#shortness === 0 ? this.#question.tokens : Math.min(this.#question.tokens, fewTokens);
  }

  #pictures(): readonly Picture[] {
    const { mayTakePictures } = this.#dialect;
    if (!mayTakePictures || !this.#traits.sees || this.#shortness > 1) return [];
    return this.#question.pictures.slice(0, this.#traits.mostPictures);
  }

  #json(ask: Omit<Ask, "model">): string {
    return JSON.stringify(this.#dialect.body({ ...ask, model: this.#model }, this.#traits));
  }
}
