import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { flag, rowLimit } from "../input/options.ts";
import { noteUnknownCameras } from "../input/similar-id.ts";
import { printList } from "../output/output.ts";
import { pages } from "../output/pages.ts";
import { filterOptions, filterQuery } from "./filter.ts";

export const listEvents = defineCommand({
  name: "events list",
  summary: "List the events, newest first",
  options: {
    ...filterOptions,
    deleted: flag("Those that were deleted and can be restored, last deleted first"),
    limit: rowLimit(50),
  },
  examples: [
    { command: "homesec events list --start-date 'yesterday 21:00' --min-risk-score 60", note: "what mattered last night" },
    { command: "homesec events list --camera-id front-door --no-reviewed", note: "what nobody has looked at yet" },
    { command: "homesec events list --start-date -24h --limit 10000 -o csv > events.csv", note: "a day for a spreadsheet" },
    { command: "homesec events list --deleted", note: "what can be restored" },
  ],
  prints: async () => (await import("./view.ts")).eventView,
  async run({ options }, io) {
    const { eventView } = await import("./view.ts");
    const filter = filterQuery(options);
    if (options.deleted && Object.values(filter).some((value) => value !== undefined)) {
      throw new Problem("invalid", "--deleted lists all deleted events; it takes no other filter");
    }
    const bodies = pages(options.limit, (page) =>
      options.deleted ? io.call("listDeletedEvents", { query: page }) : io.call("listEvents", { query: { ...filter, ...page } }),
    );
    const count = await printList(io.output, bodies, (body) => body.items, eventView);
    if (count === 0) await noteUnknownCameras(io, options.cameraId);
    return exitCodes.ok;
  },
});
