import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { idArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";
import { queueArgument } from "./queue.ts";

export const showDeadLetter = defineCommand({
  name: "dlq show",
  summary: "Show one dead letter",
  arguments: { queue: queueArgument, jobId: idArgument("Id of the job") },
  examples: [{ command: "homesec dlq show detect 17", note: "what it is about and why it failed" }],
  prints: async () => (await import("./view.ts")).deadLetterView,
  async run({ arguments: { queue, jobId } }, io) {
    const { deadLetterView } = await import("./view.ts");
    const { items } = await io.call("listDeadLetters", { params: { queue }, query: { job_id: jobId } });
    const [letter] = items;
    if (!letter) throw new Problem("not_found", `Job ${jobId} is no dead letter of the queue ${queue}`);
    await printRecord(io.output, letter, deadLetterView);
    return exitCodes.ok;
  },
});
