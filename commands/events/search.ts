import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { rowLimit } from "../input/options.ts";
import { noteUnknownCameras } from "../input/similar-id.ts";
import { printList } from "../output/output.ts";
import { pages } from "../output/pages.ts";
import { filterOptions, filterQuery } from "./filter.ts";

export const searchEvents = defineCommand({
  name: "events search",
  summary: "Find events by the words of their summary, reasoning, notes, camera and classes",
  description:
    'Words must all be found; "words in quotes" side by side; OR between alternatives; -word for what must not be there; a * at the end stands for any ending. The most relevant of the newest come first.',
  arguments: { query: textArgument("What to look for") },
  options: { ...filterOptions, limit: rowLimit(20) },
  examples: [
    { command: "homesec events search 'ladder OR crowbar'", note: "either word" },
    { command: "homesec events search '\"front gate\" -dog' --start-date -7d", note: "words side by side, and one that must not be there" },
    { command: "homesec events search 'deliver*' --camera-id front-door", note: "delivery, delivered, ..." },
  ],
  prints: async () => (await import("./view.ts")).foundEventView,
  async run({ arguments: { query }, options }, io) {
    const { foundEventView } = await import("./view.ts");
    const asked = { q: query, ...filterQuery(options) };
    const bodies = pages(options.limit, (page) => io.call("searchEvents", { query: { ...asked, ...page } }));
    const count = await printList(io.output, bodies, (body) => body.items, foundEventView);
    if (count === 0) await noteUnknownCameras(io, options.cameraId);
    return exitCodes.ok;
  },
});
