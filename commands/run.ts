import { CommanderError } from "commander";
import { typable } from "../src/base/text/format.ts";
import { Problem } from "../src/contract/problem.ts";
import { type Command, flagsOf, kebab, type Typed } from "./command.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { calledAs, type Host } from "./host.ts";
import { WrongValue } from "./input/options.ts";
import { resolveIds, resolveMissingCamera } from "./input/resolve-ids.ts";
import type { Io } from "./io.ts";
import { openIo } from "./open-io.ts";
import { plainLines } from "./output/terminal-format.ts";
import { wrapping } from "./output/wrap.ts";
import { createProgram } from "./program.ts";
import { commandsOf } from "./registry.ts";

/** Runs a command line, prints its errors and resolves to the exit code. Never throws for errors of a command. */
export async function run(given: readonly string[], host: Host): Promise<number> {
  let args = given;
  // Called by shell completion with an unfinished command line, which no parser accepts
  if (args[0] === "__complete") {
    const { complete } = await import("./completion/complete.ts");
    host.stdout.write((await complete(args.slice(1), host)).map((candidate) => `${candidate}\n`).join(""));
    return exitCodes.ok;
  }
  if (args[0] === "help") {
    const { help } = await import("./help/help.ts");
    const shown = await help(args.slice(1), host);
    if (typeof shown === "number") return shown;
    args = shown;
  }
  let typed: Typed | undefined;
  const { commands, nouns } = await commandsOf(args);
  try {
    // The parser needs the others only for their help and for words that are no command
    const named = commands.filter(({ name }) => `${args.join(" ")} `.startsWith(`${name} `));
    createProgram(named.length > 0 ? named : commands, nouns, host, (what) => {
      typed = what;
    }).parse([...args], { from: "user" });
  } catch (error) {
    // Commander has already printed help, version or error
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    throw error;
  }
  if (typed === undefined) return exitCodes.usage;
  const { command } = typed;
  const list = commands.find(({ name }) => name === `${command.name.split(" ")[0]} list`);
  return await runCommand(typed, host, list);
}

async function runCommand(typed: Typed, host: Host, list: Command | undefined): Promise<number> {
  const { command, global } = typed;
  const io = openIo(host, global);
  let code: number;
  try {
    const input = read(typed, host);
    await checkFields(io, command, input as never);
    const running = runWithIds(command, input, io);
    code = command.endsOnSignal ? await running : await orInterrupted(running, host.signal);
  } catch (error) {
    code = report(error, io, await adviceOn(error, typed, io, list));
  }
  try {
    await io.close();
  } catch (error) {
    code = report(error, io, undefined);
  }
  return code === exitCodes.interrupted ? (bySignal[host.signal.reason as string] ?? code) : code;
}

/** Runs the command with whole ids in place of short ids and names. A camera that does not exist may be named by its name. */
async function runWithIds(command: Command, given: ReturnType<typeof read>, io: Io): Promise<number> {
  const takesIds = [...Object.values(command.arguments), ...Object.values(command.options)].some(({ idOf }) => idOf !== undefined);
  if (!takesIds) return await command.run(given as never, io);
  const input = await resolveIds(command, given, io);
  try {
    return await command.run(input as never, io);
  } catch (error) {
    const other = await resolveMissingCamera(error, command, input, io);
    if (other === undefined) throw error;
    return await command.run(other as never, io);
  }
}

/** Reads arguments and options. Throws `Problem("invalid")` naming every invalid value. */
function read({ command, arguments: texts, options, flags }: Typed, host: Host) {
  const now = host.clock.now();
  const wrong: string[] = [];
  const attempt = (name: string, given: string | undefined, take: () => unknown): unknown => {
    try {
      return take();
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      wrong.push(`${name} ${JSON.stringify(given)} must be ${error.message}`);
      return undefined;
    }
  };
  const values = {
    arguments: Object.fromEntries(
      Object.entries(command.arguments).map(([name, argument], at) => {
        if (argument.several)
          return [name, texts.slice(at).flatMap((text) => attempt(`<${kebab(name)}>`, text, () => argument.read(text)))];
        const text = texts[at] ?? "";
        if (argument.optional && texts[at] === undefined) return [name, undefined];
        return [name, attempt(`<${kebab(name)}>`, text, () => argument.read(text))];
      }),
    ),
    options: Object.fromEntries(
      Object.entries(command.options).map(([name, option]) => {
        const given = options[name];
        const known = { texts: Array.isArray(given) ? given : [], set: typeof given === "boolean" ? given : undefined, now };
        return [name, attempt(`--${flags[name] ?? flagsOf(name, option)[0]}`, known.texts.at(-1), () => option.read(known))];
      }),
    ),
  };
  const { start_date: start, end_date: end } = values.options as Readonly<Record<string, Date | string | undefined>>;
  if (start !== undefined && end !== undefined && start > end) {
    const [from = "since", to = "until"] = [flags["start_date"], flags["end_date"]];
    wrong.push(
      flags["start_date"] ? `--${from} is later than --${to}; swap them` : `--${to} is before the default of --${from}; give --${from} too`,
    );
  }
  if (wrong.length > 0) throw new Problem("invalid", wrong.join("; "));
  return values;
}

const bySignal: Readonly<Record<string, number>> = { SIGTERM: exitCodes.terminated, SIGHUP: exitCodes.hungUp };

/** The exit code of the command, or 130 as soon as the user interrupts it. */
async function orInterrupted(running: Promise<number>, signal: AbortSignal): Promise<number> {
  let interrupt = (): void => {};
  const interrupted = new Promise<number>((resolve) => {
    interrupt = () => resolve(exitCodes.interrupted);
  });
  if (signal.aborted) interrupt();
  signal.addEventListener("abort", interrupt);
  try {
    return await Promise.race([running, interrupted]);
  } finally {
    signal.removeEventListener("abort", interrupt);
  }
}

/** Checks --fields before the command runs. Throws `Problem("invalid")` for unknown fields, and for commands without records. */
async function checkFields({ output }: Io, command: Command, input: never): Promise<void> {
  if (output.fields === undefined) return;
  if (command.prints === undefined) throw new Problem("invalid", `homesec ${command.name} prints no records; remove --fields`);
  const { requireFields } = await import("./output/fields.ts");
  await requireFields(await command.prints(input), output.fields);
}

/** Prints an error. A `Problem` gets its advice; anything else is a bug and gets a hint at --debug. */
function report(error: unknown, io: Io, advice: string | undefined): number {
  const stderr = wrapping(io.host.stderr);
  const called = calledAs(io.host);
  const message = error instanceof Error ? error.message : String(error);
  // The message may quote a file name or come from an unknown server
  stderr.write(`homesec: ${plainLines(typable(message, called))}\n`);
  const known = error instanceof Problem;
  const hint = known ? advice : "This is a bug in homesec; --debug prints a stack trace.";
  if (hint !== undefined && !(io.global.debug && !known)) stderr.write(`${typable(hint, called)}\n`);
  if (io.global.debug) stderr.write(`${plainLines(stackOf(error))}\n`);
  return known ? exitCodeOf(error.kind) : exitCodes.failure;
}

/** Advice for problems whose message has none. `list` is the list command of the same group. */
async function adviceOn(error: unknown, typed: Typed, io: Io, list: Command | undefined): Promise<string | undefined> {
  if (!(error instanceof Problem)) return undefined;
  if (error.kind === "unauthorized") return "Set the API key in HOMESEC_API_KEY or give --api-key-file.";
  if (error.kind !== "not_found") return undefined;
  const { notFoundAdvice } = await import("./input/not-found-advice.ts");
  return await notFoundAdvice(error.message, typed, io, list?.name);
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return error.cause === undefined ? (error.stack ?? "") : `${error.stack}\ncaused by: ${stackOf(error.cause)}`;
}
