import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { list, rowLimit, time } from "../input/options.ts";
import { printList } from "../output/output.ts";
import { pages } from "../output/pages.ts";

export const listEntities = defineCommand({
  name: "entities list",
  summary: "List whom and what was recognised again, the newest discoveries first",
  options: {
    objectType: list("class", "Only of this class, such as person; repeat it or use commas for several"),
    cameraId: list("id", "Only those that this camera saw; repeat it or use commas for several"),
    startDate: time("Only those last seen at this time or later"),
    endDate: time("Only those first seen at this time or before"),
    limit: rowLimit(50),
  },
  examples: [
    { command: "homesec entities list --object-type person --start-date today", note: "who was here today" },
    { command: "homesec entities list --camera-id front-door -o ndjson", note: "one record a line, for other programs" },
  ],
  prints: async () => (await import("./view.ts")).entityView,
  async run({ options }, io) {
    const { entityView } = await import("./view.ts");
    const filter = {
      object_type: options.objectType,
      camera_id: options.cameraId,
      start_date: options.startDate,
      end_date: options.endDate,
    };
    const bodies = pages(options.limit, (page) => io.call("listEntities", { query: { ...filter, ...page } }));
    await printList(io.output, bodies, (body) => body.items, entityView);
    return exitCodes.ok;
  },
});
