import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const tracked = (...patterns: readonly string[]): readonly string[] =>
  execFileSync("git", ["ls-files", ...patterns], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n");
const linesOf = (file: string): number => readFileSync(join(root, file), "utf8").split("\n").length - 1;

const product = tracked("bin", "commands", "daemon", "src", "web").filter((name) => /\.tsx?$/.test(name));

/** Files with a product function of more than 60 lines, which the linter allows only with a reason above it. May only shrink. */
const longFunctions: readonly string[] = [];
/** Product files with fewer than 20 lines. May only shrink; the goal is fewer than 40. */
const mostSmallFiles = 11;
describe("lengths", () => {
  it("lengths: a file of more than 400 lines says why it is one file", () => {
    const names = tracked("*.ts", "*.tsx", "*.js", "*.mjs");
    expect(names.length).toBeGreaterThan(1_000);
    const isLong = (name: string) => linesOf(name) > 400 && !readFileSync(join(root, name), "utf8").startsWith("// Over 400 lines: ");
    expect(names.filter(isLong)).toEqual([]);
  });

  it("lengths: functions of more than 60 lines are listed here", () => {
    const allowed = product.filter((name) => readFileSync(join(root, name), "utf8").includes("noExcessiveLinesPerFunction"));
    expect(allowed).toEqual(longFunctions);
  });

  it(`lengths: at most ${mostSmallFiles} product files have under 20 lines`, () => {
    const small = product.filter((name) => linesOf(name) < 20);
    expect(small.length, small.join("\n")).toBeLessThanOrEqual(mostSmallFiles);
  });
});
