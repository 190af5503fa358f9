import type { Command } from "../../command.ts";
import { baselineAnomalies } from "./anomalies.ts";
import { baselineConfig } from "./config.ts";
import { resetBaseline } from "./reset.ts";
import { showBaseline } from "./show.ts";

export const baselineCommands: readonly Command[] = [showBaseline, baselineConfig, baselineAnomalies, resetBaseline];
