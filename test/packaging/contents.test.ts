import { execFileSync } from "node:child_process";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { filesBelow, read, root } from "./project.ts";

interface Packed {
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

// without scripts: they would build anew below those who run it at this moment
const [packed] = JSON.parse(
  execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }),
) as [Packed];
const paths = packed.files.map(({ path }) => path).sort();

describe("the package", () => {
  it("holds the built program, what it reads, and what its user reads; nothing else", () => {
    const sources = ["bin", "commands", "daemon", "src"].flatMap(filesBelow);
    const built = sources.map((path) => `dist/${path.replace(/\.tsx?$/, ".js")}`);
    const read = ["migrations", "mail-templates", "demo", "packaging"].flatMap(filesBelow).filter((path) => !path.endsWith(".test.yml"));
    const pages = filesBelow("docs").filter((path) => /\.(md|svg)$/.test(path));
    const expected = [
      ...built,
      ...read,
      ...pages,
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "package.json",
    ].sort();
    // a file in dist/ without a source is left from an earlier build: rm -r dist && npm run build
    expect(paths).toEqual(expected);
  });

  it("is small: 4.3 MB unpacked when this was written, without what it depends on", () => {
    expect(packed.unpackedSize).toBeLessThan(6_000_000);
  });

  it("starts as a program", () => {
    expect(packed.files.find(({ path }) => path === "dist/bin/homesec.js")?.mode).toBe(0o755);
  });

  it("leads from no page of its own to one that is not in it", () => {
    const dead = paths
      .filter((path) => path.endsWith(".md"))
      .flatMap((page) =>
        [...read(page).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
          .map(([, target = ""]) => normalize(join(dirname(page), target)))
          .filter((target) => !paths.some((path) => path === target || path.startsWith(target.endsWith("/") ? target : `${target}/`)))
          .map((target) => `${page} -> ${target}`),
      );
    expect(dead).toEqual([]);
  });

  it("names no map of sources that are not in it", () => {
    const mapped = paths.filter((path) => path.endsWith(".js") && read(path).includes("//# sourceMappingURL="));
    expect(mapped).toEqual([]);
  });
});
