import { Command as Parser, Option as ParserOption } from "commander";
import { type Command, camel, type Example, kebab, type Noun, placeholder, type Typed } from "./command.ts";
import type { Host } from "./host.ts";
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
  const program = configured(new Parser("homesec"), host)
    .description("Home security monitoring for cameras that upload pictures: detection, risk scores, alerts and search.")
    .version(host.version, "-V, --version", "Print the version")
    .helpCommand(false)
    .addHelpText("before", `${examplesText(firstSteps)}\n`)
    .addHelpText("after", topicsText);
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
    if (examples.length > 0) parents.get(words.join(" "))?.addHelpText("before", `${examplesText(examples.slice(0, 3))}\n`);
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
    .addHelpText("before", `${opening(command)}\n`);
  for (const [name, argument] of Object.entries(command.arguments)) parser.argument(placeholder(name, argument), argument.description);
  for (const [name, option] of Object.entries(command.options)) {
    for (const each of parserOptions(name, option)) parser.addOption(each);
  }
  parser.action((...given: unknown[]) => {
    const texts = given.slice(0, Object.keys(command.arguments).length) as string[];
    const typed = parser.opts();
    // Commander names options in camel case
    const options = Object.fromEntries(Object.keys(command.options).map((name) => [name, typed[camel(name)]]));
    onCommand({ command, arguments: texts, options });
  });
}

/** The text above the usage: description and examples. */
function opening(command: Command): string {
  return `${command.description ?? `${command.summary}.`}\n\n${examplesText(command.examples)}`;
}

function examplesText(examples: readonly Example[]): string {
  return ["Examples:", ...examples.map(({ command, note }) => `  ${command}\n      ${note}`)].join("\n");
}

function parserOptions(name: string, option: Option<unknown>): ParserOption[] {
  const long = `--${kebab(name)}`;
  if (option.placeholder === undefined) {
    const positive = new ParserOption(long, option.description);
    return option.negatable ? [positive, new ParserOption(`--no-${kebab(name)}`, "The opposite").hideHelp()] : [positive];
  }
  const notes = [option.choices && `choices: ${option.choices.join(", ")}`, option.fallback && `default: ${option.fallback}`];
  const known = notes.filter((note) => note !== undefined);
  const description = known.length === 0 ? option.description : `${option.description} (${known.join("; ")})`;
  const collect = (text: string, before: string[] | undefined): string[] => [...(before ?? []), text];
  return [new ParserOption(`${option.short ? `-${option.short}, ` : ""}${long} <${option.placeholder}>`, description).argParser(collect)];
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
  if (swapped !== undefined) return `${reworded.split("\n")[0]}\n(Did you mean homesec ${swapped}?)\n`;
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
