import { upstreamNames } from "../../src/work/operations/upstream-state.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";

export const resetBreaker = defineCommand({
  name: "breakers reset",
  summary: "Close a circuit breaker, so that its service is asked again at once",
  arguments: { name: { ...textArgument("Name of the service"), choices: upstreamNames } },
  examples: [{ command: "homesec breakers reset detector", note: "the detector was repaired; what waits for it goes on" }],
  prints: async () => (await import("./view.ts")).breakerResetView,
  async run({ arguments: { name } }, io) {
    const { breakerResetView } = await import("./view.ts");
    const reset = await io.call("resetBreaker", { params: { name } });
    io.output.note(reset.message);
    await printRecord(io.output, reset, breakerResetView);
    return exitCodes.ok;
  },
});
