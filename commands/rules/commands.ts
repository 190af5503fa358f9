import type { Command } from "../command.ts";
import { addRule } from "./add.ts";
import { editRule } from "./edit.ts";
import { listRules } from "./list.ts";
import { removeRule } from "./remove.ts";
import { showRule } from "./show.ts";
import { disableRule, enableRule } from "./switch.ts";
import { testRule } from "./test.ts";
import { updateRule } from "./update.ts";

export const commands: readonly Command[] = [
  listRules,
  showRule,
  addRule,
  editRule,
  updateRule,
  enableRule,
  disableRule,
  removeRule,
  testRule,
];
