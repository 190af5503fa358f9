/** The syntax tree of a template. Each node knows its line, and each expression its height, so that no tree is too deep to walk. */

import type { Value } from "./value.ts";

interface At {
  readonly line: number;
  /** Levels from this node down to the deepest one. */
  readonly height: number;
}

export interface CallArguments {
  readonly positional: readonly Expression[];
  readonly named: readonly { readonly name: string; readonly value: Expression }[];
}

export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**";
export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

export type Expression = At &
  (
    | { readonly kind: "constant"; readonly value: Value }
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "list" | "tuple" | "concat"; readonly items: readonly Expression[] }
    | { readonly kind: "dict"; readonly pairs: readonly { readonly key: Expression; readonly value: Expression }[] }
    | { readonly kind: "unary"; readonly operator: "-" | "+" | "not"; readonly operand: Expression }
    | { readonly kind: "binary"; readonly operator: BinaryOperator; readonly left: Expression; readonly right: Expression }
    | { readonly kind: "and" | "or"; readonly left: Expression; readonly right: Expression }
    | {
        readonly kind: "compare";
        readonly first: Expression;
        readonly rest: readonly { readonly operator: CompareOperator; readonly value: Expression }[];
      }
    | { readonly kind: "choice"; readonly condition: Expression; readonly chosen: Expression; readonly otherwise: Expression | null }
    | { readonly kind: "attribute"; readonly object: Expression; readonly name: string }
    | { readonly kind: "item"; readonly object: Expression; readonly key: Expression }
    | {
        readonly kind: "slice";
        readonly object: Expression;
        readonly start: Expression | null;
        readonly stop: Expression | null;
        readonly step: Expression | null;
      }
    | { readonly kind: "call"; readonly callee: Expression; readonly args: CallArguments }
    | { readonly kind: "filter"; readonly operand: Expression; readonly name: string; readonly args: CallArguments }
    | { readonly kind: "test"; readonly operand: Expression; readonly name: string; readonly args: CallArguments }
    /** The text of the block that a filter block or a block set applies to. */
    | { readonly kind: "body" }
  );

/** The left side of an assignment. */
export type Target =
  | { readonly kind: "name"; readonly name: string; readonly line: number }
  | { readonly kind: "member"; readonly object: string; readonly name: string; readonly line: number }
  | { readonly kind: "tuple"; readonly items: readonly Target[]; readonly line: number };

/** Parameters and body of a macro or of a call block. */
export interface MacroDefinition {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly fallback: Expression | null }[];
  readonly body: readonly Statement[];
  /** Whether the body uses these; a macro that does not use them refuses such arguments. */
  readonly takes: { readonly caller: boolean; readonly varargs: boolean; readonly kwargs: boolean };
}

export type Statement =
  | { readonly kind: "text"; readonly text: string; readonly line: number }
  | { readonly kind: "print"; readonly value: Expression; readonly line: number }
  | {
      readonly kind: "if";
      readonly branches: readonly { readonly condition: Expression; readonly body: readonly Statement[] }[];
      readonly otherwise: readonly Statement[];
      readonly line: number;
    }
  | {
      readonly kind: "for";
      readonly target: Target;
      readonly iterable: Expression;
      readonly condition: Expression | null;
      readonly recursive: boolean;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
      readonly line: number;
    }
  | { readonly kind: "set"; readonly target: Target; readonly value: Expression; readonly line: number }
  | {
      readonly kind: "setBlock";
      readonly target: Target;
      readonly value: Expression;
      readonly body: readonly Statement[];
      readonly line: number;
    }
  | {
      readonly kind: "with";
      readonly bindings: readonly { readonly target: Target; readonly value: Expression }[];
      readonly body: readonly Statement[];
      readonly line: number;
    }
  | { readonly kind: "macro"; readonly macro: MacroDefinition; readonly line: number }
  | {
      readonly kind: "callBlock";
      readonly call: Extract<Expression, { kind: "call" }>;
      readonly caller: MacroDefinition;
      readonly line: number;
    }
  | { readonly kind: "filterBlock"; readonly value: Expression; readonly body: readonly Statement[]; readonly line: number };
