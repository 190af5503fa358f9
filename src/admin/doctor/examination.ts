import type { Clock } from "../../base/clock/clock.ts";
import type { Client } from "../../contract/client.ts";
import type { Config, ParsedConfig } from "../../platform/config/config.ts";
import type { LiveSettings } from "../../platform/config/settings.ts";
import type { DataFolderHolder } from "../../platform/database/data-folder.ts";
import type { Database } from "../../platform/database/database.ts";
import type { MigrationStatus } from "../../platform/database/migrate.ts";
import type { Machine } from "./machine.ts";
import type { Shares } from "./shares.ts";

/** A daemon that answered. */
export interface AnsweringDaemon {
  readonly url: string;
  readonly version: string;
  readonly client: Client;
  /** It accepts the API key, or requires none. */
  readonly admitted: boolean;
  /** Its address is one of this machine. */
  readonly isNear: boolean;
}

/** What checks need of a database. */
export type Readable = Pick<Database, "query">;

/** Everything that checks read. A method throws `NotPossible` with the reason when its value is unavailable, so that the check is skipped. */
export interface Examination {
  readonly machine: Machine;
  /** The checks run in the daemon, and not in a command of a terminal. */
  readonly isDaemon: boolean;
  readonly clock: Clock;
  /** Version of this program. */
  readonly version: string;
  /** The configuration, or the `Problem` that lists its errors. */
  readonly parsed: ParsedConfig | Error;
  /** Throws `NotPossible` when the configuration has errors. */
  config(): Config;
  /** Network shares that hold folders of homesec. */
  shares(): Promise<Shares>;
  /** A daemon answers, but this user may not read its data folder. */
  isForeign(): Promise<boolean>;
  /** The process that held the data folder before doctor opened anything; undefined when there is no lock. */
  holder(): Promise<DataFolderHolder | undefined>;
  /** The database with any schema. Throws `Broken` when it cannot be opened, such as for a wrong DATABASE_URL. */
  database(): Promise<Readable>;
  /** The migrations that were applied. */
  migrations(): Promise<MigrationStatus>;
  /** The database with the schema of this program. */
  rows(): Promise<Readable>;
  /** The effective settings: those stored at run time if the database can be read, else the configuration. */
  settings(): Promise<LiveSettings>;
  /** The daemon, or why there is none. `asked` is false if doctor did not try. */
  lookForDaemon(): Promise<AnsweringDaemon | { readonly absent: string; readonly asked: boolean }>;
  /** The daemon, which accepts the API key. */
  daemon(): Promise<AnsweringDaemon>;
}
