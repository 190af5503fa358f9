/** A JSON object from an answer, with unknown content. */
export type Fields = Readonly<Record<string, unknown>>;

/** Tells whether a JSON value is an object. */
export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Double quotes of typographers, and the one of full width. Any of them begins and ends a string. */
export const curlyQuotes = "“”„‟＂";

/** Returns the text with digits, letters and punctuation of full width in half width. Quotes and backslashes stay, and so do all positions. */
export function toHalfWidth(text: string): string {
  return text.replace(/[\uFF01\uFF03-\uFF06\uFF08-\uFF3B\uFF3D-\uFF5E\u3001]/g, (sign) =>
    sign === "\u3001" ? "," : String.fromCharCode(sign.charCodeAt(0) - 0xfee0),
  );
}

/**
 * Reads JSON as language models write it. Also accepts comments (`//`, block), trailing commas, strings in single or curly quotes,
 * names without quotes, line breaks and tabs inside strings, unknown escapes (as the character itself), `True`, `False`,
 * `None`, `NaN`, `Infinity`, a leading `+`, and digits and punctuation of full width. Rejects unescaped quotes inside a string,
 * missing commas and missing ends, since reading them would be guessing.
 *
 * Throws `SyntaxError`. Linear in the length of the text; nests at most `maxDepth` deep.
 */
export function parseLenient(text: string): unknown {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

/**
 * Reads the fields of an object that breaks off or has a fault, as far as they are certain: those that another field follows. Never
 * throws.
 */
export function parseBeginning(text: string): Fields {
  const fields: [string, unknown][] = [];
  try {
    new Reader(text).object(0, fields);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return Object.fromEntries(fields);
}

const maxDepth = 64;
const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["null", null],
  ["None", null],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
]);
/** Whether a character begins a string. */
const isQuote = (sign: string | undefined): sign is string => sign !== undefined && `"'‘${curlyQuotes}`.includes(sign);
const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
]);

interface StringForm {
  readonly inside: RegExp;
  readonly end: RegExp;
}

const inCurlyQuotes: StringForm = { inside: /[^“”„‟＂\\]+/y, end: /[“”„‟＂]/y };
/** The forms of strings, by the quote that begins them. A single curly quote is an apostrophe unless the string can end there. */
const stringForms: Readonly<Record<string, StringForm>> = {
  '"': { inside: /[^"\\]+/y, end: /"/y },
  "'": { inside: /[^'\\]+/y, end: /'/y },
  "‘": { inside: /[^‘’\\]+/y, end: /[‘’](?=\s*(?:[,:}\]，：｝］]|$))/y },
};

class Reader {
  readonly #text: string;
  /** The text outside of strings, at the same positions. */
  readonly #shape: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#shape = toHalfWidth(text);
  }

  value(depth: number): unknown {
    if (depth > maxDepth) throw this.#error("nested too deeply");
    this.#skip();
    const sign = this.#shape[this.#at];
    if (sign === "{") return this.object(depth);
    if (sign === "[") return this.#array(depth);
    if (isQuote(sign)) return this.#string(sign);
    const number = this.#match(/[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y);
    if (number !== undefined) return Number(number);
    const negative = this.#take("-");
    const word = this.#match(/[A-Za-z]+/y) ?? "";
    if (!words.has(word)) throw this.#error("a value is missing");
    return negative ? Number.NaN : words.get(word);
  }

  end(): void {
    this.#skip();
    if (!this.#isAtEnd()) throw this.#error("something follows the value");
  }

  /** Reads an object that begins here, and adds each of its fields to `fields` once it is certain. */
  object(depth: number, fields: [string, unknown][] = []): Fields {
    let last: [string, unknown] | undefined;
    this.#at += 1;
    while (!this.#closes("}")) {
      const sign = this.#shape[this.#at];
      const name = isQuote(sign) ? this.#string(sign) : this.#match(/[\p{L}_$][\p{L}\p{N}_$-]*/uy);
      if (name === undefined) throw this.#error("a name is missing");
      this.#skip();
      if (!this.#take(":")) throw this.#error('":" is missing');
      if (last) fields.push(last);
      last = [name, this.value(depth + 1)];
      this.#separator("}");
    }
    if (last) fields.push(last);
    return Object.fromEntries(fields);
  }

  #array(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#at += 1;
    while (!this.#closes("]")) {
      items.push(this.value(depth + 1));
      this.#separator("]");
    }
    return items;
  }

  #string(quote: string): string {
    const parts: string[] = [];
    const { inside, end } = stringForms[quote] ?? inCurlyQuotes;
    this.#at += 1;
    for (;;) {
      const plain = this.#match(inside, this.#text);
      if (plain !== undefined) parts.push(plain);
      if (this.#match(end, this.#text) !== undefined) return parts.join("");
      const apostrophe = this.#match(/[‘’]/y, this.#text);
      if (apostrophe !== undefined) parts.push(apostrophe);
      else parts.push(this.#escaped());
    }
  }

  #escaped(): string {
    if (!this.#take("\\") || this.#isAtEnd()) throw this.#error("a string has no end");
    const code = this.#match(/u[0-9a-fA-F]{4}/y, this.#text);
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    const sign = this.#text[this.#at] ?? "";
    this.#at += 1;
    return escapes.get(sign) ?? sign;
  }

  #separator(end: string): void {
    this.#skip();
    if (!this.#take(",") && this.#shape[this.#at] !== end) throw this.#error(`"," or "${end}" is missing`);
  }

  #closes(end: string): boolean {
    this.#skip();
    if (this.#isAtEnd()) throw this.#error(`"${end}" is missing`);
    return this.#take(end);
  }

  #isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  #skip(): void {
    while (this.#match(/\s+|\/\/[^\n]*/y) !== undefined || this.#comment()) {
      // Each round advances.
    }
  }

  #comment(): boolean {
    if (!this.#shape.startsWith("/*", this.#at)) return false;
    const end = this.#shape.indexOf("*/", this.#at + 2);
    if (end < 0) throw this.#error("a comment has no end");
    this.#at = end + 2;
    return true;
  }

  #take(sign: string): boolean {
    const there = this.#shape.startsWith(sign, this.#at);
    if (there) this.#at += sign.length;
    return there;
  }

  #match(pattern: RegExp, text = this.#shape): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #error(what: string): SyntaxError {
    return new SyntaxError(`${what} at character ${this.#at + 1}`);
  }
}
