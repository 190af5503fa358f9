import type { Command } from "../command.ts";
import { listDeadLetters } from "./list.ts";
import { purgeDeadLetters } from "./purge.ts";
import { requeueDeadLetters } from "./requeue.ts";
import { showDeadLetter } from "./show.ts";

export const commands: readonly Command[] = [listDeadLetters, showDeadLetter, requeueDeadLetters, purgeDeadLetters];
