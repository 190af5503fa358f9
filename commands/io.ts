import type { ClientReply, ClientRequest } from "../src/contract/client.ts";
import type { OperationId, Routes } from "../src/contract/routes/index.ts";
import type { LoadedConfig } from "../src/platform/config/load.ts";
import type { VariableName } from "../src/platform/config/variables.ts";
import type { Database } from "../src/platform/database/database.ts";
import type { OpenDatabase } from "../src/platform/database/open-database.ts";
import type { Host } from "./host.ts";
import type { Output } from "./output/output.ts";
import type { OutputFormat } from "./output/view.ts";

/** The options that every command takes. */
export interface GlobalOptions {
  readonly url?: string;
  readonly apiKeyFile?: string;
  readonly caFile?: string;
  readonly direct?: boolean;
  readonly output: OutputFormat;
  readonly fields?: string;
  readonly color: boolean;
  readonly quiet?: boolean;
  readonly config?: string;
  readonly dataDir?: string;
  readonly debug?: boolean;
}

/** The services of a command. */
export interface Io {
  readonly host: Host;
  readonly global: GlobalOptions;
  readonly output: Output;
  /** Calls the daemon, or with --direct works on the database. Throws `Problem`. */
  call<K extends OperationId>(operation: K, request: ClientRequest<Routes[K]>): Promise<ClientReply<Routes[K]>>;
  /** The address of the daemon and its API key. */
  endpoint(): Promise<Endpoint>;
  /** The configuration; `flags` take precedence. Throws `Problem("invalid")`. */
  configuration(flags?: Partial<Record<VariableName, string>>): Promise<LoadedConfig>;
  /** The configured database, shared with a running daemon if there is one. Closed when the command ends. */
  database(): Promise<Database>;
  /** The configured database for exclusive use. Throws `Problem("conflict")` if a daemon uses the data folder. */
  ownDatabase(): Promise<OpenDatabase>;
}

export interface Endpoint {
  readonly url: string;
  /** It comes from --url or HOMESEC_URL; otherwise from HOST and PORT of the configuration. */
  readonly isGiven: boolean;
  readonly apiKey: string | undefined;
  /** Certificates (PEM) to trust instead of those of the system. */
  readonly ca: string | undefined;
}
