import type { Command } from "../command.ts";
import { generateKeys } from "./generate.ts";

export const commands: readonly Command[] = [generateKeys];
