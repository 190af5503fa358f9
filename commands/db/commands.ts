import type { Command } from "../command.ts";
import { migrateDatabase } from "./migrate.ts";
import { databaseStatus } from "./status.ts";

export const commands: readonly Command[] = [migrateDatabase, databaseStatus];
