import { pluralize } from "../../src/base/text/format.ts";
import { ranges } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import { queueNames } from "../../src/work/jobs/jobs-repository.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { optionalText } from "../input/arguments.ts";
import { confirm, yesOption } from "../input/confirm.ts";
import { flag, integer } from "../input/options.ts";
import type { Io } from "../io.ts";
import { printRecord, printRows } from "../output/output.ts";
import { purgedView, requeuedView } from "./view.ts";

export const queueText = "detect (pictures), enrich, analyze (events), alert or deliver (messages)";
const queueArgument = { ...optionalText(queueText), choices: queueNames };
const options = { job: integer("id", ...ranges.id, "Only the job with this id"), all: flag("All queues; asks first"), ...yesOption };

interface Chosen {
  readonly queue: string | undefined;
  readonly job: number | undefined;
  readonly all: boolean;
}

/** Throws `Problem("invalid")` unless either a queue or --all is given. */
function requireOneWay({ queue, job, all }: Chosen, verb: string): void {
  if (queue === undefined && !all)
    throw new Problem("invalid", `no queue is named; give one of ${queueNames.join(", ")}, or --all to ${verb} them all`);
  if (all && queue !== undefined) throw new Problem("invalid", `--all means every queue; remove --all or ${queue}`);
  if (all && job !== undefined) throw new Problem("invalid", "--job selects one job; name its queue instead of --all");
}

/** The queues with dead letters, after the user has confirmed the number. `question` ends with their number. */
async function confirmedQueues(io: Io, yes: boolean, question: string): Promise<readonly string[]> {
  const { queues, total_count: total } = await io.call("getDlqStats", {});
  const filled = Object.entries(queues).filter(([, count]) => count > 0);
  if (total === 0) io.output.note("no dead letters; nothing was changed");
  else {
    const each = filled.map(([queue, count]) => `${queue} ${count}`).join(", ");
    await confirm(io, { yes }, `${question} ${pluralize(total, "dead letter")} (${each})?`);
  }
  return filled.map(([queue]) => queue);
}

export const requeueDeadLetters = defineCommand({
  name: "dlq requeue",
  summary: "Retry dead letters",
  description:
    "Retries the dead letters of a queue, or with --all of every queue, as if they were new. Fix the cause of the failure first.",
  arguments: { queue: queueArgument },
  options,
  examples: [
    { command: "homesec dlq requeue detect", note: "all failed pictures" },
    { command: "homesec dlq requeue analyze --job 17", note: "one event" },
    { command: "homesec dlq requeue --all --yes", note: "everything, in a script" },
  ],
  prints: () => requeuedView,
  async run({ arguments: { queue }, options: { job, all, yes } }, io) {
    requireOneWay({ queue, job, all }, "requeue");
    if (queue !== undefined) {
      const record = await io.call("requeueDeadLetters", { params: { queue }, query: { job_id: job } });
      await printRecord(io.output, record, requeuedView);
      io.output.note(`${record.requeued} requeued`);
      return exitCodes.ok;
    }
    const queues = [];
    for (const each of await confirmedQueues(io, yes, "Retry"))
      queues.push(await io.call("requeueDeadLetters", { params: { queue: each } }));
    if (io.output.format !== "table") await printRows(io.output, queues, requeuedView, { queues });
    if (queues.length > 0) io.output.note(`${queues.reduce((sum, { requeued }) => sum + requeued, 0)} requeued`);
    return exitCodes.ok;
  },
});

export const purgeDeadLetters = defineCommand({
  name: "dlq purge",
  summary: "Delete dead letters",
  description:
    "Deletes the dead letters of a queue, or with --all of every queue. Their pictures and events stay, with their current status.",
  arguments: { queue: queueArgument },
  options,
  examples: [
    { command: "homesec dlq purge detect", note: "the whole queue; asks for confirmation" },
    { command: "homesec dlq purge detect --job 17 --yes", note: "one job, in a script" },
    { command: "homesec dlq purge --all", note: "every queue" },
  ],
  prints: () => purgedView,
  async run({ arguments: { queue }, options: { job, all, yes } }, io) {
    requireOneWay({ queue, job, all }, "purge");
    if (queue !== undefined) {
      const { pagination } = await io.call("listDeadLetters", { params: { queue }, query: { job_id: job, limit: 1 } });
      const what = job === undefined ? pluralize(pagination.total, "dead letter") : `dead letter ${job}`;
      if (pagination.total > 0) await confirm(io, { yes }, `Delete ${what} of ${queue}?`);
      const isEmpty = pagination.total === 0;
      const record = isEmpty ? { queue, purged: 0 } : await io.call("purgeDeadLetters", { params: { queue }, query: { job_id: job } });
      await printRecord(io.output, record, purgedView);
      io.output.note(`${record.purged} deleted`);
      return exitCodes.ok;
    }
    const queues = [];
    for (const each of await confirmedQueues(io, yes, "Delete"))
      queues.push(await io.call("purgeDeadLetters", { params: { queue: each } }));
    if (io.output.format !== "table") await printRows(io.output, queues, purgedView, { queues });
    if (queues.length > 0) io.output.note(`${queues.reduce((sum, { purged }) => sum + purged, 0)} deleted`);
    return exitCodes.ok;
  },
});
