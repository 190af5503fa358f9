import type { Expression, MacroDefinition, Statement, Target } from "./ast.ts";
import { checkCalled } from "./checks.ts";
import { TemplateError } from "./error.ts";
import { parseExpression, parseFilter, parseTuple } from "./expressions.ts";
import { tokenize } from "./lexer.ts";
import { Reader } from "./reader.ts";

/** Names that cannot be assigned, since the language defines them. */
const reserved = new Set(["loop", "caller", "varargs", "kwargs", "self", "super", "true", "false", "none", "True", "False", "None"]);

const left: Readonly<Record<string, string>> = {
  include: "there are no other templates; write the text here",
  import: "there are no other templates; write the macro here",
  from: "there are no other templates; write the macro here",
  extends: "there are no other templates; write the text here",
  block: "there are no other templates; leave the block out",
  autoescape: "nothing is escaped unless you say so; use the filter e or tojson",
  do: "nothing can be changed but by set; use {% set %}",
  break: "use an if in the for",
  continue: "use an if in the for",
  trans: "write the text itself",
  debug: "print the value with tojson",
  print: "use {{ }}",
};

/** Parses a template into statements. Throws `TemplateError` with line and name for errors and for unsupported parts of Jinja2. */
export function parse(template: string): readonly Statement[] {
  const reader = new Reader(tokenize(template));
  const statements = parseBody(reader, null, []);
  checkCalled(reader);
  return statements;
}

/** Parses statements up to one of their end tags, whose name is then the current token. */
function parseBody(reader: Reader, opener: { readonly name: string; readonly line: number } | null, ends: readonly string[]): Statement[] {
  const statements: Statement[] = [];
  for (;;) {
    const token = reader.next();
    if (token.type === "text") statements.push({ kind: "text", text: token.value, line: token.line });
    else if (token.type === "print") {
      const value = parseTuple(reader);
      reader.expect("endPrint", null, "}}");
      statements.push({ kind: "print", value, line: token.line });
    } else if (token.type === "block") {
      if (reader.current.type === "name" && ends.includes(reader.current.value)) return statements;
      statements.push(reader.nested(() => parseStatement(reader)));
    } else if (opener === null) return statements;
    else throw new TemplateError(opener.line, opener.name, `{% ${opener.name} %} is not closed; end it with {% ${ends.at(-1)} %}`);
  }
}

function parseStatement(reader: Reader): Statement {
  const { line } = reader.current;
  const name = String(reader.expect("name", null, "the name of a statement").value);
  switch (name) {
    case "if":
      return parseIf(reader, line);
    case "for":
      return parseFor(reader, line);
    case "set":
      return parseSet(reader, line);
    case "with":
      return parseWith(reader, line);
    case "macro":
      return parseMacro(reader, line);
    case "call":
      return parseCallBlock(reader, line);
    case "filter": {
      let value = parseFilter(reader, bodyAt(line));
      while (reader.is("operator", "|")) value = parseFilter(reader, value);
      return { kind: "filterBlock", value, body: parseBlock(reader, "filter", line), line };
    }
    default: {
      const fix = Object.hasOwn(left, name) ? left[name] : undefined;
      if (fix !== undefined) throw new TemplateError(line, name, `{% ${name} %} is not supported; ${fix}`);
      const closing = /^(end|el)/.test(name)
        ? "closes nothing that is open"
        : "is not a statement; they are if, for, set, with, macro, call, filter, raw";
      throw new TemplateError(line, name, `{% ${name} %} ${closing}`);
    }
  }
}

/** Parses the body of a statement and skips its end tag. */
function parseBlock(reader: Reader, name: string, line: number): Statement[] {
  closeTag(reader);
  const body = parseBody(reader, { name, line }, [`end${name}`]);
  reader.next();
  closeTag(reader);
  return body;
}

function closeTag(reader: Reader): void {
  reader.expect("endBlock", null, "%}");
}

function bodyAt(line: number): Expression {
  return { kind: "body", line, height: 1 };
}

function parseIf(reader: Reader, line: number): Statement {
  const branches: { condition: Expression; body: Statement[] }[] = [];
  let otherwise: Statement[] = [];
  const opener = { name: "if", line };
  for (let tag = "if"; tag !== "endif"; ) {
    if (tag === "else") {
      closeTag(reader);
      otherwise = parseBody(reader, opener, ["endif"]);
    } else {
      const condition = parseTuple(reader, { choice: false });
      closeTag(reader);
      branches.push({ condition, body: parseBody(reader, opener, ["elif", "else", "endif"]) });
    }
    tag = String(reader.next().value);
  }
  closeTag(reader);
  return { kind: "if", branches, otherwise, line };
}

function parseFor(reader: Reader, line: number): Statement {
  const target = parseTarget(reader);
  reader.expect("name", "in", "in");
  const iterable = parseTuple(reader, { choice: false });
  const condition = reader.skip("name", "if") ? parseExpression(reader) : null;
  const recursive = reader.skip("name", "recursive");
  closeTag(reader);
  const opener = { name: "for", line };
  const body = parseBody(reader, opener, ["else", "endfor"]);
  let otherwise: Statement[] = [];
  if (reader.next().value === "else") {
    closeTag(reader);
    otherwise = parseBody(reader, opener, ["endfor"]);
    reader.next();
  }
  closeTag(reader);
  return { kind: "for", target, iterable, condition, recursive, body, otherwise, line };
}

function parseSet(reader: Reader, line: number): Statement {
  const target = parseTarget(reader, true);
  if (reader.skip("operator", "=")) {
    const value = parseTuple(reader);
    closeTag(reader);
    return { kind: "set", target, value, line };
  }
  let value = bodyAt(line);
  while (reader.is("operator", "|")) value = parseFilter(reader, value);
  return { kind: "setBlock", target, value, body: parseBlock(reader, "set", line), line };
}

function parseWith(reader: Reader, line: number): Statement {
  const bindings: { target: Target; value: Expression }[] = [];
  while (!reader.is("endBlock")) {
    if (bindings.length > 0) reader.expect("operator", ",", "a comma");
    const target = parseOneTarget(reader, false);
    reader.expect("operator", "=", "=");
    bindings.push({ target, value: parseExpression(reader) });
  }
  return { kind: "with", bindings, body: parseBlock(reader, "with", line), line };
}

function parseMacro(reader: Reader, line: number): Statement {
  const name = nameToSet(reader);
  return { kind: "macro", macro: parseDefinition(reader, name, "macro", line), line };
}

function parseCallBlock(reader: Reader, line: number): Statement {
  const parameters = reader.is("operator", "(") ? parseParameters(reader) : [];
  const call = parseExpression(reader);
  if (call.kind !== "call") throw new TemplateError(line, "call", "{% call %} needs the call of a macro; write {% call name() %}");
  const caller = withUses(reader, (used) => ({ name: "caller", parameters, body: parseBlock(reader, "call", line), takes: takesOf(used) }));
  return { kind: "callBlock", call, caller, line };
}

function parseDefinition(reader: Reader, name: string, tag: string, line: number): MacroDefinition {
  return withUses(reader, (used) => {
    const parameters = parseParameters(reader);
    return { name, parameters, body: parseBlock(reader, tag, line), takes: takesOf(used) };
  });
}

function withUses(reader: Reader, read: (used: Set<string>) => MacroDefinition): MacroDefinition {
  const used = new Set<string>();
  reader.macros.push({ used });
  const definition = read(used);
  reader.macros.pop();
  return { ...definition, takes: takesOf(used) };
}

function takesOf(used: ReadonlySet<string>): MacroDefinition["takes"] {
  return { caller: used.has("caller"), varargs: used.has("varargs"), kwargs: used.has("kwargs") };
}

function parseParameters(reader: Reader): MacroDefinition["parameters"] {
  const parameters: { name: string; fallback: Expression | null }[] = [];
  reader.expect("operator", "(", "( after the name");
  while (!reader.is("operator", ")")) {
    const { line } = reader;
    const name = nameToSet(reader);
    if (parameters.some((each) => each.name === name))
      throw new TemplateError(line, name, `the argument ${name} is there twice; give it another name`);
    const fallback = reader.skip("operator", "=") ? parseExpression(reader) : null;
    if (fallback === null && parameters.at(-1)?.fallback)
      throw new TemplateError(line, name, `the argument ${name} needs a default, as the one before it has one`);
    parameters.push({ name, fallback });
    if (!reader.skip("operator", ",")) break;
  }
  reader.expect("operator", ")", "a comma or the closing )");
  return parameters;
}

/** Parses one name, or several separated by commas. */
function parseTarget(reader: Reader, members = false): Target {
  const { line } = reader;
  const items: Target[] = [];
  let comma = false;
  while (!reader.is("name", "in") && !reader.is("operator", "=") && !reader.is("operator", ")") && !reader.is("endBlock")) {
    items.push(parseOneTarget(reader, members));
    if (!reader.skip("operator", ",")) break;
    comma = true;
  }
  if (items.length === 0) throw reader.unexpected("a name");
  return items.length === 1 && !comma ? (items[0] as Target) : { kind: "tuple", items, line };
}

function parseOneTarget(reader: Reader, members: boolean): Target {
  const { line } = reader;
  if (reader.skip("operator", "(")) {
    const inner = reader.nested(() => parseTarget(reader, members));
    reader.expect("operator", ")", "the closing )");
    return inner;
  }
  if (members && reader.current.type === "name" && reader.following.type === "operator" && reader.following.value === ".") {
    const object = String(reader.next().value);
    reader.use(object);
    reader.next();
    const name = String(reader.expect("name", null, "a name after the dot").value);
    if (name.startsWith("_")) throw new TemplateError(line, name, `${name} cannot be set; names in a namespace start with a letter`);
    return { kind: "member", object, name, line };
  }
  return { kind: "name", name: nameToSet(reader), line };
}

function nameToSet(reader: Reader): string {
  const { line } = reader;
  const name = String(reader.expect("name", null, "a name").value);
  if (reserved.has(name) || name.startsWith("__")) throw new TemplateError(line, name, `${name} cannot be set; choose another name`);
  reader.assigned.add(name);
  return name;
}
