import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { compressed } from "./compressed.ts";

/** Modules of the contract and below it do nothing when they are loaded, so that the page gets only the schemas it uses. */
const hasSideEffects = (id: string): boolean => !/\/src\/(?:contract|base)\//.test(id);

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

/** Leaves the descriptions and examples of the contract out of the page: only the description of the API needs them. */
function withoutDescriptions(): Plugin {
  return {
    name: "without-descriptions",
    enforce: "pre",
    transform(code, id) {
      if (!/\/src\/contract\//.test(id)) return null;
      const short = shortened(shortened(code, ".meta(", ""), "example: {", "example: undefined");
      return { code: short.replaceAll(titles, '$1""'), map: null };
    },
  };
}

/** Writes the list of the files that a device keeps, for the service worker. */
function fileList(folder: string): Plugin {
  return {
    name: "file-list",
    writeBundle: () => {
      const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `/${name.replaceAll("\\", "/")}`);
      const files = new Set(names.map((name) => name.replace(/\.(?:br|gz)$/, "")));
      const kept = [...files].filter((name) => /^\/(?:assets\/.*\.(?:js|css)|before\.js|icon.*|manifest\.webmanifest)$/.test(name));
      writeFileSync(join(folder, "files.json"), JSON.stringify(kept.sort()));
    },
  };
}

/**
 * What the first page needs stands in few files: each one more costs a request. Only what every page needs is named here; the rest is split
 * by use.
 */
const firstFiles = {
  name: "base",
  test: /node_modules[\\/](?:react|react-dom|scheduler|wouter|regexparam|zod|@tanstack[\\/](?:query-core|react-query))[\\/]|web[\\/](?:api|live|parts[\\/](?:blur|button|page|risk|states|thumbnail))/,
};

const built = join(import.meta.dirname, "../dist/web");

export default defineConfig({
  root: import.meta.dirname,
  plugins: [withoutDescriptions(), react(), tailwind(), fileList(built), compressed(built, ["br", "gz"])],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2022",
    // the policy of the page allows no inline script, style or picture of its own
    assetsInlineLimit: 0,
    // the notices that the licences of the bundled libraries ask for
    license: { fileName: "licences.md" },
    modulePreload: { polyfill: false },
    rolldownOptions: { treeshake: { moduleSideEffects: hasSideEffects }, output: { codeSplitting: { groups: [firstFiles] } } },
  },
});
