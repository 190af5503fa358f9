import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";

export const checkConfig = defineCommand({
  name: "config check",
  summary: "Tell whether the daemon would start with this configuration",
  description:
    "Parses the whole configuration, and looks into the file of DETECTOR_MODEL_PATH. Every error is printed at once and the exit code is 2; warnings leave it at 0.",
  examples: [
    { command: "homesec config check", note: "environment and .env" },
    { command: "homesec config check --config homesec.conf", note: "with a file, before the daemon gets it" },
  ],
  async run(_, io) {
    const { config, warnings } = await io.configuration();
    const { modelFault } = await import("../../src/monitoring/detector-model/check.ts");
    const fault = modelFault(config);
    for (const warning of warnings) io.output.write(`warning: ${warning}\n`);
    // the daemon would start and keep the pictures, but see nothing
    if (fault !== undefined) throw new Problem("invalid", fault);
    io.output.note(warnings.length === 0 ? "the configuration is good" : "the configuration works, with warnings");
    return exitCodes.ok;
  },
});
