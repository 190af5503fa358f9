import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";

export const checkConfig = defineCommand({
  name: "config check",
  summary: "Check the configuration",
  description:
    "Checks the configuration and the file of DETECTOR_MODEL_PATH, and prints every error. Exits with 2 if the daemon would not start, with 0 if there are only warnings.",
  examples: [
    { command: "homesec config check", note: "environment and .env" },
    { command: "homesec config check --config homesec.conf", note: "a file, before the daemon uses it" },
  ],
  async run(_, io) {
    const { config, warnings } = await io.configuration();
    const { modelFault } = await import("../../src/monitoring/detector-model/model-file.ts");
    const fault = modelFault(config);
    for (const warning of warnings) io.output.write(`warning: ${warning}\n`);
    // The daemon would start, but detect nothing
    if (fault !== undefined) throw new Problem("invalid", fault);
    io.output.note(warnings.length === 0 ? "the configuration is valid" : "the configuration is valid, with warnings");
    return exitCodes.ok;
  },
});
