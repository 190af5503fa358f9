import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { choice, integer, withDefault } from "../input/options.ts";
import { printRows } from "../output/output.ts";

export const gpuHistory = defineCommand({
  name: "gpu history",
  summary: "Show how the graphics card did",
  options: {
    hours: withDefault(integer("n", 1, 168, "So many hours back"), 24),
    interval: withDefault(choice(["1m", "5m", "15m", "1h"], "Averages over so long"), "5m"),
  },
  examples: [
    { command: "homesec gpu history", note: "the last day in steps of five minutes" },
    { command: "homesec gpu history --hours 168 --interval 1h -o csv", note: "the last week, for a spreadsheet" },
  ],
  prints: async () => (await import("./view.ts")).gpuView,
  async run({ options: { hours, interval } }, io) {
    const { gpuView } = await import("./view.ts");
    const body = await io.call("getGpuHistory", { query: { hours, interval } });
    await printRows(io.output, body.items, gpuView, body);
    return exitCodes.ok;
  },
});
