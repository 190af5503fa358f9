import { resolve } from "node:path";
import type { GapMessage, JournalMessage as Message } from "../../src/contract/live.ts";
import { Problem } from "../../src/contract/problem.ts";
import { nearest } from "../../src/platform/config/nearest.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { cellOf, chosen } from "../output/fields.ts";
import { plain } from "../output/terminal-format.ts";
import type { Shown } from "../output/view.ts";

/** What is followed, and from where on. */
export interface Following {
  readonly since: number | undefined;
  readonly types: readonly string[] | undefined;
  /** A file that keeps the place between runs. */
  readonly state: string | undefined;
}

/** What is printed of each message. */
export const messageShown: Shown = { plural: "messages", fields: ["type", "data", "sequence", "timestamp"] };

/** Prints messages of the daemon until the person ends it. `name` is the command, for what it has to say. Resolves to the exit code. */
export async function follow(io: Io, name: string, { since, types, state }: Following): Promise<number> {
  const { format } = io.output;
  if (format === "csv" || format === "yaml")
    throw new Problem("invalid", `${name} cannot print ${format}; use -o table, ndjson, json or id`);
  if (io.global.direct) throw new Problem("invalid", `${name} follows a daemon, and --direct asks none; start one with \`homesec serve\``);
  const [{ tail }, { tailLine }, { readPlace, writePlace }, { JournalMessage }] = await Promise.all([
    import("../../src/admin/live-client/tail.ts"),
    import("./tail-line.ts"),
    import("./tail-place.ts"),
    import("../../src/contract/live.ts"),
  ]);
  refuseUnknown(
    types ?? [],
    JournalMessage.options.map((message) => message.shape.type.value),
  );
  const file = state === undefined ? undefined : resolve(io.host.cwd, state);
  let place = (file === undefined ? undefined : readPlace(file)) ?? since;
  const keep = (sequence: number): void => {
    place = sequence;
    if (file !== undefined) writePlace(file, sequence);
  };

  const watch = watchConnection(io, {
    onNewest: (newest) => {
      // nothing was printed yet: this is where the next run has to begin
      if (place === undefined) keep(newest);
    },
    onPassed: keep,
  });
  const token = (await io.configuration()).config.websocketToken;
  const messages = tail({ ...(await io.endpoint()), token, since: place, types, signal: watch.signal, onState: watch.onState });
  const { fields, terminal } = io.output;
  const textOf = (message: Message | GapMessage): string => {
    if (message.type === "gap") return format === "json" || format === "ndjson" ? `${JSON.stringify(message)}\n` : "";
    if (format === "id") return `${message.sequence}\n`;
    if (format !== "table") return `${JSON.stringify(fields ? chosen(message, fields) : message)}\n`;
    return fields ? `${fields.map((field) => plain(cellOf(message, field).text)).join("  ")}\n` : tailLine(message, terminal);
  };
  for await (const message of messages) {
    // what nobody has taken belongs to the next run
    if (!(await io.output.writeThrough(textOf(message), watch.signal))) break;
    if (message.type !== "gap") keep(message.sequence);
    else {
      const { from, to } = message.data;
      io.output.note(`${to - from + 1} messages are gone from the history of the daemon: ${from} to ${to}`);
      keep(from <= (place ?? 0) ? from - 1 : to);
    }
  }
  if (watch.failure()) throw watch.failure();
  return exitCodes.interrupted;
}

/** A slip in a type would wait in silence for ever. */
function refuseUnknown(types: readonly string[], known: readonly string[]): void {
  const fits = (type: string): boolean =>
    type.endsWith("*") ? known.some((each) => each.startsWith(type.slice(0, -1))) : known.includes(type);
  const wrong = types.filter((type) => !fits(type));
  const guess = nearest(wrong[0] ?? "", known);
  const meant = guess === undefined ? "" : ` (did you mean ${guess}?)`;
  if (wrong.length > 0) throw new Problem("invalid", `there is no type ${wrong.join(", ")}${meant}; the types are ${known.join(", ")}`);
}

type TailState = Parameters<NonNullable<Parameters<typeof import("../../src/admin/live-client/tail.ts").tail>[0]["onState"]>>[0];

/** Tells the person of interruptions. A daemon that was never there ends the command; one that was there is waited for. */
function watchConnection(
  io: Io,
  { onNewest, onPassed }: { readonly onNewest: (sequence: number) => void; readonly onPassed: (sequence: number) => void },
) {
  const never = new AbortController();
  let connected = false;
  let interrupted = false;
  let failure: Problem | undefined;
  return {
    signal: AbortSignal.any([io.host.signal, never.signal]),
    failure: () => failure,
    onState(state: TailState): void {
      if (state.kind === "connected") {
        if (interrupted) io.output.note("connected again");
        onNewest(state.lastSequence);
        connected = true;
        interrupted = false;
      } else if (state.kind === "passed") {
        onPassed(state.sequence);
      } else if (state.kind === "interrupted" && !connected) {
        failure = state.problem;
        never.abort();
      } else if (state.kind === "interrupted" && !interrupted) {
        io.output.note(`interrupted (${state.reason}); trying again until the daemon is back`);
        interrupted = true;
      } else if (state.kind === "left_out") {
        io.output.note(`message ${state.sequence} of type ${state.type} is left out: ${state.reason}`);
      }
    },
  };
}
