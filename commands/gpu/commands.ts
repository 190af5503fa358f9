import type { Command } from "../command.ts";
import { gpuHistory } from "./history.ts";
import { showGpu } from "./show.ts";

export const commands: readonly Command[] = [showGpu, gpuHistory];
