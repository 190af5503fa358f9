import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { confirm, yesOption } from "../input/confirm.ts";
import { printRecord } from "../output/output.ts";
import { jobOption, queueArgument } from "./queue.ts";

export const purgeDeadLetters = defineCommand({
  name: "dlq purge",
  summary: "Delete dead letters",
  description: "Deletes the dead letters of a queue. The pictures and events that they are about stay, with the outcome that they have.",
  arguments: { queue: queueArgument },
  options: { job: jobOption, ...yesOption },
  examples: [
    { command: "homesec dlq purge detect", note: "all of the queue, after a question" },
    { command: "homesec dlq purge detect --job 17 --yes", note: "one of them, in a script" },
  ],
  prints: async () => (await import("./view.ts")).purgedView,
  async run({ arguments: { queue }, options: { job, yes } }, io) {
    const { purgedView } = await import("./view.ts");
    await confirm(io, { yes }, job === undefined ? `Delete all dead letters of ${queue}?` : `Delete dead letter ${job} of ${queue}?`);
    const done = await io.call("purgeDeadLetters", { params: { queue }, query: { job_id: job } });
    if (io.output.format !== "table") await printRecord(io.output, done, purgedView);
    io.output.note(`${done.purged} deleted`);
    return exitCodes.ok;
  },
});
