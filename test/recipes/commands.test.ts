import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import type { Typed } from "../../commands/command.ts";
import type { Host } from "../../commands/host.ts";
import { createProgram } from "../../commands/program.ts";
import { commandsFor, nouns } from "../../commands/registry.ts";
import { cronCommands, shellIn, simpleCommands, unitCommands } from "./shell.ts";

const root = join(import.meta.dirname, "../..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");

/** The arguments behind `homesec` in these commands, also inside a crontab or another shell. */
function afterHomesec(script: string): string[][] {
  return simpleCommands(script).flatMap((words) => {
    const starts = words.findIndex((word) => ["homesec", "./homesec", "hs"].includes(word) || word.endsWith("dist/bin/homesec.js"));
    const before = words.slice(0, Math.max(starts, 0));
    if (starts >= 0 && before.every((word) => /^(sudo|npx|node|.*\/node|\$\(command -v node\))$/.test(word)))
      return [words.slice(starts + 1)];
    // echo '0 7 * * * cd ... && homesec ...' | crontab -
    return words.flatMap((word) => (/homesec(\.js)? /.test(word) ? afterHomesec(cronCommands(word) || "") : []));
  });
}

/** The usage error of a command line, or undefined. With `whole`, missing arguments are errors too. */
async function fault(args: readonly string[], whole: boolean): Promise<string | undefined> {
  if (args[0] === "help") return undefined;
  const silent = { write: () => {} };
  const host = { version: "1.2.3", stdout: silent, stderr: silent, env: {} } as unknown as Host;
  let typed: Typed | undefined;
  try {
    createProgram(await commandsFor(args), nouns, host, (what) => {
      typed = what;
    }).parse([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const partial = ["commander.help", "commander.missingArgument", "commander.optionMissingArgument"].includes(error.code);
    return error.exitCode === 0 || (partial && !whole) ? undefined : error.message;
  }
  if (typed === undefined) return whole ? "no command" : undefined;
  const { command, arguments: given, options } = typed;
  try {
    for (const [at, argument] of Object.values(command.arguments).entries()) {
      const text = given[at];
      if (text !== undefined) argument.read(text);
    }
    for (const [name, option] of Object.entries(command.options)) {
      const value = options[name];
      const set = typeof value === "boolean" ? value : undefined;
      option.read({ texts: Array.isArray(value) ? value : [], set, now: new Date() });
    }
  } catch (error) {
    return `must be ${(error as Error).message}`;
  }
  return undefined;
}

async function faults(found: readonly string[][], whole: boolean): Promise<string[]> {
  const told: string[] = [];
  for (const args of found) {
    const why = await fault(args, whole);
    if (why !== undefined) told.push(`homesec ${args.join(" ")}: ${why}`);
  }
  return told;
}

/** Removes placeholders. */
const filledIn = (code: string): string => code.replace(/\[[\w -]+\]|<[\w-]+>|\bN\b/g, "");

const pages = [
  "README.md",
  ...["docs", "docs/decisions"].flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)),
];

describe("commands in the documentation", () => {
  it.each(pages.filter((name) => name.endsWith(".md")))("documented commands: are valid in %s", async (name) => {
    const { blocks, named } = shellIn(read(name));
    expect(await faults(blocks.flatMap(afterHomesec), true)).toEqual([]);
    expect(await faults(named.map(filledIn).flatMap(afterHomesec), false)).toEqual([]);
  });

  it("documented commands: are valid in messages of the program", async () => {
    const sources = ["src", "commands", "daemon", "mail-templates"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
    );
    const said = sources
      .filter((name) => /\.(ts|tsx|njk|html|txt)$/.test(name))
      .flatMap((name) =>
        [
          ...read(name)
            .replace(/^\s*(\/\/|\*).*$/gm, "")
            .matchAll(/\\?`((?:\.\/)?homesec [a-z][^`$\\]*)\\?`/g),
        ].map(([, code = ""]) => code),
      );
    expect(said.length).toBeGreaterThan(40);
    expect(await faults(said.map(filledIn).flatMap(afterHomesec), false)).toEqual([]);
  });

  it("documented commands: are found by this test", async () => {
    const typed = (name: string): number => shellIn(read(name)).blocks.flatMap(afterHomesec).length;
    expect(typed("README.md")).toBeGreaterThan(10);
    for (const page of ["install", "cameras", "exports", "backup"]) expect(typed(`docs/${page}.md`), page).toBeGreaterThan(2);
    expect(typed("docs/cli.md")).toBeGreaterThan(150);
    expect(await faults(afterHomesec("hs db restor x"), true)).not.toEqual([]);
    expect(await faults(afterHomesec("homesec rules add --nmae x"), true)).not.toEqual([]);
    expect(await faults(afterHomesec("sudo ./homesec silence add --all --for soon"), true)).not.toEqual([]);
    expect(
      afterHomesec(`(crontab -l; echo "0 7 * * * cd x && homesec events export --to \\$(date +\\%F).csv >> log 2>&1") | crontab -`),
    ).toEqual([["events", "export", "--to", "$(date +%F).csv"]]);
  });

  it("documented commands: are valid in the systemd unit", async () => {
    const found = afterHomesec(unitCommands(read("packaging/homesec.service")));
    expect(found).toEqual([["serve"]]);
    expect(await faults(found, true)).toEqual([]);
  });
});
