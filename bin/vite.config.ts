import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { routes } from "../src/contract/routes/index.ts";
import { makePlan } from "../src/contract/routes/plans.ts";

/** What runs as a process, by its place below `dist`. */
const programs = [
  "bin/homesec",
  ...["detector", "language_model", "enrichment"].map((name) => `daemon/builtin/${name}/main`),
  // the worker thread of the detector
  "daemon/builtin/detector/closer-look",
];

/** Libraries of the daemon that read their own files, have parts per platform, or look for what else is installed. */
const separate = ["bullmq", "mqtt", "nodemailer", "nunjucks", "pino", "pino-pretty", "prom-client", "sharp", "smtp-server"];

/**
 * What most commands load, in few files, since finding and reading a file costs as much as a few hundred lines of it: what every program
 * needs, the parser and the output, requests with zod, and what the nouns show.
 */
const files = [
  [
    "base",
    /\/src\/(?:base\/(?:async|clock|lifecycle|log|text|version)|contract\/(?:constants|http-get|problem|unreachable)\.|platform\/disk\/file-reason)/,
  ],
  ["request", /\/node_modules\/zod\/|\/src\/contract\/(?:bulk|client|http-schemas|json-schema|page|route|values)\./],
  [
    "command",
    /\/src\/contract\/(?:http-client|plan|routes\/plans)\.|\/commands\/(?:(?:change-command|command|command-shapes|direct|exit-codes|host|open-io|program|registry|run)\.|output\/(?:classes|fields|output|pages|short-ids|table|terminal-format|view|wrap)\.|input\/(?:arguments|confirm|dialogue|find|options|query|resolve-ids|search-advice|similar-id|suggest|time-options)\.)/,
  ],
  ["views", /\/commands\/[^/]+\/(?:export-new|files|filter|follow|image|masks|note-address|progress|save|tail-line|text|views?|visit)\./],
] as const;

/**
 * Takes the modules of Node without an `import`, which reads each of their exports: the import of `node:process` alone opens the standard
 * streams. A Node that is too old for this gets as far as the message that says so.
 */
const builtinModules: Plugin = {
  name: "builtin-modules",
  renderChunk: (code) => ({
    code: code.replaceAll(/^import (?:([\w$]+)(?:, )?)?(?:\* as ([\w$]+)|\{([^}]+)\})? from "(node:[\w/]+)";$/gm, taken),
    map: null,
  }),
};

/** Returns the code that loads each route, by its operation, from the file that declares it. */
function placesOfRoutes(folder: string): string {
  const places = new Map<string, string>();
  for (const file of readdirSync(folder))
    for (const [, list, body = ""] of readFileSync(join(folder, file), "utf8").matchAll(/^export const (\w+Routes) = \{\n(.*?)^\}/gms))
      for (const [, operation = ""] of body.matchAll(/^ {2}(\w+):/gm))
        places.set(operation, `() => import("./${file}").then(({ ${list} }) => ${list}.${operation})`);
  const entries = Object.keys(routes).map((operation) => {
    const place = places.get(operation);
    if (place === undefined) throw new Error(`no file in ${folder} declares ${operation} in a list of routes`);
    return `${operation}: ${place}`;
  });
  return `{ ${entries.join(",\n")} }`;
}

/** Puts the plans and places of all routes where their module is. A command parses only the plan that it needs. */
const plans: Plugin = {
  name: "plans",
  load(id) {
    if (!id.endsWith("/src/contract/routes/plans.ts")) return undefined;
    const made = Object.entries(routes).map(([operation, route]) => [operation, JSON.stringify(makePlan(route))]);
    return `const plans = ${JSON.stringify(Object.fromEntries(made))};
const places = ${placesOfRoutes(dirname(id))};
export const planOf = async (operation) => plans[operation] && JSON.parse(plans[operation]);
export const loadRoute = (operation) => places[operation]();`;
  },
};

/** Layouts of the live view: the library reads its WebAssembly with `fetch` where there is one, which takes 26 ms to load. */
const layoutWithoutFetch: Plugin = {
  name: "layout-without-fetch",
  transform: (code, id) => (id.endsWith("/yoga-wasm-base64-esm.js") ? { code: `const fetch = undefined;\n${code}`, map: null } : undefined),
};

/** The statements in place of one import. */
function taken(_: string, whole: string | undefined, all: string | undefined, some: string | undefined, name: string): string {
  const module = name === "node:process" ? "globalThis.process" : `globalThis.process.getBuiltinModule?.("${name}") ?? {}`;
  const names = (some?.split(",") ?? []).map((each) => each.trim().split(" as "));
  const wholes = [whole, all, ...names.map(([from, to]) => (from === "default" ? to : undefined))].filter((each) => each !== undefined);
  const parts = names.filter(([from]) => from !== "default").map((each) => each.join(": "));
  return [...wholes, ...(parts.length > 0 ? [`{ ${parts.join(", ")} }`] : [])].map((target) => `const ${target} = ${module};`).join(" ");
}

/**
 * The programs with their libraries in few files: a command loads 30 files instead of 600, which halves its start. Modules that are imported
 * when they are needed stay apart.
 */
export default defineConfig({
  root: join(import.meta.dirname, ".."),
  publicDir: false,
  plugins: [plans, layoutWithoutFetch, builtinModules],
  // a development build of React records every frame of the live view, which fills the memory within days
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  ssr: { noExternal: true, external: separate },
  build: {
    ssr: true,
    outDir: "dist",
    // the web page is built into the same folder at the same time
    emptyOutDir: false,
    target: "node20.19",
    minify: false,
    license: { fileName: "licences.md" },
    rolldownOptions: {
      // The files above may hold what a module imports when it is needed
      checks: { ineffectiveDynamicImport: false },
      input: Object.fromEntries(programs.map((name) => [name, join(import.meta.dirname, "..", `${name}.ts`)])),
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "parts/[name]-[hash].js",
        codeSplitting: { groups: files.map(([name, test], at) => ({ name, test, priority: files.length - at })) },
      },
    },
  },
});
