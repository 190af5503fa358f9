import type { Command } from "../command.ts";
import { listAlerts } from "./list.ts";
import { acknowledgeAlert, dismissAlert } from "./settle.ts";
import { showAlert } from "./show.ts";
import { tailAlerts } from "./tail.ts";

export const commands: readonly Command[] = [listAlerts, showAlert, tailAlerts, acknowledgeAlert, dismissAlert];
