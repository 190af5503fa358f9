import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { integer, withDefault } from "../input/options.ts";
import { printList, printRows } from "../output/output.ts";
import { pages } from "../output/pages.ts";
import { queueOption } from "./queue.ts";

export const listDeadLetters = defineCommand({
  name: "dlq list",
  summary: "List the jobs that will not be tried again by themselves",
  description: "Lists the dead letters of a queue, or without --queue how many each queue has.",
  options: {
    queue: queueOption,
    limit: withDefault(integer("n", 1, 1_000_000, "At most so many"), 50),
  },
  examples: [
    { command: "homesec dlq list", note: "how many there are" },
    { command: "homesec dlq list --queue detect", note: "pictures that could not be looked at, and why" },
  ],
  prints: async ({ options: { queue } }) => {
    const { deadLetterView, queueView } = await import("./view.ts");
    return queue === undefined ? queueView : deadLetterView;
  },
  async run({ options: { queue, limit } }, io) {
    const { deadLetterView, queueView } = await import("./view.ts");
    if (queue === undefined) {
      const stats = await io.call("getDlqStats", {});
      const rows = Object.entries(stats.queues).map(([name, count]) => ({ queue: name, count }));
      await printRows(io.output, rows, queueView, stats);
    } else {
      const bodies = pages(limit, (page) => io.call("listDeadLetters", { params: { queue }, query: page }));
      await printList(io.output, bodies, (body) => body.items, deadLetterView);
    }
    return exitCodes.ok;
  },
});
