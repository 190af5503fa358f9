import { queueNames } from "../../src/work/jobs/jobs-repository.ts";
import { optionalText, textArgument } from "../input/arguments.ts";
import { integer, text } from "../input/options.ts";

const which = "detect (pictures), enrich, analyze (events), alert or deliver (messages)";

/** Which queue a command is about. */
export const queueArgument = { ...textArgument(which), choices: queueNames };

/** The same where it may be left out. */
export const optionalQueueArgument = { ...optionalText(which), choices: queueNames };

/** The same as an option. */
export const queueOption = { ...text("name", which), choices: queueNames };

/** Which of its jobs, all without it. */
export const jobOption = integer("id", 1, Number.MAX_SAFE_INTEGER, "Only the job with this id");
