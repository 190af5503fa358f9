import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printRows } from "../output/output.ts";

export const listBreakers = defineCommand({
  name: "breakers list",
  summary: "List the circuit breakers of the AI services",
  description: "Lists the circuit breakers. One that is open keeps its service from being called until its next trial.",
  examples: [{ command: "homesec breakers list", note: "which services are left alone, and until when" }],
  prints: async () => (await import("./view.ts")).breakerView,
  async run(_, io) {
    const { breakerView } = await import("./view.ts");
    const body = await io.call("listBreakers", {});
    await printRows(io.output, body.breakers, breakerView, body);
    return exitCodes.ok;
  },
});
