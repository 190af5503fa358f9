import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";

export const showAlert = defineCommand({
  name: "alerts show",
  summary: "Show one alert, and how far each channel got with it",
  arguments: { alertId: textArgument("Id of the alert") },
  examples: [
    { command: "homesec alerts show 5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a11", note: "why it was raised, and who was told" },
    { command: "homesec alerts show 5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a11 -o yaml", note: "the record as the API has it" },
  ],
  prints: async () => (await import("./view.ts")).alertView,
  async run({ arguments: { alertId } }, io) {
    const { alertView } = await import("./view.ts");
    await printRecord(io.output, await io.call("getAlert", { params: { id: alertId } }), alertView);
    return exitCodes.ok;
  },
});
