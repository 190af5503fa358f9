import type { Command } from "../command.ts";
import { addSilence } from "./add.ts";
import { endSilence } from "./end.ts";
import { listSilences } from "./list.ts";
import { showSilence } from "./show.ts";

export const commands: readonly Command[] = [listSilences, showSilence, addSilence, endSilence];
