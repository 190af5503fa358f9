/** A JSON object from an answer, with unknown content. */
export type Fields = Readonly<Record<string, unknown>>;

/** Tells whether a JSON value is an object. */
export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reads JSON as language models write it. Also accepts comments (`//`, block), trailing commas, strings in single quotes,
 * names without quotes, line breaks and tabs inside strings, unknown escapes (as the character itself), `True`, `False`,
 * `None`, `NaN`, `Infinity` and a leading `+`. Rejects unescaped quotes inside a string, missing commas and missing ends,
 * since reading them would be guessing.
 *
 * Throws `SyntaxError`. Linear in the length of the text; nests at most `maxDepth` deep.
 */
export function parseLenient(text: string): unknown {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
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
const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
]);

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): unknown {
    if (depth > maxDepth) throw this.#error("nested too deeply");
    this.#skip();
    const sign = this.#text[this.#at];
    if (sign === "{") return this.#object(depth);
    if (sign === "[") return this.#array(depth);
    if (sign === '"' || sign === "'") return this.#string(sign);
    const number = this.#match(/[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y);
    if (number !== undefined) return Number(number);
    const negative = this.#take("-");
    const word = this.#match(/[A-Za-z]+/y) ?? "";
    if (!words.has(word)) throw this.#error("a value is missing");
    return negative ? Number.NaN : words.get(word);
  }

  end(): void {
    this.#skip();
    if (this.#at < this.#text.length) throw this.#error("something follows the value");
  }

  #object(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.#at += 1;
    while (!this.#closes("}")) {
      const sign = this.#text[this.#at];
      const name = sign === '"' || sign === "'" ? this.#string(sign) : this.#match(/[\p{L}_$][\p{L}\p{N}_$-]*/uy);
      if (name === undefined) throw this.#error("a name is missing");
      this.#skip();
      if (!this.#take(":")) throw this.#error('":" is missing');
      entries.push([name, this.value(depth + 1)]);
      this.#separator("}");
    }
    return Object.fromEntries(entries);
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
    this.#at += 1;
    for (;;) {
      const plain = this.#match(quote === '"' ? /[^"\\]+/y : /[^'\\]+/y);
      if (plain !== undefined) parts.push(plain);
      if (this.#take(quote)) return parts.join("");
      if (!this.#take("\\") || this.#at >= this.#text.length) throw this.#error("a string has no end");
      const code = this.#match(/u[0-9a-fA-F]{4}/y);
      if (code !== undefined) parts.push(String.fromCharCode(Number.parseInt(code.slice(1), 16)));
      else {
        const sign = this.#text[this.#at] ?? "";
        parts.push(escapes.get(sign) ?? sign);
        this.#at += 1;
      }
    }
  }

  #separator(end: string): void {
    this.#skip();
    if (!this.#take(",") && this.#text[this.#at] !== end) throw this.#error(`"," or "${end}" is missing`);
  }

  #closes(end: string): boolean {
    this.#skip();
    if (this.#at >= this.#text.length) throw this.#error(`"${end}" is missing`);
    return this.#take(end);
  }

  #skip(): void {
    while (this.#match(/\s+|\/\/[^\n]*/y) !== undefined || this.#comment()) {
      // Each round advances.
    }
  }

  #comment(): boolean {
    if (!this.#text.startsWith("/*", this.#at)) return false;
    const end = this.#text.indexOf("*/", this.#at + 2);
    if (end < 0) throw this.#error("a comment has no end");
    this.#at = end + 2;
    return true;
  }

  #take(sign: string): boolean {
    const there = this.#text.startsWith(sign, this.#at);
    if (there) this.#at += sign.length;
    return there;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #error(what: string): SyntaxError {
    return new SyntaxError(`${what} at character ${this.#at + 1}`);
  }
}
