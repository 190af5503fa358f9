import { TemplateError } from "./error.ts";
import { decodeString, integerOf } from "./literals.ts";
import { isSpace, stripEnd } from "./text.ts";

export type Token = { readonly line: number } & (
  | { readonly type: "text" | "name" | "string"; readonly value: string }
  | { readonly type: "operator"; readonly value: string }
  | { readonly type: "integer"; readonly value: bigint }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "print" | "endPrint" | "block" | "endBlock" | "end"; readonly value: string }
);

const number = /(?:0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*)/y;
const float = /\d[\d_]*(?:\.\d[\d_]*)?[eE][+-]?\d[\d_]*|\d[\d_]*\.\d[\d_]*/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const operators = /\*\*|\/\/|==|!=|>=|<=|[-+*/%~[\](){}<>=.:|,]/y;
const rawStart = /\{%[-+]?\s*raw\s*(-?)%\}/y;
const rawEnd = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;
const closing: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Splits a template into tokens. Line ends become `\n`, and one at the very end is dropped, as in Jinja2. Throws `TemplateError`. */
export function tokenize(template: string): Token[] {
  return new Lexer(template.replace(/\r\n?/g, "\n").replace(/\n$/, "")).run();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  #line = 1;
  /** Position up to where lines are counted. */
  #counted = 0;

  constructor(source: string) {
    this.#source = source;
  }

  run(): Token[] {
    while (this.#at < this.#source.length) this.#text();
    this.#push("end", "the end of the template");
    return this.#tokens;
  }

  /** Reads text up to the next delimiter, and the code between delimiters. */
  #text(): void {
    const source = this.#source;
    let open = source.indexOf("{", this.#at);
    while (open !== -1 && !"{%#".includes(source[open + 1] ?? " ")) open = source.indexOf("{", open + 1);
    const end = open === -1 ? source.length : open;
    const text = source.slice(this.#at, end);
    const trimmed = source[end + 2] === "-" && open !== -1 ? stripEnd(text) : text;
    if (trimmed !== "") this.#push("text", trimmed);
    this.#move(end);
    if (open === -1) return;
    rawStart.lastIndex = end;
    const raw = rawStart.exec(source);
    if (source[end + 1] === "#") this.#comment();
    else if (raw !== null) this.#raw(raw);
    else this.#tag();
  }

  /** Reads the code between `{{` and `}}`, or `{%` and `%}`. */
  #tag(): void {
    const source = this.#source;
    const end = this.#at;
    const print = source[end + 1] === "{";
    this.#push(print ? "print" : "block", print ? "{{" : "{%");
    const sign = source[end + 2];
    this.#move(end + (sign === "-" || sign === "+" ? 3 : 2));
    this.#code(print ? "}}" : "%}");
  }

  #comment(): void {
    const end = this.#source.indexOf("#}", this.#at + 2);
    if (end === -1) throw new TemplateError(this.#line, "{#", "the comment is not closed; end it with #}");
    const strip = this.#source[end - 1] === "-" && end - 1 > this.#at + 2;
    this.#move(end + 2);
    if (strip) this.#skipSpace();
  }

  #raw(start: RegExpExecArray): void {
    this.#move(this.#at + start[0].length);
    if (start[1] === "-") this.#skipSpace();
    rawEnd.lastIndex = this.#at;
    const end = rawEnd.exec(this.#source);
    if (end === null) throw new TemplateError(this.#line, "raw", "the raw block is not closed; end it with {% endraw %}");
    const text = this.#source.slice(this.#at, end.index);
    const trimmed = end[1] === "-" ? stripEnd(text) : text;
    if (trimmed !== "") this.#push("text", trimmed);
    this.#move(end.index + end[0].length);
    if (end[2] === "-") this.#skipSpace();
  }

  /** Reads tokens up to the closing delimiter; inside brackets `}}` is two braces. */
  #code(close: "}}" | "%}"): void {
    const source = this.#source;
    const opened: string[] = [];
    const startLine = this.#line;
    for (;;) {
      this.#skipSpace();
      if (this.#at >= source.length)
        throw new TemplateError(startLine, close, `${close === "}}" ? "{{" : "{%"} is not closed; end it with ${close}`);
      if (opened.length === 0) {
        const sign = source[this.#at] === "-" || (source[this.#at] === "+" && close === "%}") ? 1 : 0;
        if (source.startsWith(close, this.#at + sign)) {
          this.#push(close === "}}" ? "endPrint" : "endBlock", close);
          const strip = sign === 1 && source[this.#at] === "-";
          this.#move(this.#at + sign + 2);
          if (strip) this.#skipSpace();
          return;
        }
      }
      this.#token(opened);
    }
  }

  #token(opened: string[]): void {
    const here = this.#source[this.#at] as string;
    const name = this.#match(word);
    if (here === "'" || here === '"') this.#string(here);
    else if (here >= "0" && here <= "9") this.#number();
    else if (name !== null) this.#push("name", name, name.length);
    else this.#operator(here, opened);
  }

  #operator(here: string, opened: string[]): void {
    const operator = this.#match(operators);
    if (operator === null) throw new TemplateError(this.#line, here, `${here} is not part of the template language${hintFor(here)}`);
    if ("([{".includes(operator)) opened.push(operator);
    else if (closing[operator] !== undefined && opened.pop() !== closing[operator]) {
      throw new TemplateError(this.#line, operator, `${operator} closes nothing that is open; look for a missing ${closing[operator]}`);
    }
    this.#push("operator", operator, operator.length);
  }

  #string(quote: string): void {
    const source = this.#source;
    let end = this.#at + 1;
    while (end < source.length && source[end] !== quote) end += source[end] === "\\" ? 2 : 1;
    if (end >= source.length)
      throw new TemplateError(this.#line, quote, `the text that starts with ${quote} is not closed; end it with ${quote}`);
    this.#push("string", decodeString(source.slice(this.#at + 1, end), this.#line), end + 1 - this.#at);
  }

  #number(): void {
    const line = this.#line;
    const afterDot = this.#source[this.#at - 1] === ".";
    const decimal = afterDot ? null : this.#match(float);
    const text = decimal ?? this.#match(number) ?? "";
    const next = this.#source[this.#at + text.length] ?? " ";
    if (/\w/.test(next))
      throw new TemplateError(line, text + next, `${text}${next} is not a number; leave a space after numbers, and no zeros before them`);
    if (decimal === null) this.#tokens.push({ type: "integer", value: integerOf(text, line), line });
    else {
      const value = Number(decimal.replaceAll("_", ""));
      if (!/^\d+(_\d+)*(\.\d+(_\d+)*)?([eE][+-]?\d+(_\d+)*)?$/.test(decimal) || !Number.isFinite(value)) {
        throw new TemplateError(
          line,
          decimal.slice(0, 40),
          `${decimal.slice(0, 40)} is not a number that can be used; write a smaller one`,
        );
      }
      this.#tokens.push({ type: "float", value, line });
    }
    this.#move(this.#at + text.length);
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source)?.[0] ?? null;
  }

  #push(type: Exclude<Token["type"], "integer" | "float">, value: string, length = 0): void {
    this.#tokens.push({ type, value, line: this.#line });
    if (length > 0) this.#move(this.#at + length);
  }

  #skipSpace(): void {
    let at = this.#at;
    while (at < this.#source.length && isSpace(this.#source[at] as string)) at += 1;
    this.#move(at);
  }

  #move(to: number): void {
    this.#at = to;
    for (let next = this.#source.indexOf("\n", this.#counted); next !== -1 && next < to; next = this.#source.indexOf("\n", this.#counted)) {
      this.#line += 1;
      this.#counted = next + 1;
    }
  }
}

function hintFor(character: string): string {
  if (character === "&" || character === "!" || character === "?") return "; use and, or, not, and A if CONDITION else B";
  if (/\p{L}/u.test(character)) return "; names have letters a to z only, other keys are read as values['key']";
  return "";
}
