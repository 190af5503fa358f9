import type { Command } from "../command.ts";
import { listWorkers } from "./list.ts";

export const commands: readonly Command[] = [listWorkers];
