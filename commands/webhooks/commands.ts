import type { Command } from "../command.ts";
import { changingCommands } from "./change.ts";
import { listenToWebhooks } from "./listen.ts";
import { readingCommands } from "./read.ts";

export const commands: readonly Command[] = [...readingCommands, ...changingCommands, listenToWebhooks];
