import { type Command, flagsOf } from "../command.ts";
import { topics } from "../help/topics.ts";
import type { Host } from "../host.ts";
import type { Option } from "../input/options.ts";
import { shortIds } from "../output/short-ids.ts";
import { globalOptions } from "../program.ts";
import { type CommandSet, commandsOf } from "../registry.ts";
import { idsOf, kindOfId } from "./ids.ts";

/** Completes the last word, which may be empty. Never throws, since completion cannot show errors. */
export async function complete(words: readonly string[], host: Host): Promise<string[]> {
  const { before, current, prefix } = splitWords(words);
  const candidates = [...new Set(await candidatesFor(before, current, host).catch(() => []))];
  const begun = current.slice(prefix.length);
  const short = shortIds(candidates);
  // A longer beginning completes to the whole id
  const texts = candidates.map((candidate, at) => (begun.length > (short[at]?.length ?? 0) ? candidate : (short[at] ?? candidate)));
  return texts.filter((text) => text.startsWith(begun)).map((text) => prefix + text);
}

/**
 * The words before the cursor, and the prefix of the current word that stays. bash splits `--status=on` into three words and
 * replaces the last one; other shells replace all of it.
 */
function splitWords(words: readonly string[]): { readonly before: readonly string[]; readonly current: string; readonly prefix: string } {
  const last = words.at(-1) ?? "";
  const before = words.slice(0, -1).filter((word) => word !== "=");
  if (last === "=") return { before, current: "", prefix: "" };
  const [, flag, value] = /^(--[a-z-]+=)(.*)$/s.exec(last) ?? [];
  if (flag === undefined || value === undefined) return { before, current: last, prefix: listPrefix(last) };
  return { before: [...before, flag.slice(0, -1)], current: last, prefix: flag + listPrefix(value) };
}

/** The values of a comma-separated list before the one at the cursor. */
function listPrefix(value: string): string {
  return value.startsWith("-") ? "" : value.slice(0, value.lastIndexOf(",") + 1);
}

async function candidatesFor(before: readonly string[], current: string, host: Host): Promise<readonly string[]> {
  const all = await commandsOf(before);
  const commands = all.commands.filter(({ hidden }) => !hidden);
  const known = { commands, nouns: all.nouns };
  if (before[0] === "help") return [...nextWords(before.slice(1), known), ...(before.length === 1 ? topics.map(({ name }) => name) : [])];
  const { command, path, positionals, pending } = walk(before, commands);
  if (pending) return await valuesOf(pending, command, current, before, host);
  if (current.startsWith("-")) return allFlags(command);
  if (command) {
    const [name, argument] = Object.entries(command.arguments)[positionals.length] ?? [];
    // Only options accept comma-separated values
    if (name === undefined || current.includes(",")) return [];
    return argument?.choices ?? (await ids(name, command, positionals, before, host));
  }
  return nextWords(path, known);
}

interface Pending {
  readonly name: string | undefined;
  readonly choices: readonly string[] | undefined;
  readonly several: boolean;
}

/** The values of an option, without those already in its list. */
async function valuesOf(pending: Pending, command: Command | undefined, current: string, before: readonly string[], host: Host) {
  const values = pending.choices ?? (pending.name === undefined ? [] : await namedValues(pending.name, command, before, host));
  const given = new Set(
    current
      .replace(/^--[a-z-]+=/, "")
      .split(",")
      .slice(0, -1),
  );
  if (given.size > 0 && !pending.several) return [];
  return values.filter((value) => !given.has(value));
}

async function namedValues(name: string, command: Command | undefined, before: readonly string[], host: Host) {
  if (name !== "fields") return await ids(name, command, [], before, host);
  const nothing = { arguments: {}, options: {} };
  return (await (await command?.prints?.(nothing as never))?.fields()) ?? [];
}

/** Finds the command of the words, its arguments before the cursor, and the option whose value comes next. */
function walk(words: readonly string[], commands: readonly Command[]) {
  let path: string[] = [];
  let command: Command | undefined;
  const positionals: string[] = [];
  let pending: Pending | undefined;
  for (const word of words) {
    if (pending) pending = undefined;
    else if (word.startsWith("-")) pending = word.includes("=") ? undefined : pendingOf(word, command);
    else if (command) positionals.push(word);
    else {
      path = [...path, word];
      command = commands.find(({ name }) => name === path.join(" "));
    }
  }
  return { command, path, positionals, pending };
}

function pendingOf(word: string, command: Command | undefined): Pending | undefined {
  const own = Object.entries(command?.options ?? {}).find(
    ([name, option]) => flagsOf(name, option).some((flag) => word === `--${flag}`) || word === `-${option.short}`,
  );
  if (own) {
    const [name, { placeholder, choices, repeatable = false }]: [string, Option<unknown>] = own;
    return placeholder === undefined ? undefined : { name, choices, several: repeatable };
  }
  const global = globalOptions.find(({ short, long }) => word === short || word === long);
  if (!global?.required) return undefined;
  return { name: global.long?.slice(2), choices: global.argChoices, several: global.long === "--fields" };
}

function allFlags(command: Command | undefined): string[] {
  const own = Object.entries(command?.options ?? {}).flatMap(([name, option]) => {
    const [flag] = flagsOf(name, option);
    return option.negatable ? [`--${flag}`, `--no-${flag}`] : [`--${flag}`];
  });
  return [...own, ...globalOptions.flatMap(({ long }) => long ?? []), "--help"];
}

/** The possible next words: nouns and plain commands, then groups and verbs. */
function nextWords(path: readonly string[], { commands, nouns }: CommandSet): string[] {
  const names = [...nouns.map(({ name }) => name), "help", ...commands.map(({ name }) => name)];
  const begun = path.join(" ");
  const fitting = path.length === 0 ? names : names.filter((name) => name.startsWith(`${begun} `));
  return fitting.flatMap((name) => name.split(" ")[path.length] ?? []);
}

async function ids(
  name: string,
  command: Command | undefined,
  positionals: readonly string[],
  before: readonly string[],
  host: Host,
): Promise<readonly string[]> {
  const kind = command && kindOfId(name, command, positionals);
  return kind === undefined ? [] : await idsOf(kind, before, host);
}
