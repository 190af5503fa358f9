import { execFileSync } from "node:child_process";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { filesBelow, read, root } from "./project.ts";

interface Packed {
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

// Without scripts, which would rebuild the program that other tests are running
const [packed] = JSON.parse(
  execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }),
) as [Packed];
const paths = packed.files.map(({ path }) => path).sort();

describe("npm package", () => {
  it("npm package: contains the built program, the files it reads, and the pages for users, and nothing else", () => {
    const programs = [
      "bin/homesec",
      ...["detector/main", "detector/closer-look", "enrichment/main", "language_model/main"].map((name) => `daemon/builtin/${name}`),
    ];
    const parts = filesBelow("dist/parts");
    expect(parts.filter((path) => !path.endsWith(".js"))).toEqual([]);
    const built = [...programs.map((path) => `dist/${path}.js`), ...parts, "dist/licences.md"];
    const read = ["migrations", "mail-templates", "demo", "models", "packaging"]
      .flatMap(filesBelow)
      .filter((path) => !path.endsWith(".test.yml"));
    const webPage = ["dist/web", "dist/reference"].flatMap(filesBelow);
    expect(webPage.filter((path) => !/\.(?:js|css|html|svg|png|webmanifest|json|md)(?:\.br|\.gz)?$/.test(path))).toEqual([]);
    const pages = filesBelow("docs").filter((path) => /\.(md|svg|webp)$|mqtt\.schema\.json$/.test(path));
    const expected = [
      ...built,
      ...webPage,
      ...read,
      ...pages,
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "package.json",
    ].sort();
    expect(paths).toEqual(expected);
  });

  it("npm package: is smaller than 34 MB unpacked, 21 of them the detector and 4 bundled libraries", () => {
    expect(packed.unpackedSize).toBeLessThan(34_000_000);
  });

  it("npm package: starts as a program", () => {
    expect(packed.files.find(({ path }) => path === "dist/bin/homesec.js")?.mode).toBe(0o755);
  });

  it("npm package: links from its pages only to files it contains", () => {
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

  it("npm package: references no source maps that it lacks", () => {
    const mapped = paths.filter((path) => path.endsWith(".js") && read(path).includes("//# sourceMappingURL="));
    expect(mapped).toEqual([]);
  });
});
