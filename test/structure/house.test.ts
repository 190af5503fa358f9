import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/** The allowed imports. The wings of `src` are listed from top to bottom: a wing knows only those below it. */
const wings = ["all-operations.ts", "admin", "pipeline", "alerting", "monitoring", "work", "platform", "contract", "base"];
/** Wings on the same level, which do not know each other. */
const apart: readonly (readonly [string, string])[] = [["admin", "pipeline"]];
const roots: Readonly<Record<string, readonly string[]>> = {
  bin: ["bin", "commands", "daemon", "src"],
  commands: ["commands", "src"],
  daemon: ["daemon", "src"],
  src: ["src"],
  web: ["web", "src"],
};

/** The only folders that may import a library. A library without an entry may not be imported. */
const owners: Readonly<Record<string, RegExp>> = {
  "@fastify/busboy": /^daemon\/receivers\/http\//,
  "@tailwindcss/vite": /^web\/vite\.config\.ts$/,
  "@tanstack/react-query": /^web\//,
  "@tanstack/react-virtual": /^web\/pages\//,
  "@vitejs/plugin-react": /^web\/vite\.config\.ts$/,
  bullmq: /^src\/platform\/store\//,
  chokidar: /^daemon\/reload\//,
  "cli-table3": /^commands\/output\//,
  commander: /^commands\/(program|run)\.ts$/,
  express: /^daemon\/http\//,
  helmet: /^daemon\/http\//,
  ink: /^commands\/live\//,
  ioredis: /^src\/platform\/store\//,
  "ipaddr.js": /^src\/platform\/(access|outbound)\//,
  ky: /^src\/contract\/http-client\.ts$/,
  "lucide-react": /^web\//,
  mqtt: /^src\/platform\/mqtt\//,
  nodemailer: /^src\/alerting\/email\//,
  nunjucks: /^src\/alerting\/email\//,
  ora: /^commands\/output\//,
  pino: /^daemon\/log\.ts$/,
  "pino-pretty": /^daemon\/log\.ts$/,
  "postal-mime": /^daemon\/receivers\/mail\//,
  postgres: /^src\/platform\/database\//,
  "prom-client": /^daemon\/metrics\//,
  react: /^(commands\/live|web)\//,
  "react-dom": /^web\/main\.tsx$/,
  sharp: /^(commands\/picture|daemon\/builtin|src\/admin\/doctor|src\/monitoring\/images)\//,
  "smtp-server": /^daemon\/receivers\/mail\//,
  "swagger-ui-dist": /^web\/reference\//,
  thumbhash: /^(src\/monitoring\/images|web\/parts)\//,
  undici: /^src\/(monitoring\/upstream|platform\/outbound)\//,
  uplot: /^web\/pages\/insights\//,
  uqr: /^(commands\/output|web\/parts)\//,
  vite: /^(?:bin\/vite\.config|web\/(?:compressed|contract-parts|without-descriptions|(?:reference\/)?vite\.config))\.ts$/,
  wouter: /^web\//,
  ws: /^(daemon\/live|src\/admin\/live-client)\//,
  yaml: /^commands\/(input|output|rules)\//,
  zod: /^(commands|daemon|src|web)\//,
};

interface Import {
  readonly from: string;
  /** A file, from the root of this repository, or the name of a library. */
  readonly to: string;
}

const files = Object.keys(roots)
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`))
  .filter((name) => /\.tsx?$/.test(name));

/** Imports, including dynamic ones, types, and `require` with a literal name. */
const statement =
  /^(?:import|export)\s(?:[^"'`;]*?\sfrom\s)?"([^"]+)"|\bimport\(\s*"([^"]+)"|\bcreateRequire\(import\.meta\.url\)\("([^"]+)"/gm;
const imports: readonly Import[] = files.flatMap((from) => {
  const text = readFileSync(join(root, from), "utf8");
  return [...text.matchAll(statement)].map((match) => ({ from, to: (match[1] ?? match[2] ?? match[3]) as string }));
});
const inside = imports
  .filter(({ to }) => to.startsWith("."))
  .map(({ from, to }) => ({ from, to: posix.normalize(posix.join(dirname(from), to)) }));
const libraries = imports
  .filter(({ to }) => !to.startsWith(".") && !to.startsWith("node:"))
  .map(({ from, to }) => ({
    from,
    to: to
      .split("/")
      .slice(0, to.startsWith("@") ? 2 : 1)
      .join("/"),
  }));

const wingOf = (file: string): string => file.split("/")[1] as string;
/** The folder that owns a file: `src/monitoring/cameras`, `daemon/http`, or `daemon` for a file beside the folders. */
const folderOf = (file: string): string => {
  const parts = file.split("/");
  return parts.slice(0, Math.min(parts[0] === "src" ? 3 : 2, parts.length - 1)).join("/");
};
const said = (all: readonly Import[]): readonly string[] => all.map(({ from, to }) => `${from} imports ${to}`);

/** Whether a file of one wing of `src` may import a file of another. */
function isAllowed(from: string, to: string): boolean {
  if (from === to) return true;
  if (apart.some((pair) => pair.includes(from) && pair.includes(to))) return false;
  return wings.indexOf(from) < wings.indexOf(to);
}

describe("house", () => {
  it("house: src has its nine wings and nothing else", () => {
    expect(readdirSync(join(root, "src")).toSorted()).toEqual(wings.toSorted());
    expect(inside.length).toBeGreaterThan(3_000);
  });

  it("house: bin, commands, daemon and src import only what they may", () => {
    const top = (file: string): string => file.split("/")[0] as string;
    expect(said(inside.filter(({ from, to }) => !roots[top(from)]?.includes(top(to))))).toEqual([]);
  });

  it("house: the web page knows only the contract and what lies below it", () => {
    const ofPage = inside.filter(({ from, to }) => from.startsWith("web/") && to.startsWith("src/"));
    expect(said(ofPage.filter(({ to }) => !["contract", "base"].includes(wingOf(to))))).toEqual([]);
    const nodeOnly = imports.filter(({ from, to }) => from.startsWith("web/") && to.startsWith("node:"));
    expect(new Set(nodeOnly.map(({ from }) => from))).toEqual(
      new Set(["web/compressed.ts", "web/contract-parts.ts", "web/reference/vite.config.ts", "web/vite.config.ts"]),
    );
  });

  it("house: a wing of src imports only wings below it", () => {
    const ofSrc = inside.filter(({ from, to }) => from.startsWith("src/") && to.startsWith("src/"));
    expect(said(ofSrc.filter(({ from, to }) => !isAllowed(wingOf(from), wingOf(to))))).toEqual([]);
  });

  it("house: a file in a folder's subfolder is private to that folder", () => {
    const isPrivate = (file: string): boolean => posix.dirname(file) !== folderOf(file) && wingOf(file) !== "contract";
    expect(said(inside.filter(({ from, to }) => folderOf(from) !== folderOf(to) && isPrivate(to)))).toEqual([]);
  });

  it("house: folders of src, commands and daemon do not import each other in a circle", () => {
    const arrows = new Map<string, Set<string>>();
    for (const { from, to } of inside) {
      const [a, b] = [folderOf(from), folderOf(to)];
      if (a !== b && /^(?:(?:src|commands)\/|daemon(?:\/|$))/.test(a) && wingOf(from) !== "contract") {
        arrows.set(a, (arrows.get(a) ?? new Set()).add(b));
      }
    }
    const circles: string[] = [];
    const visit = (folder: string, path: readonly string[]): void => {
      if (path.includes(folder)) circles.push([...path.slice(path.indexOf(folder)), folder].join(" > "));
      else if (!done.has(folder)) for (const next of arrows.get(folder) ?? []) visit(next, [...path, folder]);
      done.add(folder);
    };
    const done = new Set<string>();
    for (const folder of arrows.keys()) visit(folder, []);
    expect(circles).toEqual([]);
  });

  it("house: a library is imported only by its owner", () => {
    expect(said(libraries.filter(({ from, to }) => !owners[to]?.test(from)))).toEqual([]);
    const used = new Set(libraries.map(({ to }) => to));
    expect(Object.keys(owners).filter((name) => !used.has(name))).toEqual([]);
  });
});
