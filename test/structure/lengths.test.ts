import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

it("a file of more than 400 lines says why it is one file", () => {
  const names = execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.js", "*.mjs"], { cwd: root, encoding: "utf8" }).trim().split("\n");
  expect(names.length).toBeGreaterThan(1_000);
  const unexplained = names.filter((name) => {
    const text = readFileSync(join(root, name), "utf8");
    return text.split("\n").length > 401 && !text.startsWith("// Over 400 lines: ");
  });
  expect(unexplained).toEqual([]);
});
