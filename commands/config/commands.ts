import type { Command } from "../command.ts";
import { checkConfig } from "./check.ts";
import { setConfig } from "./set.ts";
import { showConfig } from "./show.ts";

export const commands: readonly Command[] = [showConfig, setConfig, checkConfig];
