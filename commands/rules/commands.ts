import type { Command } from "../command.ts";
import { listRules } from "./list.ts";
import { showRule } from "./show.ts";
import { testRule } from "./test.ts";

export const commands: readonly Command[] = [listRules, showRule, testRule];
