import type { Expression } from "./ast.ts";
import { TemplateError } from "./error.ts";
import type { Token } from "./lexer.ts";

/** Maximum nesting of expressions and blocks. */
const maxNesting = 40;
/** Maximum height of an expression: `a + b + c` is one higher for each part. */
const maxHeight = 120;

/** Names that a macro's body uses, and names that the template assigns or defines as macros. */
export interface Names {
  readonly used: Set<string>;
}

/** The tokens of a template and the parser's position. */
export class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #nesting = 0;
  /** Names used in the surrounding macros, innermost last. */
  readonly macros: Names[] = [];
  /** Names that the template assigns, and names that it calls. */
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

  /** Tells whether the current token matches. */
  is(type: Token["type"], value?: string): boolean {
    return this.current.type === type && (value === undefined || this.current.value === value);
  }

  /** Skips the token if it is there. */
  skip(type: Token["type"], value?: string): boolean {
    const there = this.is(type, value);
    if (there) this.#at += 1;
    return there;
  }

  /** Skips a required token. Throws `TemplateError`. */
  expect(type: Token["type"], value: string | null, what: string): Token {
    if (!this.is(type, value ?? undefined)) throw this.unexpected(what);
    return this.next();
  }

  /** Returns the error for an unexpected token. */
  unexpected(expected: string): TemplateError {
    const found = this.found();
    return new TemplateError(
      this.line,
      found,
      `${/^\S/.test(found) ? found : JSON.stringify(found)} stands where ${expected} is expected; look for a mistake before it`,
    );
  }

  /** Returns the current token, shortened for messages. */
  found(): string {
    const text = String(this.current.value).slice(0, 40);
    return this.current.type === "string" ? `the text '${text}'` : text;
  }

  /** Parses one level deeper. Throws `TemplateError` if that is too deep. */
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

  /** Returns the height of a node above these. Throws `TemplateError` if the expression is too long. */
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

  /** Records the use of a name. */
  use(name: string): void {
    for (const macro of this.macros) macro.used.add(name);
  }
}
