import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { type Command, flagsOf, type Typed } from "../../commands/command.ts";
import { topics } from "../../commands/help/topics.ts";
import type { Host } from "../../commands/host.ts";
import { requireFields } from "../../commands/output/fields.ts";
import { createProgram, globalOptions } from "../../commands/program.ts";
import { allCommands, commandsFor, nouns } from "../../commands/registry.ts";
import { systemClock } from "../../src/base/clock/clock.ts";
import { homesecCalls } from "./every/shell.ts";

/* Checks that each command in help, pages and messages exists, with its options and values. */

const root = join(import.meta.dirname, "../..");
const commands = await allCommands();
const paths = new Set(["", "help", ...nouns.map(({ name }) => name), ...commands.map(({ name }) => name)]);
for (const { name, groups = [] } of nouns) for (const group of groups) paths.add(`${name} ${group.name}`);

/** Parses a command line as the program does, including its values, without running it. Throws the error that the user would see. */
async function typed(args: readonly string[]): Promise<void> {
  if (args[0] === "help") return expectPath(args.slice(1));
  let said = "";
  const silent = { write: () => true };
  const host: Host = {
    ...{ env: {}, cwd: "/", home: "/", isRoot: false, version: "1.2.3", clock: systemClock, stdin: Readable.from([]), stdout: silent },
    stderr: {
      write: (text) => {
        said += text;
      },
    },
    ...{ signal: new AbortController().signal, leave: () => {}, daemon: { serve: async () => 0, demo: async () => 0 } },
  };
  let found: Typed | undefined;
  try {
    createProgram(await commandsFor(args), nouns, host, (what) => {
      found = what;
    }).parse([...args], { from: "user" });
  } catch (cause) {
    if ((cause as { exitCode?: number }).exitCode === 0) return;
    throw new Error(`homesec ${args.join(" ")}: ${said}`, { cause });
  }
  if (!found) throw new Error(`homesec ${args.join(" ")} runs no command`);
  await read(found);
}

async function read({ command, arguments: texts, options, global }: Typed): Promise<void> {
  for (const [at, argument] of Object.values(command.arguments).entries()) if (texts[at] !== undefined) argument.read(texts[at]);
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(command.options)) {
    const given = options[name];
    const known = { texts: Array.isArray(given) ? given : [], set: typeof given === "boolean" ? given : undefined, now: new Date() };
    values[name] = option.read(known);
  }
  if (global.fields === undefined) return;
  const shown = await command.prints?.({ arguments: {}, options: values } as never);
  await requireFields(shown ?? { plural: "no records", fields: () => [] }, global.fields.split(","));
}

function expectPath(words: readonly string[]): void {
  const path = words.join(" ");
  expect(paths.has(path) || topics.some(({ name }) => name === path), `homesec help ${path}`).toBe(true);
}

describe("examples of help", () => {
  const own = commands.flatMap(({ name, examples }) => examples.map(({ command }) => [command, name] as const));
  it.each(own)("examples of help: %s", async (line, name) => {
    const calls = homesecCalls(line);
    expect(calls).not.toEqual([]);
    for (const args of calls) await typed(args);
    // each example shows the command it belongs to
    expect(calls.map((args) => commandOf(args)?.name)).toContain(name);
  });

  it.each(topics.map((topic) => [topic.name, topic] as const))("examples of help: the topic %s has valid ones", async (_, topic) => {
    const lines = topic
      .text()
      .split("\n")
      .filter((line) => /^ {2}\S/.test(line) && homesecCalls(line).length > 0);
    expect(lines).not.toEqual([]);
    for (const line of lines) for (const args of homesecCalls(line)) await typed(args);
  });
});

/** The command that these words begin with, after any options. */
function commandOf(args: readonly string[]): Command | undefined {
  const globals = new Set(globalOptions.filter(({ required }) => required).flatMap(({ short, long }) => [short ?? [], long ?? []].flat()));
  const words = args.filter((word, at) => !word.startsWith("-") && !globals.has(args[at - 1] ?? ""));
  return [3, 2, 1].map((length) => commands.find(({ name }) => name === words.slice(0, length).join(" "))).find((found) => found);
}

/** The files in these folders with this ending. */
async function files(folders: readonly string[], ending: RegExp): Promise<readonly string[]> {
  const found = folders.map(async (folder) => (await readdir(join(root, folder), { recursive: true })).map((file) => join(folder, file)));
  return (await Promise.all(found)).flat().filter((file) => ending.test(file));
}

describe("examples in the docs", async () => {
  const pages = ["README.md", ...(await files(["docs"], /\.md$/))].filter((page) => page !== "docs/cli.md");
  const blocks = await Promise.all(pages.map(async (page) => [page, blocksOf(await readFile(join(root, page), "utf8"))] as const));
  it.each(blocks.filter(([, lines]) => lines.some((line) => homesecCalls(line).length > 0)))(
    "examples in the docs: %s",
    async (_, lines) => {
      for (const line of lines) for (const args of homesecCalls(line)) await typed(args);
    },
  );
});

/** The command lines in the shell blocks of a page. */
function blocksOf(page: string): readonly string[] {
  return [...page.matchAll(/^ *```(?:sh|bash|shell|console)\n(.*?)^ *```/gms)].flatMap(([, block = ""]) =>
    block
      .replaceAll("\\\n", " ")
      .split("\n")
      .map((line) => line.replace(/^\s*\$ /, "")),
  );
}

describe("commands in messages", async () => {
  const pages = ["README.md", ...(await files(["docs"], /\.md$/))];
  const sources = await files(["src", "commands", "daemon", "mail-templates"], /\.(tsx?|html|txt)$/);

  it("commands in messages: those in backticks exist, with the words and options they use", async () => {
    const wrong: string[] = [];
    for (const file of [...pages, ...sources]) {
      const isPage = pages.includes(file);
      for (const line of (await readFile(join(root, file), "utf8")).split("\n")) {
        if (!isPage && /^\s*(\/\/|\/?\*)/.test(line)) continue;
        // in source texts the backticks are escaped unless the text uses other quotes
        const marked = isPage ? /`homesec ([^`]+)`/g : /\\`homesec ([^`]+?)\\`|`homesec ([^`$"]+)`(?=[^`]*")/g;
        for (const [, escaped, plain] of line.matchAll(marked)) {
          const call = (escaped ?? plain ?? "").replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, "X");
          const fault = faultIn(homesecCalls(`homesec ${call.replaceAll(/[<>[\]]/g, "")}`)[0] ?? []);
          if (fault) wrong.push(`${file}: homesec ${call}: ${fault}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it("commands in messages: those that begin a suggested fix exist, with the options they use", async () => {
    const wrong: string[] = [];
    for (const file of sources.filter((each) => each.startsWith("src/admin/doctor/"))) {
      for (const [, text = ""] of (await readFile(join(root, file), "utf8")).matchAll(/["`](?:[^"`\n]*\W)?(homesec [a-z][^"`\n]*)["`]/g)) {
        for (const [, clause = ""] of text.matchAll(/homesec ((?:(?!homesec)[^;,.(])+)/g)) {
          const words = clause
            .replaceAll(/\$\{[^}]*\}/g, "X")
            .trim()
            .split(/\s+/);
          const options = words.filter((word) => word.startsWith("--"));
          const command = commandOf(words);
          if (command && faultIn([...command.name.split(" "), ...options], false)) wrong.push(`${file}: homesec ${clause}`);
          if (!command && nouns.some(({ name }) => name === words[0])) wrong.push(`${file}: homesec ${clause}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});

/** The error in the words after `homesec`; undefined when they begin with a command. `X` may stand for any word. */
function faultIn(given: readonly string[], counts = true): string | undefined {
  const words = given.filter((word) => word !== "...");
  if (words[0] === undefined || /^X+$/.test(words[0]) || words[0] === "command") return undefined;
  if (words[0] === "help")
    return paths.has(words.slice(1).join(" ")) || words[1] === "X" || topics.some(({ name }) => name === words[1]) ? undefined : "no topic";
  const command = commandOf(words);
  if (!command) {
    const named = words.filter((word) => !word.startsWith("-"));
    return named.length === 0 || paths.has(named.join(" ")) ? undefined : "there is no such command";
  }
  const takesValue = new Map<string, boolean>([["--help", false]]);
  for (const { short, long, required } of globalOptions) for (const flag of [short, long]) if (flag) takesValue.set(flag, required);
  for (const [name, option] of Object.entries(command.options)) {
    const { short, placeholder, negatable } = option;
    const [flag] = flagsOf(name, option);
    takesValue.set(`--${flag}`, placeholder !== undefined);
    if (short) takesValue.set(`-${short}`, placeholder !== undefined);
    if (negatable) takesValue.set(`--no-${flag}`, false);
  }
  const positionals: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const [flag = "", value] = (words[at] ?? "").split("=");
    if (!/^--?[a-z]/.test(flag)) positionals.push(flag);
    else if (!takesValue.has(flag)) return `there is no ${flag}`;
    else if (takesValue.get(flag) && value === undefined) at += 1;
  }
  const most = command.name.split(" ").length + Object.keys(command.arguments).length;
  return counts && positionals.length > most && !positionals.includes("options")
    ? `it takes no ${positionals.slice(most).join(" ")}`
    : undefined;
}
