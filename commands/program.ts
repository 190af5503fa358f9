import { Command as Parser, Option as ParserOption } from "commander";
import { typable } from "../src/base/text/format.ts";
import { type Command, camel, type Example, flagsOf, type Noun, placeholder, type Typed } from "./command.ts";
import { calledAs, type Host } from "./host.ts";
import type { Option } from "./input/options.ts";
import { suggestion } from "./input/suggest.ts";
import type { GlobalOptions } from "./io.ts";
import { outputFormats } from "./output/view.ts";

const topicsText = `
More help:
  homesec help <command>      Help for a command, such as homesec help events list
  homesec help exit-codes     Exit codes for scripts
  homesec help environment    Environment variables of commands
  homesec help formatting     Output formats, fields, times and durations`;

const firstSteps: readonly Example[] = [
  { command: "homesec demo", note: "try it with a demo camera" },
  { command: "homesec serve", note: "run the daemon" },
  { command: "homesec setup", note: "set up camera, alerts and rule, step by step" },
  { command: "homesec live", note: "watch cameras, events and alerts" },
];

/** The options of every command. */
export const globalOptions: readonly ParserOption[] = [
  new ParserOption("-o, --output <format>", "Output format").choices(outputFormats).default("table"),
  new ParserOption("--fields <names>", "Print only these fields, such as id,status"),
  new ParserOption("--url <address>", "Address of the daemon, or HOMESEC_URL"),
  new ParserOption("--api-key-file <file>", "File with the API key, or HOMESEC_API_KEY; - for stdin"),
  new ParserOption("--ca-file <file>", "Trusted TLS certificates, or HOMESEC_CA_FILE"),
  new ParserOption("--direct", "Use the database directly instead of the daemon"),
  new ParserOption("--config <file>", "Configuration file"),
  new ParserOption("--data-dir <folder>", "Data folder (default DATA_DIR)"),
  new ParserOption("--no-color", "Disable colours, or set NO_COLOR"),
  new ParserOption("-q, --quiet", "Print only results and errors"),
  new ParserOption("--debug", "Print stack traces and debug messages"),
];

/** Creates the command-line parser. Calls `onCommand` with the parsed command; usage errors, help and version throw commander's error. */
export function createProgram(commands: readonly Command[], nouns: readonly Noun[], host: Host, onCommand: (typed: Typed) => void): Parser {
  const called = calledAs(host);
  const program = configured(new Parser(called), host)
    .description("Home security monitoring for cameras that upload pictures: detection, risk scores, alerts and search.")
    .version(host.version, "-V, --version", "Print the version")
    .helpCommand(false)
    .addHelpText("before", `${examplesText(firstSteps, called)}\n`)
    .addHelpText("beforeAll", refuseUnknownCommand)
    .addHelpText("after", typable(topicsText, called));
  for (const option of globalOptions) program.addOption(option);

  const parents = new Map<string, Parser>([["", program]]);
  const add = (command: Command): void => {
    const words = command.name.split(" ");
    const verb = words.pop() ?? "";
    const parent = parents.get(words.join(" "));
    if (!parent) throw new Error(`no group for the command ${command.name}`);
    addCommand(parent, verb, command, host, (typed) => onCommand({ ...typed, global: program.opts<GlobalOptions>() }));
  };
  for (const command of commands.filter(({ name }) => !name.includes(" "))) add(command);
  const addNoun = (words: readonly string[], summary: string): void => {
    const parent = parents.get(words.slice(0, -1).join(" ")) ?? program;
    parents.set(
      words.join(" "),
      configured(parent.command(words.at(-1) ?? ""), host)
        .summary(summary)
        .description(summary)
        .helpCommand(false),
    );
    const examples = commands.filter(({ name }) => name.startsWith(`${words.join(" ")} `)).flatMap(({ examples: own }) => own.slice(0, 1));
    if (examples.length > 0) parents.get(words.join(" "))?.addHelpText("before", `${examplesText(examples.slice(0, 3), called)}\n`);
  };
  for (const { name, summary, groups = [] } of nouns) {
    addNoun([name], summary);
    for (const group of groups) addNoun([name, group.name], group.summary);
  }
  for (const command of commands.filter(({ name }) => name.includes(" "))) add(command);
  return program;
}

function addCommand(parent: Parser, verb: string, command: Command, host: Host, onCommand: (typed: Omit<Typed, "global">) => void): void {
  const parser = configured(parent.command(verb, { hidden: command.hidden }), host)
    .summary(command.summary)
    .addHelpText("before", `${opening(command, calledAs(host))}\n`);
  for (const [name, argument] of Object.entries(command.arguments)) parser.argument(placeholder(name, argument), argument.description);
  for (const [name, option] of Object.entries(command.options)) {
    for (const each of parserOptions(name, option)) parser.addOption(each);
  }
  parser.action((...given: unknown[]) => {
    const texts = given.slice(0, Object.keys(command.arguments).length).flat() as string[];
    onCommand({ command, arguments: texts, ...typedOptions(command, parser) });
  });
}

/** The given options by their names in the command. Fails if one is given by both of its flags. */
function typedOptions(command: Command, parser: Parser): Pick<Typed, "options" | "flags"> {
  const given = parser.opts<Record<string, string[] | boolean | undefined>>();
  const options: Record<string, string[] | boolean | undefined> = {};
  const flags: Record<string, string> = {};
  for (const [name, option] of Object.entries(command.options)) {
    // Commander names options in camel case
    const used = flagsOf(name, option).filter((flag) => given[camel(flag.replaceAll("-", "_"))] !== undefined);
    const [flag, other] = used;
    if (other !== undefined) parser.error(`error: --${flag} and --${other} mean the same; give only one`);
    if (flag === undefined) continue;
    options[name] = given[camel(flag.replaceAll("-", "_"))];
    flags[name] = flag;
  }
  return { options, flags };
}

/** The text above the usage: description and examples. */
function opening(command: Command, called: string): string {
  return `${typable(command.description ?? `${command.summary}.`, called)}\n\n${examplesText(command.examples, called)}`;
}

function examplesText(examples: readonly Example[], called: string): string {
  return typable(["Examples:", ...examples.map(({ command, note }) => `  ${command}\n      ${note}`)].join("\n"), called);
}

/** Commander prints the help of a group for `events bulk --help`, as if `bulk` were not there. Throws commander's error instead. */
function refuseUnknownCommand({ command, error }: { readonly command: Parser; readonly error: boolean }): string {
  const [word] = command.args.filter((arg) => arg !== "--help" && arg !== "-h");
  const isUnknown = !error && command.commands.length > 0 && word !== undefined && !word.startsWith("-");
  return isUnknown ? command.error(`error: unknown command '${word}'`) : "";
}

function parserOptions(name: string, option: Option<unknown>): ParserOption[] {
  const [flag, ...others] = flagsOf(name, option);
  const long = `--${flag}`;
  if (option.placeholder === undefined) {
    const positive = new ParserOption(long, option.description);
    return option.negatable ? [positive, new ParserOption(`--no-${flag}`, "The opposite").hideHelp()] : [positive];
  }
  const notes = [option.choices && `choices: ${option.choices.join(", ")}`, option.fallback && `default: ${option.fallback}`];
  const known = notes.filter((note) => note !== undefined);
  const description = known.length === 0 ? option.description : `${option.description} (${known.join("; ")})`;
  const collect = (text: string, before: string[] | undefined): string[] => [...(before ?? []), text];
  return [
    new ParserOption(`${option.short ? `-${option.short}, ` : ""}${long} <${option.placeholder}>`, description).argParser(collect),
    ...others.map((other) => new ParserOption(`--${other} <${option.placeholder}>`, description).argParser(collect).hideHelp()),
  ];
}

function configured(parser: Parser, { stdout, stderr }: Host): Parser {
  return parser
    .exitOverride()
    .showSuggestionAfterError(true)
    .helpOption("-h, --help", "Print this help")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns || 100,
      getErrHelpWidth: () => stderr.columns || 100,
      outputError: (text, write) => write(`${withHint(text, parser)}\`${pathOf(parser)} --help\` shows the usage.\n`),
    });
}

/** Rewords commander's error and adds a suggestion where commander has none. */
function withHint(text: string, parser: Parser): string {
  const reworded = text.replace(/^error: /, "homesec: ");
  const [, command] = /^error: unknown command '(.*)'/.exec(text) ?? [];
  const next = parser.args[1] ?? "";
  // Swapped words: `homesec list cameras`
  const swapped =
    parser.parent === null && command !== undefined && parser.commands.some((each) => each.name() === next)
      ? `${next} ${command}`
      : undefined;
  if (swapped !== undefined) return `${reworded.split("\n")[0]}\n(Did you mean ${pathOf(parser)} ${swapped}?)\n`;
  if (reworded.includes("(Did you mean")) return reworded;
  if (command !== undefined) {
    const guess = suggestion(
      command,
      parser.commands.map((each) => each.name()),
    );
    return guess === undefined ? reworded : `${reworded}(Did you mean ${guess}?)\n`;
  }
  const [, option] = /^error: unknown option '--([a-z-]+)/.exec(text) ?? [];
  const other =
    option &&
    suggestion(
      option,
      parser.options.flatMap(({ long }) => long?.slice(2) ?? []),
    );
  if (other) return `${reworded}(Did you mean --${other}?)\n`;
  const isWord = /unknown option '-[^-]/.test(text) && parser.registeredArguments.length > 0;
  return isWord ? `${reworded}(Put a value that begins with - after --.)\n` : reworded;
}

/** The full command, such as `homesec cameras list`. */
function pathOf(parser: Parser): string {
  return parser.parent ? `${pathOf(parser.parent)} ${parser.name()}` : parser.name();
}
