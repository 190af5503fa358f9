import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";

export const endSilence = defineCommand({
  name: "silence end",
  summary: "End an alert silence now; what it held back is told",
  arguments: { silenceId: textArgument("Id of the silence") },
  examples: [{ command: "homesec silence end 0e3cb4f5-62b1-4c3a-9b0e-5f6f0d5a7c11", note: "alerts come again from now on" }],
  prints: async () => (await import("./view.ts")).silenceView,
  async run({ arguments: { silenceId } }, io) {
    const { silenceView } = await import("./view.ts");
    const silence = await io.call("endSilence", { params: { id: silenceId } });
    io.output.note(`silence ${silenceId} ended`);
    await printRecord(io.output, silence, silenceView);
    return exitCodes.ok;
  },
});
