import type { Command } from "../command.ts";
import { showNotificationConfig } from "./config.ts";
import { testNotification } from "./test.ts";

export const commands: readonly Command[] = [showNotificationConfig, testNotification];
