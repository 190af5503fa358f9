import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";

export const checkConfig = defineCommand({
  name: "config check",
  summary: "Tell whether the daemon would start with this configuration",
  description: "Parses the whole configuration. Every error is printed at once and the exit code is 2; warnings leave it at 0.",
  examples: [
    { command: "homesec config check", note: "environment and .env" },
    { command: "homesec config check --config homesec.conf", note: "with a file, before the daemon gets it" },
  ],
  async run(_, io) {
    const { warnings } = await io.configuration();
    for (const warning of warnings) io.output.write(`warning: ${warning}\n`);
    io.output.note(warnings.length === 0 ? "the configuration is good" : "the configuration works, with warnings");
    return exitCodes.ok;
  },
});
