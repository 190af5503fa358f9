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

  it("has recorded data, so that every later version can be tried on it", () => {
    expect(existsSync(join(root, "test/fixtures/releases", version, "home.backup"))).toBe(true);
  });

  it("lists changes by area under upgrade notes in the changelog, newest first; only the newest version may be unreleased", () => {
    const headings = [...changes.matchAll(/^## \[([^\]]+)\] - (.+)$/gm)].map(([, number = "", date = ""]) => ({ number, date }));
    const numbers = headings.map(({ number }) => number);
    expect(numbers).toEqual(numbers.toSorted((left, right) => right.localeCompare(left, "en", { numeric: true })));
    for (const { number, date } of headings.slice(1)) expect(date, number).toMatch(/^\d{4}-\d\d-\d\d$/);
    for (const section of changes.split(/^## /m).slice(1)) {
      const parts = [...section.matchAll(/^### (.+)$/gm)].map(([, title]) => title);
      expect(parts).toEqual(["Upgrade notes", "Changes"]);
      const lines = section.slice(section.indexOf("### Changes")).match(/^- .*/gm) ?? [];
      expect(lines.filter((line) => !/^- [A-Za-z][\w, -]*: /.test(line))).toEqual([]);
      expect(section.trimEnd().split("\n").length).toBeLessThanOrEqual(62);
    }
  });
});
