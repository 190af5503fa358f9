import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const src = join(root, "src");

/** The list of docs/architecture.md, from the top down: what stands in one line does not know each other. */
const layers = (/^```layers\n(.*?)^```/ms.exec(readFileSync(join(root, "docs/architecture.md"), "utf8"))?.[1] ?? "")
  .trim()
  .split("\n")
  .map((line) => line.split(" "));
const depthOf = new Map(layers.flatMap((names, depth) => names.map((name) => [name, depth] as const)));

/** The folder in `src` in which a file is, or the file itself when it is in none. */
const partOf = (file: string): string => relative(src, file).split("/")[0] ?? "";

/** What a file imports from `src`, types included. */
function importsOf(file: string): readonly string[] {
  const paths = [...readFileSync(file, "utf8").matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, path = ""]) => path);
  return paths.map((path) => normalize(join(dirname(file), path))).filter((path) => path.startsWith(`${src}/`));
}

describe("the layers of src", () => {
  it("name each folder once", () => {
    expect(layers.flat().toSorted()).toEqual(readdirSync(src).toSorted());
  });

  it("import downwards only", () => {
    const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    expect(files.length).toBeGreaterThan(500);
    const upwards = files.flatMap((name) => {
      const file = join(src, name);
      const own = partOf(file);
      const others = importsOf(file).filter((path) => partOf(path) !== own);
      const wrong = others.filter((path) => (depthOf.get(partOf(path)) ?? 0) <= (depthOf.get(own) ?? 0));
      return wrong.map((path) => `${name} imports ${relative(src, path)}`);
    });
    expect(upwards).toEqual([]);
  });
});
