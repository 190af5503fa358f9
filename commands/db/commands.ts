import type { Command } from "../command.ts";
import { backUpDatabase } from "./backup.ts";
import { migrateDatabase } from "./migrate.ts";
import { restoreDatabase } from "./restore.ts";
import { databaseStatus } from "./status.ts";

export const commands: readonly Command[] = [migrateDatabase, databaseStatus, backUpDatabase, restoreDatabase];
