import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { rowLimit } from "../input/options.ts";
import { printList, printRows } from "../output/output.ts";
import { pages } from "../output/pages.ts";
import { optionalQueueArgument, queueOption } from "./queue.ts";

export const listDeadLetters = defineCommand({
  name: "dlq list",
  summary: "List the jobs that will not be tried again by themselves",
  description: "Lists the dead letters of a queue, or without a queue how many each has.",
  arguments: { queue: optionalQueueArgument },
  options: {
    queue: queueOption,
    limit: rowLimit(50),
  },
  examples: [
    { command: "homesec dlq list", note: "how many there are" },
    { command: "homesec dlq list detect", note: "pictures that could not be looked at, and why" },
  ],
  prints: async (input) => {
    const { deadLetterView, queueView } = await import("./view.ts");
    return queueOf(input) === undefined ? queueView : deadLetterView;
  },
  async run(input, io) {
    const [queue, { limit }] = [queueOf(input), input.options];
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

interface Asked {
  readonly arguments: { readonly queue?: string | undefined };
  readonly options: { readonly queue?: string | undefined };
}

/** The queue, whichever way it was named. Throws `Problem("invalid")` for two of them. */
function queueOf({ arguments: { queue }, options }: Asked): string | undefined {
  if (queue !== undefined && options.queue !== undefined) throw new Problem("invalid", "the queue is named twice; leave --queue away");
  return queue ?? options.queue;
}
