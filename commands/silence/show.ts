import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";

export const showSilence = defineCommand({
  name: "silence show",
  summary: "Show one alert silence, and how much it held back",
  arguments: { silenceId: textArgument("Id of the silence") },
  examples: [{ command: "homesec silence show 0e3cb4f5-62b1-4c3a-9b0e-5f6f0d5a7c11", note: "of what, until when, and why" }],
  prints: async () => (await import("./view.ts")).silenceView,
  async run({ arguments: { silenceId } }, io) {
    const { silenceView } = await import("./view.ts");
    await printRecord(io.output, await io.call("getSilence", { params: { id: silenceId } }), silenceView);
    return exitCodes.ok;
  },
});
