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
  /** It answers questions that need a key, or none is needed. */
  readonly admitted: boolean;
}

/** What checks look at. What cannot be had throws `NotPossible` with the reason, so that the check is skipped. */
export interface Examination {
  readonly machine: Machine;
  readonly clock: Clock;
  /** Of this program. */
  readonly version: string;
  /** The configuration, or the `Problem` that lists its errors. */
  readonly parsed: ParsedConfig | Error;
  /** Throws `NotPossible` when the configuration has errors. */
  config(): Config;
  /** Network shares with folders of homesec. */
  shares(): Promise<Shares>;
  /** A daemon answers, but its folders are closed to this user: what is in them is another user's business. */
  isForeign(): Promise<boolean>;
  /** Who held the data folder before anything was opened; undefined when nobody has ever left a lock there. */
  holder(): Promise<DataFolderHolder | undefined>;
  /** The database as it is, whatever its schema. Throws `Broken` when it cannot be opened, such as for a wrong DATABASE_URL. */
  database(): Promise<Database>;
  /** Which migrations it has. */
  migrations(): Promise<MigrationStatus>;
  /** The database with the schema of this program. */
  rows(): Promise<Database>;
  /** The values that hold: those stored at run time where the database can be read, else those of the configuration. */
  settings(): Promise<LiveSettings>;
  /** Why no daemon could be asked, in words; or the daemon. */
  lookForDaemon(): Promise<AnsweringDaemon | { readonly absent: string; readonly asked: boolean }>;
  /** The daemon, admitted. */
  daemon(): Promise<AnsweringDaemon>;
}
