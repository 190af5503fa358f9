import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import type { Answer } from "../../contract/answer.ts";
import type { Request, Route } from "../../contract/route.ts";
import type { OperationId, Routes } from "../../contract/routes/index.ts";
import type { Config } from "../../platform/config/config.ts";
import type { ChangeableSettings } from "../../platform/config/settings.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Access, NamedKeys } from "../../platform/keys/named-keys.ts";
import type { Outbound } from "../../platform/outbound/outbound.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import type { Store } from "../../platform/store/store.ts";
import type { Runtime } from "./runtime.ts";

/** Dependencies of an operation. Only the daemon has a `runtime`: with `--direct` no worker runs. */
export interface OperationContext {
  readonly db: Database;
  readonly store: Store;
  readonly config: Config;
  readonly settings: ChangeableSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** Sends requests to addresses that users have entered. */
  readonly outbound: Outbound;
  /** Seals and opens stored secrets. */
  readonly sealer: Sealer;
  /** The named keys that this process knows. Undefined with `--direct`, where no key is checked. */
  readonly namedKeys?: NamedKeys | undefined;
  readonly runtime: Runtime | undefined;
  /** The HTTP client. Undefined with `--direct`, where only the permissions of the database user apply. */
  readonly caller?: Caller | undefined;
}

/** Information about the client of a request. */
export interface Caller {
  /** The id of its key or session, otherwise its address: to share things out among clients. */
  readonly client: string;
  /** The request came over the loopback interface, and not through a proxy that forwards the requests of others. */
  readonly isLocal: boolean;
  /** The address that it asked, such as http://192.168.1.5:8000; undefined without a host. */
  readonly origin: string | undefined;
  /** What its key or session may do; undefined without a valid one. */
  readonly access: Access | undefined;
  /** Sets the cookie of a session in the response, or deletes it. */
  keepSession(secret: string | undefined): void;
  /** The browser or program, as it describes itself. */
  readonly userAgent: string | undefined;
  /** Aborted when the connection closes before the response is sent: no client waits for it any longer. */
  readonly gone: AbortSignal;
}

/** The use case behind a route: the same function over HTTP and with `--direct`. Throws `Problem` for errors of the caller. */
export type Operation<R extends Route> = (request: Request<R>, context: OperationContext) => Promise<Answer<R>>;

/** One operation for each route. */
export type Operations = { readonly [K in OperationId]: Operation<Routes[K]> };
