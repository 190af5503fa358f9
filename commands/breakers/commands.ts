import type { Command } from "../command.ts";
import { listBreakers } from "./list.ts";
import { resetBreaker } from "./reset.ts";

export const commands: readonly Command[] = [listBreakers, resetBreaker];
