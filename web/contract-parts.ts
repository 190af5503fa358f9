import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Plugin, parseSync } from "vite";
import { withoutDescriptions } from "./without-descriptions.ts";

/*
 * The contract as the page gets it: each constant and function of its modules is a module of its own, and so is each route of a list. A
 * bundler keeps modules whole, so that the first page would otherwise load the schemas of every page that shares a file with its own.
 */

/** Modules of the contract and below it do nothing when they are loaded, so that the page gets only the schemas it uses. */
export const hasSideEffects = (id: string): boolean => !/\/src\/(?:contract|base)\//.test(id);

/** Where a name comes from. */
interface Import {
  readonly name: string;
  readonly path: string;
}

interface Module {
  readonly imports: ReadonlyMap<string, Import>;
  /** The declarations by their names. */
  readonly parts: ReadonlyMap<string, string>;
}

const partOf = (path: string, name: string): string => `${path}?part=${name}`;
/** The name of one route of a list. */
const routeName = (list: string, route: string): string => `${list}__${route}`;
/** A bundler may leave it out when nothing reads it. */
const value = (code: string): string => `/* @__PURE__ */ (() => (${code}))()`;
const absolute = (from: string, source: string): string => (source.startsWith(".") ? join(dirname(from), source) : source);

type Statement = ReturnType<typeof parseSync>["program"]["body"][number];

/** What an import declares, by the local name; types are left out. */
function importsOf(path: string, statement: Statement): readonly (readonly [local: string, from: Import])[] {
  if (statement.type !== "ImportDeclaration" || statement.importKind === "type") return [];
  return statement.specifiers.flatMap((each) => {
    if (each.type !== "ImportSpecifier" || each.importKind === "type" || each.imported.type !== "Identifier") return [];
    return [[each.local.name, { name: each.imported.name, path: absolute(path, statement.source.value) }] as const];
  });
}

/** The declarations of a statement by their names; undefined if it is of another kind. */
function partsOf(code: string, statement: Statement): readonly (readonly [name: string, code: string])[] | undefined {
  const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  const textOf = ({ start, end }: { readonly start: number; readonly end: number }): string => code.slice(start, end);
  switch (declared?.type) {
    case "ImportDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSInterfaceDeclaration":
      return [];
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return [[declared.id?.name ?? "", `export ${textOf(declared)}`]];
    case "VariableDeclaration": {
      const [first, ...others] = declared.declarations;
      if (declared.kind !== "const" || first?.id.type !== "Identifier" || !first.init || others.length > 0) return undefined;
      const { id, init } = first;
      if (!id.name.endsWith("Routes") || init.type !== "ObjectExpression")
        return [[id.name, `export const ${id.name} = ${value(textOf(init))};`]];
      const routes: (readonly [name: string, code: string])[] = [];
      const list = init.properties.map((property) => {
        if (property.type !== "Property" || property.key.type !== "Identifier") return textOf(property);
        const name = routeName(id.name, property.key.name);
        routes.push([name, `export const ${name} = ${value(textOf(property.value))};`]);
        return `${property.key.name}: ${name}`;
      });
      return [...routes, [id.name, `export const ${id.name} = ${value(`{ ${list.join(", ")} }`)};`]];
    }
    default:
      return undefined;
  }
}

const modules = new Map<string, Module | undefined>();

/** Takes a module of the contract apart; undefined if one of its statements is neither an import nor a declaration. */
function moduleAt(path: string): Module | undefined {
  if (modules.has(path)) return modules.get(path);
  const code = withoutDescriptions(readFileSync(path, "utf8"));
  const { body } = parseSync(path, code).program;
  const parts = body.map((statement) => partsOf(code, statement));
  const isWhole = parts.some((each) => each === undefined);
  const module = isWhole
    ? undefined
    : {
        imports: new Map(body.flatMap((statement) => importsOf(path, statement))),
        parts: new Map(parts.flatMap((each) => each ?? [])),
      };
  modules.set(path, module);
  return module;
}

const isContract = (path: string): boolean => /\/src\/contract\/[\w/-]+\.ts$/.test(path) && existsSync(path);

/** The statement that imports a name, from its part of the module if there is one. */
function importOf(local: string, { name, path }: Import): string {
  const isPart = isContract(path) && moduleAt(path)?.parts.has(name);
  return `import { ${name} as ${local} } from ${JSON.stringify(isPart ? partOf(path, name) : path)};`;
}

/** The code of one part, with the imports that it needs. */
function codeOf(path: string, name: string): string {
  const { imports, parts } = moduleAt(path) ?? { imports: new Map<string, Import>(), parts: new Map<string, string>() };
  const code = parts.get(name) ?? "";
  const words = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  words.delete(name);
  const needed = [...words].flatMap((word) => {
    const from = imports.get(word) ?? (parts.has(word) ? { name: word, path } : undefined);
    return from ? [importOf(word, from)] : [];
  });
  return [...needed, code].join("\n");
}

/** A file of the page, importing only the parts that it uses. */
function withParts(code: string, path: string): string {
  const imported = parseSync(path, code).program.body.flatMap((statement) =>
    importsOf(path, statement).some(([, from]) => isContract(from.path)) ? [statement] : [],
  );
  const names = new Map(imported.flatMap((statement) => importsOf(path, statement)));
  const lists = new Map<string, Import>();
  let [short, at] = ["", 0];
  for (const { start, end } of imported) {
    short += code.slice(at, start);
    at = end;
  }
  const body = (short + code.slice(at)).replace(/\b(\w+Routes)\.(\w+)\b/g, (whole, list: string, route: string) => {
    const from = names.get(list);
    const name = routeName(list, route);
    if (!from || !isContract(from.path) || !moduleAt(from.path)?.parts.has(name)) return whole;
    lists.set(name, { name, path: from.path });
    return name;
  });
  const isUsed = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(body);
  return [...[...names].filter(([local]) => isUsed(local)), ...lists].map(([local, from]) => importOf(local, from)).join("\n") + body;
}

/** Gives the page the contract in parts. */
export function contractParts(): Plugin {
  return {
    name: "contract-parts",
    enforce: "pre",
    resolveId: (source) => (source.includes("?part=") ? source : null),
    load(id) {
      const [path = "", name] = id.split("?part=");
      return name === undefined ? null : { code: codeOf(path, name), moduleType: "ts" };
    },
    transform(code, id) {
      if (id.includes("?part=")) return null;
      if (isContract(id)) return { code: withoutDescriptions(code), map: null };
      return /\/web\/[\w/-]+\.tsx?$/.test(id) && code.includes("/contract/") ? { code: withParts(code, id), map: null } : null;
    },
  };
}
