import { optionalText, textArgument } from "../input/arguments.ts";
import { integer, text } from "../input/options.ts";

// as they are named where jobs are kept; an unknown one is refused there
const queues = ["detect", "enrich", "analyze", "alert", "deliver"] as const;
const which = "detect (pictures), enrich, analyze (events), alert or deliver (messages)";

/** Which queue a command is about. */
export const queueArgument = { ...textArgument(which), choices: queues };

/** The same where it may be left out. */
export const optionalQueueArgument = { ...optionalText(which), choices: queues };

/** The same as an option. */
export const queueOption = { ...text("name", which), choices: queues };

/** Which of its jobs, all without it. */
export const jobOption = integer("id", 1, Number.MAX_SAFE_INTEGER, "Only the job with this id");
