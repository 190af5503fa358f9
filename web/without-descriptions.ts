import type { Plugin } from "vite";

/** The index behind the bracket that closes the one at `open`; strings and templates are skipped. */
function closing(code: string, open: number): number {
  let depth = 0;
  for (const match of code.slice(open).matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[({]|[)}]/g)) {
    if ("({".includes(match[0])) depth += 1;
    if (")}".includes(match[0])) depth -= 1;
    if (depth === 0) return open + match.index + 1;
  }
  throw new Error("a bracket is not closed");
}

/** The code with `instead` for each part that starts with the text and ends with the bracket that its last character opens. */
function shortened(code: string, start: string, instead: string): string {
  let short = code;
  for (let at = short.indexOf(start); at !== -1; at = short.indexOf(start, at))
    short = short.slice(0, at) + instead + short.slice(closing(short, at + start.length - 1));
  return short;
}

/** The title of a route stands behind its address. */
const titles = /(\.(?:get|post|put|patch|delete)\(\s*"\/[^"]*",\s*)"(?:[^"\\]|\\.)*"/g;

/** A module of the contract without descriptions, examples and JSON schemas: only the description of the API needs them. */
export function withoutDescriptions(code: string): string {
  const short = shortened(shortened(code, ".meta(", ""), "z.toJSONSchema(", "({})");
  return shortened(short, "example: {", "example: undefined").replaceAll(titles, '$1""');
}

/** Leaves the JSON schemas out of zod. */
export function withoutJsonSchemas(): Plugin {
  return {
    name: "without-json-schemas",
    transform(code, id) {
      if (!/\/zod\/v4\/classic\/schemas\.js$/.test(id)) return null;
      const short = code
        .replace(/^\s*inst\._zod\.processJSONSchema = .*;$/gm, "")
        .replace(/\bcreateToJSONSchemaMethod\(this, \{\}\)\(params\)/, "undefined")
        .replace(/\bcreateStandardJSONSchemaMethod\(this, "\w+"\)/g, "undefined");
      return { code: short, map: null };
    },
  };
}
