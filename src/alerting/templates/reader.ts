import type { Expression } from "./ast.ts";
import { TemplateError } from "./error.ts";
import type { Token } from "./lexer.ts";

/** Expressions and blocks inside of one another at most, as they are read. */
const maxNesting = 40;
/** How high an expression may be built: `a + b + c` is one higher for each part. */
const maxHeight = 120;

/** What a macro's body was seen to use, and which names the template gives values or macros. */
export interface Names {
  readonly used: Set<string>;
}

/** The tokens of a template, and where the parser is among them. */
export class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #nesting = 0;
  /** Names that are read in the macros around this place, innermost last. */
  readonly macros: Names[] = [];
  /** Names that the template itself sets, and names that it calls. */
  readonly assigned = new Set<string>();
  readonly called: { readonly name: string; readonly line: number }[] = [];

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get current(): Token {
    return this.#tokens[this.#at] as Token;
  }

  get following(): Token {
    return (this.#tokens[this.#at + 1] ?? this.current) as Token;
  }

  get line(): number {
    return this.current.line;
  }

  next(): Token {
    const token = this.current;
    if (token.type !== "end") this.#at += 1;
    return token;
  }

  /** Whether the current token is this one. */
  is(type: Token["type"], value?: string): boolean {
    return this.current.type === type && (value === undefined || this.current.value === value);
  }

  /** Steps over the token if it is there. */
  skip(type: Token["type"], value?: string): boolean {
    const there = this.is(type, value);
    if (there) this.#at += 1;
    return there;
  }

  /** Steps over the token that must be there. Throws `TemplateError`. */
  expect(type: Token["type"], value: string | null, what: string): Token {
    if (!this.is(type, value ?? undefined)) throw this.unexpected(what);
    return this.next();
  }

  /** The error for a token that does not belong here. */
  unexpected(expected: string): TemplateError {
    const found = this.found();
    return new TemplateError(
      this.line,
      found,
      `${/^\S/.test(found) ? found : JSON.stringify(found)} stands where ${expected} is expected; look for a mistake before it`,
    );
  }

  /** The current token, shortened, for messages. */
  found(): string {
    const text = String(this.current.value).slice(0, 40);
    return this.current.type === "string" ? `the text '${text}'` : text;
  }

  /** Reads something inside of something else. Throws `TemplateError` when that is too deep. */
  nested<Result>(read: () => Result): Result {
    this.#nesting += 1;
    if (this.#nesting > maxNesting)
      throw new TemplateError(
        this.line,
        "nesting",
        `more than ${maxNesting} things are nested in one another; use {% set %} to do it in steps`,
      );
    const result = read();
    this.#nesting -= 1;
    return result;
  }

  /** The height of a node above these. Throws `TemplateError` when the expression is too long. */
  above(line: number, ...nodes: readonly (Expression | null)[]): number {
    const height = nodes.reduce((highest, node) => Math.max(highest, node?.height ?? 0), 0) + 1;
    if (height > maxHeight)
      throw new TemplateError(
        line,
        "expression",
        `the expression has more than ${maxHeight} parts in a row; use {% set %} to do it in steps`,
      );
    return height;
  }

  /** Notes that a name is read here. */
  use(name: string): void {
    for (const macro of this.macros) macro.used.add(name);
  }
}
