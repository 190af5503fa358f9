import { resolve } from "node:path";
import { Problem } from "../src/contract/problem.ts";
import type { ReplyOf } from "../src/contract/routes/index.ts";
import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { idArgument, optionalText, optionalWord } from "./input/arguments.ts";
import { fullId } from "./input/find.ts";
import { idOf, integer, text, WrongValue, withDefault } from "./input/options.ts";
import { time } from "./input/time-options.ts";
import type { Io } from "./io.ts";
import { printRecord } from "./output/output.ts";

type Explanation = ReplyOf<"explainEvent">;

export const explain = defineCommand({
  name: "explain",
  summary: "Explain why an alert was or was not sent",
  description: `Explain why an alert was or was not sent: every step from the file to the notification, with times and reasons.
Name an event, a picture or an alert, or a camera and a time.`,
  arguments: {
    what: optionalWord(["event", "image", "alert"], "What to explain"),
    which: optionalText("Event id; alert id or its start; picture path or id"),
  },
  options: {
    camera: idOf("camera", text("camera", "Explain what this camera showed around --at")),
    at: time("Time to explain"),
    within: withDefault(integer("seconds", 1, 3600, "Maximum distance from --at"), 60),
  },
  examples: [
    { command: "homesec explain event 42", note: "why it raised an alert, or none" },
    { command: "homesec explain image /srv/cameras/front-door/a.jpg", note: "what happened to a file" },
    { command: "homesec explain --camera front-door --at 22:15", note: "what happened at that time, or why nothing did" },
  ],
  prints: async () => (await import("./explain-view.ts")).explanationView,
  async run({ arguments: { what, which }, options }, io) {
    const explanation = await ask(io, what, which, options);
    const { explanationView } = await import("./explain-view.ts");
    await printRecord(io.output, explanation, explanationView);
    return explanation.found ? exitCodes.ok : exitCodes.notFound;
  },
});

interface Options {
  readonly camera: string | undefined;
  readonly at: Date | undefined;
  readonly within: number;
}

async function ask(io: Io, what: string | undefined, which: string | undefined, options: Options): Promise<Explanation> {
  const { camera, at, within } = options;
  if (what === undefined) {
    if (camera === undefined || at === undefined)
      throw usage("nothing to explain; name `event N`, `image PATH` or `alert ID`, or use --camera with --at");
    return await io.call("explainMoment", { params: { camera_id: camera }, query: { at, within_seconds: within } });
  }
  if (camera !== undefined || at !== undefined) throw usage(`--camera and --at explain a time; leave them out to explain one ${what}`);
  if (which === undefined) throw usage(`the ${what} is missing; use \`homesec explain ${what} ${what === "image" ? "PATH" : "ID"}\``);
  switch (what) {
    case "event":
      return await io.call("explainEvent", { params: { event_id: numberOf(which) } });
    case "alert":
      return await io.call("explainAlert", { params: { alert_id: await fullId(io, "alert", which) } });
    default:
      return /^\d+$/.test(which)
        ? await io.call("explainImage", { params: { image_id: numberOf(which) } })
        : await io.call("explainPath", { query: { path: resolve(io.host.cwd, which) } });
  }
}

function numberOf(typed: string): number {
  try {
    return idArgument("").read(typed);
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    throw usage(`<which> ${JSON.stringify(typed)} must be ${error.message}`);
  }
}

function usage(message: string): Problem {
  return new Problem("invalid", message);
}
