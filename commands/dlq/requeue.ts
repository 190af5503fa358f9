import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printRecord } from "../output/output.ts";
import { jobOption, queueArgument } from "./queue.ts";

export const requeueDeadLetters = defineCommand({
  name: "dlq requeue",
  summary: "Have dead letters tried again",
  description: "Has the dead letters of a queue tried again, as if they were new. Do this when the reason for their failure is gone.",
  arguments: { queue: queueArgument },
  options: { job: jobOption },
  examples: [
    { command: "homesec dlq requeue detect", note: "all pictures that failed" },
    { command: "homesec dlq requeue analyze --job 17", note: "one event" },
  ],
  prints: async () => (await import("./view.ts")).requeuedView,
  async run({ arguments: { queue }, options: { job } }, io) {
    const { requeuedView } = await import("./view.ts");
    const done = await io.call("requeueDeadLetters", { params: { queue }, query: { job_id: job } });
    if (io.output.format !== "table") await printRecord(io.output, done, requeuedView);
    io.output.note(`${done.requeued} requeued`);
    return exitCodes.ok;
  },
});
