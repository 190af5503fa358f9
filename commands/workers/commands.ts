import type { Command } from "../command.ts";
import { listDaemons } from "./daemons.ts";
import { listWorkers } from "./list.ts";

export const commands: readonly Command[] = [listWorkers, listDaemons];
