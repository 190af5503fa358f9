import { Problem } from "../../src/contract/problem.ts";
import { queueNames } from "../../src/work/jobs/jobs-repository.ts";
import { type Command, defineCommand } from "../command.ts";
import { recordCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import { idArgument, optionalText, textArgument } from "../input/arguments.ts";
import { rowLimit, text } from "../input/options.ts";
import { printList, printRows } from "../output/output.ts";
import { pages } from "../output/pages.ts";
import { purgeDeadLetters, queueText, requeueDeadLetters } from "./end.ts";
import { deadLetterView, queueView } from "./view.ts";

const queueArgument = { ...textArgument(queueText), choices: queueNames };

const listDeadLetters = defineCommand({
  name: "dlq list",
  summary: "List failed jobs that homesec no longer retries",
  description: "Lists the dead letters of a queue. Without a queue, counts them per queue.",
  arguments: { queue: { ...optionalText(queueText), choices: queueNames } },
  options: { queue: { ...text("name", queueText), choices: queueNames }, limit: rowLimit(50) },
  examples: [
    { command: "homesec dlq list", note: "count per queue" },
    { command: "homesec dlq list detect", note: "failed pictures with their errors" },
  ],
  prints: (input) => (queueOf(input) === undefined ? queueView : deadLetterView),
  async run(input, io) {
    const queue = queueOf(input);
    if (queue === undefined) {
      const stats = await io.call("getDlqStats", {});
      const rows = Object.entries(stats.queues).map(([name, count]) => ({ queue: name, count }));
      await printRows(io.output, rows, queueView, stats);
    } else {
      const bodies = pages(input.options.limit, (page) => io.call("listDeadLetters", { params: { queue }, query: page }));
      await printList(io.output, bodies, (body) => body.items, deadLetterView);
    }
    return exitCodes.ok;
  },
});

interface QueueInput {
  readonly arguments: { readonly queue?: string | undefined };
  readonly options: { readonly queue?: string | undefined };
}

/** The queue, from the argument or the option. Throws `Problem("invalid")` if both are given. */
function queueOf({ arguments: { queue }, options }: QueueInput): string | undefined {
  if (queue !== undefined && options.queue !== undefined) throw new Problem("invalid", "the queue is given twice; remove --queue");
  return queue ?? options.queue;
}

const showDeadLetter = recordCommand({
  name: "dlq show",
  summary: "Show one dead letter",
  arguments: { queue: queueArgument, job_id: idArgument("Job id") },
  examples: [{ command: "homesec dlq show detect 17", note: "its subject and its error" }],
  view: deadLetterView,
  async record(io, { arguments: { queue, job_id } }) {
    const { items } = await io.call("listDeadLetters", { params: { queue }, query: { job_id } });
    const [letter] = items;
    if (!letter) throw new Problem("not_found", `Job ${job_id} is no dead letter of the queue ${queue}`);
    return letter;
  },
});

export const commands: readonly Command[] = [listDeadLetters, showDeadLetter, requeueDeadLetters, purgeDeadLetters];
