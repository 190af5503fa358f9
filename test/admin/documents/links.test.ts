import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const below = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));

const pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", ...below("docs").filter((name) => name.endsWith(".md"))];
/** Pages that a program writes; their length follows the program. */
const generated = ["docs/cli.md", "docs/licences.md"];
const decisions = pages.filter((name) => /^docs\/decisions\/\d{4}-/.test(name));

/** Text without code blocks, whose brackets and paths are examples. */
const prose = (page: string): string => read(page).replaceAll(/^ *```[\s\S]*?^ *```/gm, "");

/** The anchors of the headings, as GitHub makes them. */
function anchors(page: string): ReadonlySet<string> {
  const headings = [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) => text);
  return new Set(
    headings.map((text) =>
      text
        .replaceAll(/\]\([^)]*\)/g, "]")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

function brokenLinks(page: string): string[] {
  return [...prose(page).matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? page : normalize(join(dirname(page), path));
    if (!existsSync(join(root, target))) return [`${page}: ${link}`];
    return anchor === undefined || !target.endsWith(".md") || anchors(target).has(anchor) ? [] : [`${page}: ${link} (no such heading)`];
  });
}

/** Paths that do not exist: a planned folder, and the files that a reader of CONTRIBUTING.md writes. */
const planned = ["daemon/receivers/", "src/admin/doctor/checks/load.ts", "test/admin/doctor/load.test.ts"];

/** Paths of this repository in `code` that do not exist; patterns and placeholders do not count. */
function missingPaths(page: string): string[] {
  const named = [...prose(page).matchAll(/`((?:bin|commands|daemon|demo|docs|mail-templates|migrations|packaging|src|test)\/[^`\s]*)`/g)];
  return named
    .map(([, path = ""]) => path)
    .filter((path) => !/[<>*{}$]|X\.Y\.Z|\.\.\./.test(path) && !planned.includes(path) && !existsSync(join(root, path)))
    .map((path) => `${page}: ${path}`);
}

describe("documentation", () => {
  it("links only to pages and headings that exist", () => {
    expect(pages.flatMap(brokenLinks)).toEqual([]);
  });

  it("names only files and folders that exist", () => {
    expect(pages.filter((page) => page !== "CHANGELOG.md").flatMap(missingPaths)).toEqual([]);
  });

  it("names only npm scripts that exist", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = pages.flatMap((page) => [...read(page).matchAll(/npm run ([\w:-]+)/g)].map(([, script = ""]) => `${page}: ${script}`));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((each) => !((each.split(": ")[1] ?? "") in scripts))).toEqual([]);
  });

  it("lists every page in the index, and every decision in the list of decisions", () => {
    const linked = (page: string) =>
      [...read(page).matchAll(/\]\(([\w./-]+\.md)/g)].map(([, link = ""]) => normalize(join(dirname(page), link)));
    const topLevel = pages.filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== "docs/README.md");
    expect(topLevel.filter((page) => !linked("docs/README.md").includes(page))).toEqual([]);
    expect(decisions.filter((page) => !linked("docs/decisions/README.md").includes(page))).toEqual([]);
  });

  it("keeps each page under 250 lines, with a sentence about its purpose below the title", () => {
    const long = pages.filter((page) => page.startsWith("docs/") && !generated.includes(page) && read(page).split("\n").length > 250);
    expect(long).toEqual([]);
    const titled = pages.filter((page) => /^docs\/[^/]+\.md$/.test(page) && !read(page).startsWith("<!--") && !generated.includes(page));
    expect(titled.filter((page) => !/^# .+\n\n[^|#-].{30}/.test(read(page)))).toEqual([]);
  });

  it("keeps README.md within 120 lines of 120 characters", () => {
    const lines = read("README.md").trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(120);
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });

  it.each(decisions)("%s has context, decision, consequence and check in at most 40 lines", (page) => {
    expect(read(page).trimEnd().split("\n").length).toBeLessThanOrEqual(40);
    const parts = [...read(page).matchAll(/^\*\*(Context|Decision|Consequence|Check)\.\*\*/gm)].map(([, part]) => part);
    expect(parts).toEqual(["Context", "Decision", "Consequence", "Check"]);
  });
});
