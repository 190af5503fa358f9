import type { BinaryOperator, CallArguments, CompareOperator, Expression } from "./ast.ts";
import { checkCall, checkFilter, checkMember, checkName, checkTest } from "./checks.ts";
import type { Reader } from "./reader.ts";

const comparisons = new Set(["==", "!=", "<", "<=", ">", ">="]);

/** Parses one expression. Throws `TemplateError`. */
export function parseExpression(reader: Reader, choice = true): Expression {
  return reader.nested(() => (choice ? parseChoice(reader) : parseOr(reader)));
}

function parseChoice(reader: Reader): Expression {
  let node = parseOr(reader);
  while (reader.skip("name", "if")) {
    const line = reader.line;
    const condition = parseOr(reader);
    const otherwise = reader.skip("name", "else") ? parseExpression(reader) : null;
    node = { kind: "choice", condition, chosen: node, otherwise, line, height: reader.above(line, node, condition, otherwise) };
  }
  return node;
}

function parseOr(reader: Reader): Expression {
  let left = parseAnd(reader);
  while (reader.is("name", "or")) {
    const { line } = reader.next();
    const right = parseAnd(reader);
    left = { kind: "or", left, right, line, height: reader.above(line, left, right) };
  }
  return left;
}

function parseAnd(reader: Reader): Expression {
  let left = parseNot(reader);
  while (reader.is("name", "and")) {
    const { line } = reader.next();
    const right = parseNot(reader);
    left = { kind: "and", left, right, line, height: reader.above(line, left, right) };
  }
  return left;
}

function parseNot(reader: Reader): Expression {
  if (!reader.is("name", "not")) return parseCompare(reader);
  const { line } = reader.next();
  const operand = reader.nested(() => parseNot(reader));
  return { kind: "unary", operator: "not", operand, line, height: reader.above(line, operand) };
}

function parseCompare(reader: Reader): Expression {
  const first = parseSum(reader);
  const rest: { operator: CompareOperator; value: Expression }[] = [];
  const line = reader.line;
  for (let operator = comparison(reader); operator !== null; operator = comparison(reader))
    rest.push({ operator, value: parseSum(reader) });
  if (rest.length === 0) return first;
  return { kind: "compare", first, rest, line, height: reader.above(line, first, ...rest.map(({ value }) => value)) };
}

function comparison(reader: Reader): CompareOperator | null {
  const { type, value } = reader.current;
  if (type === "operator" && comparisons.has(value)) {
    reader.next();
    return value as CompareOperator;
  }
  if (reader.skip("name", "in")) return "in";
  if (!reader.is("name", "not") || reader.following.type !== "name" || reader.following.value !== "in") return null;
  reader.next();
  reader.next();
  return "not in";
}

function parseSum(reader: Reader): Expression {
  return leftToRight(reader, ["+", "-"], parseConcat);
}

function parseConcat(reader: Reader): Expression {
  const line = reader.line;
  const items = [parseProduct(reader)];
  while (reader.skip("operator", "~")) items.push(parseProduct(reader));
  return items.length === 1 ? (items[0] as Expression) : { kind: "concat", items, line, height: reader.above(line, ...items) };
}

function parseProduct(reader: Reader): Expression {
  return leftToRight(reader, ["*", "/", "//", "%"], (inner) => leftToRight(inner, ["**"], parseUnary));
}

function leftToRight(reader: Reader, operators: readonly string[], part: (reader: Reader) => Expression): Expression {
  let left = part(reader);
  while (reader.current.type === "operator" && operators.includes(reader.current.value)) {
    const { line, value } = reader.next();
    const right = part(reader);
    left = { kind: "binary", operator: value as BinaryOperator, left, right, line, height: reader.above(line, left, right) };
  }
  return left;
}

function parseUnary(reader: Reader, filtered = true): Expression {
  const { type, value, line } = reader.current;
  let node: Expression;
  if (type === "operator" && (value === "-" || value === "+")) {
    reader.next();
    const operand = reader.nested(() => parseUnary(reader, false));
    node = { kind: "unary", operator: value, operand, line, height: reader.above(line, operand) };
  } else node = parsePrimary(reader);
  node = parsePostfix(reader, node);
  return filtered ? parseFilters(reader, node) : node;
}

function parsePrimary(reader: Reader): Expression {
  const token = reader.current;
  const { line } = token;
  const constant = { kind: "constant", line, height: 1 } as const;
  if (token.type === "name") {
    reader.next();
    if (token.value === "true" || token.value === "True") return { ...constant, value: true };
    if (token.value === "false" || token.value === "False") return { ...constant, value: false };
    if (token.value === "none" || token.value === "None") return { ...constant, value: null };
    checkName(token.value, line);
    reader.use(token.value);
    return { kind: "name", name: token.value, line, height: 1 };
  }
  if (token.type === "integer" || token.type === "float") {
    reader.next();
    return { ...constant, value: token.value };
  }
  if (token.type === "string") {
    let text = "";
    while (reader.current.type === "string") text += reader.next().value;
    return { ...constant, value: text };
  }
  if (reader.skip("operator", "(")) {
    const inner = parseTuple(reader, { empty: true });
    reader.expect("operator", ")", "the closing )");
    return inner;
  }
  if (reader.skip("operator", "[")) {
    const items = parseItems(reader, "]");
    return { kind: "list", items, line, height: reader.above(line, ...items) };
  }
  if (reader.skip("operator", "{")) return parseDict(reader, line);
  throw reader.unexpected("a value");
}

/** Parses one expression, or several separated by commas as a tuple. Throws `TemplateError`. */
export function parseTuple(reader: Reader, options: { readonly empty?: boolean; readonly choice?: boolean } = {}): Expression {
  const line = reader.line;
  const items: Expression[] = [];
  let comma = false;
  while (!reader.is("endPrint") && !reader.is("endBlock") && !reader.is("operator", ")") && !reader.is("name", "recursive")) {
    items.push(parseExpression(reader, options.choice));
    if (!reader.skip("operator", ",")) break;
    comma = true;
  }
  if (items.length === 1 && !comma) return items[0] as Expression;
  if (items.length === 0 && options.empty !== true) throw reader.unexpected("a value");
  return { kind: "tuple", items, line, height: reader.above(line, ...items) };
}

function parseItems(reader: Reader, close: string): Expression[] {
  const items: Expression[] = [];
  while (!reader.is("operator", close)) {
    items.push(parseExpression(reader));
    if (!reader.skip("operator", ",")) break;
  }
  reader.expect("operator", close, `a comma or the closing ${close}`);
  return items;
}

function parseDict(reader: Reader, line: number): Expression {
  const pairs: { key: Expression; value: Expression }[] = [];
  while (!reader.is("operator", "}")) {
    const key = parseExpression(reader);
    reader.expect("operator", ":", "a : after the key");
    pairs.push({ key, value: parseExpression(reader) });
    if (!reader.skip("operator", ",")) break;
  }
  reader.expect("operator", "}", "a comma or the closing }");
  return { kind: "dict", pairs, line, height: reader.above(line, ...pairs.flatMap(({ key, value }) => [key, value])) };
}

function parsePostfix(reader: Reader, start: Expression): Expression {
  let node = start;
  for (;;) {
    if (reader.is("operator", ".")) node = parseMember(reader, node);
    else if (reader.is("operator", "[")) node = parseItem(reader, node);
    else if (reader.is("operator", "(")) node = parseCall(reader, node);
    else return node;
  }
}

function parseMember(reader: Reader, object: Expression): Expression {
  const { line } = reader.next();
  const token = reader.next();
  const height = reader.above(line, object);
  if (token.type === "integer")
    return { kind: "item", object, key: { kind: "constant", value: token.value, line, height: 1 }, line, height };
  if (token.type !== "name") throw reader.unexpected("a name after the dot");
  checkMember(token.value, line);
  return { kind: "attribute", object, name: token.value, line, height };
}

function parseItem(reader: Reader, object: Expression): Expression {
  const { line } = reader.next();
  const start = reader.is("operator", ":") ? null : parseExpression(reader);
  if (!reader.skip("operator", ":")) {
    const key = start as Expression;
    reader.expect("operator", "]", "the closing ]");
    if (key.kind === "constant" && typeof key.value === "string") checkMember(key.value, line);
    return { kind: "item", object, key, line, height: reader.above(line, object, key) };
  }
  const bound = () => (reader.is("operator", ":") || reader.is("operator", "]") ? null : parseExpression(reader));
  const stop = bound();
  const step = reader.skip("operator", ":") ? bound() : null;
  reader.expect("operator", "]", "the closing ]");
  return { kind: "slice", object, start, stop, step, line, height: reader.above(line, object, start, stop, step) };
}

function parseCall(reader: Reader, callee: Expression): Expression {
  const { line } = reader.current;
  const args = parseArguments(reader);
  checkCall(reader, callee, line);
  return { kind: "call", callee, args, line, height: aboveCall(reader, line, callee, args) };
}

function aboveCall(reader: Reader, line: number, operand: Expression, args: CallArguments): number {
  return reader.above(line, operand, ...args.positional, ...args.named.map(({ value }) => value));
}

/** Parses the arguments inside the parentheses of a call. */
function parseArguments(reader: Reader): CallArguments {
  const positional: Expression[] = [];
  const named: { name: string; value: Expression }[] = [];
  reader.expect("operator", "(", "the opening (");
  while (!reader.is("operator", ")")) {
    if (reader.is("operator", "*") || reader.is("operator", "**"))
      throw reader.unexpected("an argument (lists of arguments by * are not supported)");
    const { type, value } = reader.current;
    if (type === "name" && reader.following.type === "operator" && reader.following.value === "=") {
      reader.next();
      reader.next();
      if (named.some(({ name }) => name === value)) throw reader.unexpected(`an argument other than ${value}, which was given before,`);
      named.push({ name: value, value: parseExpression(reader) });
    } else {
      if (named.length > 0) throw reader.unexpected("an argument with a name, after others with names,");
      positional.push(parseExpression(reader));
    }
    if (!reader.skip("operator", ",")) break;
  }
  reader.expect("operator", ")", "a comma or the closing )");
  return { positional, named };
}

function parseFilters(reader: Reader, start: Expression): Expression {
  let node = start;
  for (;;) {
    if (reader.is("operator", "|")) node = parseFilter(reader, node);
    else if (reader.is("name", "is")) node = parseTest(reader, node);
    else if (reader.is("operator", "(")) node = parseCall(reader, node);
    else return node;
  }
}

/** Parses `| name(...)`; the bar is optional for the first filter of a filter block. Throws `TemplateError`. */
export function parseFilter(reader: Reader, operand: Expression): Expression {
  reader.skip("operator", "|");
  const { line, value } = reader.expect("name", null, "the name of a filter");
  const args = reader.is("operator", "(") ? parseArguments(reader) : { positional: [], named: [] };
  const name = checkFilter(String(value), args, line);
  return { kind: "filter", operand, name, args, line, height: aboveCall(reader, line, operand, args) };
}

function parseTest(reader: Reader, operand: Expression): Expression {
  const { line } = reader.next();
  const negated = reader.skip("name", "not");
  const name = String(reader.expect("name", null, "the name of a test").value);
  let args: CallArguments = { positional: [], named: [] };
  if (reader.is("operator", "(")) args = parseArguments(reader);
  else if (startsArgument(reader)) args = { positional: [reader.nested(() => parsePostfix(reader, parsePrimary(reader)))], named: [] };
  checkTest(name, args, line);
  const test: Expression = { kind: "test", operand, name, args, line, height: aboveCall(reader, line, operand, args) };
  return negated ? { kind: "unary", operator: "not", operand: test, line, height: reader.above(line, test) } : test;
}

function startsArgument(reader: Reader): boolean {
  const { type, value } = reader.current;
  if (type === "operator") return value === "[" || value === "{";
  if (type === "name" && value === "is") throw reader.unexpected("the end of a test (tests cannot be chained; join them by and)");
  return type === "string" || type === "integer" || type === "float" || (type === "name" && !["else", "or", "and"].includes(value));
}
