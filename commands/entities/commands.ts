import type { Command } from "../command.ts";
import { listEntities } from "./list.ts";
import { showEntity } from "./show.ts";

export const commands: readonly Command[] = [listEntities, showEntity];
