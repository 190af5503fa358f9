import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { json } from "../output/output.ts";
import { jobOption, queueArgument } from "./queue.ts";

export const purgeDeadLetters = defineCommand({
  name: "dlq purge",
  summary: "Delete dead letters",
  description: "Deletes the dead letters of a queue. The pictures and events that they are about stay, with the outcome that they have.",
  arguments: { queue: queueArgument },
  options: { job: jobOption },
  examples: [
    { command: "homesec dlq purge detect", note: "all of the queue" },
    { command: "homesec dlq purge detect --job 17", note: "one of them" },
  ],
  async run({ arguments: { queue }, options: { job } }, io) {
    const done = await io.call("purgeDeadLetters", { params: { queue }, query: { job_id: job } });
    if (io.output.format !== "table") io.output.write(json(done));
    io.output.note(`${done.purged} deleted`);
    return exitCodes.ok;
  },
});
