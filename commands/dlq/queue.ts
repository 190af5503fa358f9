import { textArgument } from "../input/arguments.ts";
import { integer } from "../input/options.ts";

/** Which queue a command is about. */
export const queueArgument = textArgument("detect (pictures) or analyze (events)");

/** Which of its jobs, all without it. */
export const jobOption = integer("id", 1, Number.MAX_SAFE_INTEGER, "Only the job with this id");
