import { type Command, kebab } from "../command.ts";
import type { Host } from "../host.ts";
import type { Option } from "../input/options.ts";
import { globalOptions } from "../program.ts";
import { commandsFor, nouns } from "../registry.ts";
import { idsOf, kindOfId } from "./ids.ts";

/** What can stand at the last word, which may be empty or begun. Never throws: a shell that completes shows no errors. */
export async function complete(words: readonly string[], host: Host): Promise<string[]> {
  const current = words.at(-1) ?? "";
  const candidates = await candidatesFor(words.slice(0, -1), current, host).catch(() => []);
  return [...new Set(candidates)].filter((candidate) => candidate.startsWith(current));
}

async function candidatesFor(before: readonly string[], current: string, host: Host): Promise<readonly string[]> {
  const commands = (await commandsFor(before)).filter(({ hidden }) => !hidden);
  const { command, path, positional, pending } = walk(before, commands);
  if (pending) return pending.choices ?? (pending.name === undefined ? [] : await ids(pending.name, before, host));
  if (current.startsWith("-")) return flagsOf(command);
  if (command) {
    const [name, argument] = Object.entries(command.arguments)[positional] ?? [];
    if (name === undefined) return [];
    return argument?.choices ?? (await ids(name, before, host));
  }
  return nextWords(path, commands);
}

interface Pending {
  readonly name: string | undefined;
  readonly choices: readonly string[] | undefined;
}

/** Which command the words lead to, and what the next word would be: a value of an option, or which argument it would be. */
function walk(words: readonly string[], commands: readonly Command[]) {
  let path: string[] = [];
  let command: Command | undefined;
  let positional = 0;
  let pending: Pending | undefined;
  for (const word of words) {
    if (pending) pending = undefined;
    else if (word.startsWith("-")) pending = word.includes("=") ? undefined : pendingOf(word, command);
    else if (command) positional += 1;
    else {
      path = [...path, word];
      command = commands.find(({ name }) => name === path.join(" "));
    }
  }
  return { command, path, positional, pending };
}

function pendingOf(word: string, command: Command | undefined): Pending | undefined {
  const own = Object.entries(command?.options ?? {}).find(([name, option]) => word === `--${kebab(name)}` || word === `-${option.short}`);
  if (own) {
    const [name, { placeholder, choices }]: [string, Option<unknown>] = own;
    return placeholder === undefined ? undefined : { name, choices };
  }
  const global = globalOptions.find(({ short, long }) => word === short || word === long);
  return global?.required ? { name: undefined, choices: global.argChoices } : undefined;
}

function flagsOf(command: Command | undefined): string[] {
  const own = Object.entries(command?.options ?? {}).flatMap(([name, { negatable }]) =>
    negatable ? [`--${kebab(name)}`, `--no-${kebab(name)}`] : [`--${kebab(name)}`],
  );
  return [...own, ...globalOptions.flatMap(({ long }) => long ?? []), "--help"];
}

/** The words that can follow: nouns and plain commands, then groups and verbs. */
function nextWords(path: readonly string[], commands: readonly Command[]): string[] {
  const names = [...nouns.map(({ name }) => name), "help", ...commands.map(({ name }) => name)];
  const begun = path.join(" ");
  const fitting = path.length === 0 ? names : names.filter((name) => name.startsWith(`${begun} `));
  return fitting.flatMap((name) => name.split(" ")[path.length] ?? []);
}

async function ids(name: string, before: readonly string[], host: Host): Promise<readonly string[]> {
  const kind = kindOfId(name);
  return kind === undefined ? [] : await idsOf(kind, before, host);
}
