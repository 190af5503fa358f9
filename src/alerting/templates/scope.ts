import type { Value } from "./value.ts";

/** Names and values, visible in their scope and all scopes inside it. */
export class Scope {
  readonly #values = new Map<string, Value>();
  readonly #outer: Scope | null;
  readonly #outermost: ((name: string) => Value) | null;

  /** Creates a scope inside another, or the outermost one with a lookup for names that are not set. */
  constructor(outer: Scope | ((name: string) => Value)) {
    this.#outer = typeof outer === "function" ? null : outer;
    this.#outermost = typeof outer === "function" ? outer : null;
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  get(name: string): Value {
    for (let scope: Scope | null = this; ; scope = scope.#outer) {
      const value = scope.#values.get(name);
      if (value !== undefined) return value;
      if (scope.#outer === null) return (scope.#outermost as (name: string) => Value)(name);
    }
  }
}
