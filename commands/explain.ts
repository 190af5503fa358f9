import { resolve } from "node:path";
import { Problem } from "../src/contract/problem.ts";
import type { Reply } from "../src/contract/route.ts";
import type { Routes } from "../src/contract/routes/index.ts";
import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { idArgument, optionalText, optionalWord } from "./input/arguments.ts";
import { integer, text, time, WrongValue, withDefault } from "./input/options.ts";
import type { Io } from "./io.ts";
import { printRecord } from "./output/output.ts";

type Explanation = Reply<Routes["explainEvent"]>;

export const explain = defineCommand({
  name: "explain",
  summary: "Say why something happened, or did not: from the file to the person who was told",
  description: `Say why something happened, or did not: the whole chain from the file to the person who was told, with times and reasons.
Ask for an event, a picture, an alert, or for a camera and a time.`,
  arguments: {
    what: optionalWord(["event", "image", "alert"], "What to explain"),
    which: optionalText("Id of the event or alert; path of the picture, or its id in the ledger"),
  },
  options: {
    camera: text("id", "Explain what this camera showed around --at"),
    at: time("The time to look at"),
    within: withDefault(integer("seconds", 1, 3600, "How far from --at pictures and events may be"), 60),
  },
  examples: [
    { command: "homesec explain event 42", note: "why did it raise an alert, or none?" },
    { command: "homesec explain image /srv/cameras/front-door/a.jpg", note: "what became of a file" },
    { command: "homesec explain --camera front-door --at 22:15", note: "what was there at that time, and if nothing, why" },
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
      throw usage("say what to explain: `event N`, `image PATH`, `alert ID`, or --camera with --at");
    return await io.call("explainMoment", { params: { camera_id: camera }, query: { at, within_seconds: within } });
  }
  if (camera !== undefined || at !== undefined) throw usage(`--camera and --at are for a time, not for one ${what}`);
  if (which === undefined) throw usage(`name the ${what}: \`homesec explain ${what} ${what === "image" ? "PATH" : "ID"}\``);
  switch (what) {
    case "event":
      return await io.call("explainEvent", { params: { event_id: idOf(which) } });
    case "alert":
      return await io.call("explainAlert", { params: { alert_id: which } });
    default:
      return /^\d+$/.test(which)
        ? await io.call("explainImage", { params: { image_id: idOf(which) } })
        : await io.call("explainPath", { query: { path: resolve(io.host.cwd, which) } });
  }
}

function idOf(typed: string): number {
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
