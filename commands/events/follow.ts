import { resolve } from "node:path";
import type { GapMessage, JournalMessage as Message } from "../../src/contract/live.ts";
import { Problem } from "../../src/contract/problem.ts";
import { nearest } from "../../src/platform/config/nearest.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Given, integer, text, WrongValue } from "../input/options.ts";
import type { Io } from "../io.ts";
import { cellOf, chosen } from "../output/fields.ts";
import { plain } from "../output/terminal-format.ts";
import type { Shown } from "../output/view.ts";
import { tailLine } from "./tail-line.ts";

/** What to follow, and from where. */
export interface FollowOptions {
  readonly since: number | undefined;
  readonly types: readonly string[] | undefined;
  /** A file that stores the last printed sequence between runs. */
  readonly state: string | undefined;
}

/** The fields printed for each message. */
export const messageShown: Shown = { plural: "messages", fields: () => ["type", "data", "sequence", "timestamp"] };

/** The options of `events tail` and `alerts tail`. */
export const tailOptions = {
  since: sequence("Start after this sequence (default: new messages only)"),
  state: text("file", "File that remembers the last sequence; wins over --since"),
};

/** Prints messages of the daemon until Ctrl-C. `name` is the command, for its errors. Resolves to the exit code. */
export async function follow(io: Io, name: string, { since, types, state }: FollowOptions): Promise<number> {
  const { format } = io.output;
  if (format === "csv" || format === "yaml")
    throw new Problem("invalid", `${name} cannot print ${format}; use -o table, ndjson, json or id`);
  if (io.global.direct) throw new Problem("invalid", `${name} needs a daemon; remove --direct and start one with \`homesec serve\``);
  const [{ tail }, { readSequence, writeSequence }, { JournalMessage }] = await Promise.all([
    import("../../src/admin/live-client/tail.ts"),
    import("./tail-state.ts"),
    import("../../src/contract/live.ts"),
  ]);
  requireKnown(
    types ?? [],
    JournalMessage.options.map((message) => message.shape.type.value),
  );
  const file = state === undefined ? undefined : resolve(io.host.cwd, state);
  let last = (file === undefined ? undefined : readSequence(file)) ?? since;
  const keep = (sequence: number): void => {
    last = sequence;
    if (file !== undefined) writeSequence(file, sequence);
  };

  const watch = watchConnection(io, {
    onNewest: (newest) => {
      // Nothing was printed yet: the next run starts here
      if (last === undefined) keep(newest);
    },
    onPassed: keep,
  });
  const token = (await io.configuration()).config.websocketToken;
  const messages = tail({ ...(await io.endpoint()), token, since: last, types, signal: watch.signal, onState: watch.onState });
  const { fields, terminal } = io.output;
  const textOf = (message: Message | GapMessage): string => {
    if (message.type === "gap") return format === "json" || format === "ndjson" ? `${JSON.stringify(message)}\n` : "";
    if (format === "id") return `${message.sequence}\n`;
    if (format !== "table") return `${JSON.stringify(fields ? chosen(message, fields) : message)}\n`;
    return fields ? `${fields.map((field) => plain(cellOf(message, field).text)).join("  ")}\n` : tailLine(message, terminal);
  };
  for await (const message of messages) {
    // A message the reader did not take is printed by the next run
    if (!(await io.output.writeThrough(textOf(message), watch.signal))) break;
    if (message.type !== "gap") keep(message.sequence);
    else {
      const { from, to } = message.data;
      io.output.note(`${to - from + 1} messages are missing: the daemon no longer has ${from} to ${to}`);
      keep(from <= (last ?? 0) ? from - 1 : to);
    }
  }
  if (watch.failure()) throw watch.failure();
  return exitCodes.interrupted;
}

/** Rejects unknown types: a typo would wait forever. */
function requireKnown(types: readonly string[], known: readonly string[]): void {
  const fits = (type: string): boolean =>
    type.endsWith("*") ? known.some((each) => each.startsWith(type.slice(0, -1))) : known.includes(type);
  const wrong = types.filter((type) => !fits(type));
  const guess = nearest(wrong[0] ?? "", known);
  const meant = guess === undefined ? "" : ` (did you mean ${guess}?)`;
  if (wrong.length > 0) throw new Problem("invalid", `unknown type ${wrong.join(", ")}${meant}; known types are ${known.join(", ")}`);
}

type TailState = Parameters<NonNullable<Parameters<typeof import("../../src/admin/live-client/tail.ts").tail>[0]["onState"]>>[0];

/** Notes lost connections. Fails if the daemon never answers; reconnects if it answered before. */
function watchConnection(
  io: Io,
  { onNewest, onPassed }: { readonly onNewest: (sequence: number) => void; readonly onPassed: (sequence: number) => void },
) {
  const unreachable = new AbortController();
  let connected = false;
  let interrupted = false;
  let failure: Problem | undefined;
  return {
    signal: AbortSignal.any([io.host.signal, unreachable.signal]),
    failure: () => failure,
    onState(state: TailState): void {
      if (state.kind === "connected") {
        if (interrupted) io.output.note("reconnected");
        onNewest(state.lastSequence);
        connected = true;
        interrupted = false;
      } else if (state.kind === "passed") {
        onPassed(state.sequence);
      } else if (state.kind === "interrupted" && !connected) {
        failure = state.problem;
        unreachable.abort();
      } else if (state.kind === "interrupted" && !interrupted) {
        io.output.note(`connection lost (${state.reason}); reconnecting`);
        interrupted = true;
      } else if (state.kind === "left_out") {
        io.output.note(`message ${state.sequence} of type ${state.type} skipped: ${state.reason}`);
      }
    },
  };
}

/** A sequence. A time has none, so that a time is refused with the commands that take one. */
function sequence(description: string) {
  const option = integer("sequence", 0, Number.MAX_SAFE_INTEGER, description);
  return {
    ...option,
    read: (given: Given) => {
      try {
        return option.read(given);
      } catch (cause) {
        if (!(cause instanceof WrongValue)) throw cause;
        throw new WrongValue(`a sequence such as 1200 (\`homesec events list\` and \`homesec alerts list\` take times)`);
      }
    },
  };
}
