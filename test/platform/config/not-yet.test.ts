import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { configKey } from "../../../src/platform/config/config.ts";
import { notYet } from "../../../src/platform/config/not-yet.ts";
import { parseConfig } from "../../../src/platform/config/parse.ts";

const root = join(import.meta.dirname, "../../..");

it("what is set and not acted on yet is a warning", () => {
  const parse = (env: Record<string, string>) => parseConfig({ env, isRoot: false, home: "/home/ada", cwd: "/srv" }).warnings;
  expect(parse({})).toEqual([]);
  const names = [...notYet];
  const name = names[0];
  if (name !== undefined) expect(parse({ [name]: "1" }).join("\n")).toContain(`nothing acts on ${name} in this version yet`);
});

it("what the program uses is not called unused", () => {
  const files = ["bin", "commands", "daemon", "src"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const text = files
    .filter((name) => name.endsWith(".ts") && !name.startsWith(join("src", "config")))
    .map((name) => readFileSync(join(root, name), "utf8"))
    .join("\n");
  expect([...notYet].filter((name) => new RegExp(`\\b${configKey(name)}\\b`).test(text))).toEqual([]);
});
