import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");

describe("the version", () => {
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const changes = read("CHANGELOG.md");

  it("is the same in the lock file, the interface document, the compose file and the changelog", () => {
    const lock = JSON.parse(read("package-lock.json")) as { version: string; packages: { "": { version: string } } };
    const { info } = JSON.parse(read("docs/openapi.json")) as { info: { version: string } };
    const [, latest] = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/m.exec(changes) ?? [];
    const [, image] = /image: homesec:(\S+)/.exec(read("compose.yaml")) ?? [];
    const places = [lock.version, lock.packages[""].version, info.version, latest, image];
    expect(places).toEqual(places.map(() => version));
  });

  it("is kept with its data, so that every later one can be tried on it", () => {
    expect(existsSync(join(root, "test/fixtures/releases", version, "home.backup"))).toBe(true);
  });

  it("says in the changelog what is new and what an update asks for, newest first", () => {
    const headings = [...changes.matchAll(/^## \[([^\]]+)\]/gm)].map(([, name = ""]) => name);
    expect(headings[0]).toBe("Unreleased");
    const numbers = headings.slice(1);
    expect(numbers).toEqual(numbers.toSorted((left, right) => right.localeCompare(left, "en", { numeric: true })));
    for (const section of changes.split(/^## /m).slice(2)) {
      expect(section).toMatch(/^### (Added|Changed|Deprecated|Removed|Fixed|Security)$/m);
      expect(section).toMatch(/^### Update notes$/m);
    }
  });
});
