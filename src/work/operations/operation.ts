import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import type { Answer } from "../../contract/answer.ts";
import type { Request, Route } from "../../contract/route.ts";
import type { OperationId, Routes } from "../../contract/routes/index.ts";
import type { Config } from "../../platform/config/config.ts";
import type { ChangeableSettings } from "../../platform/config/settings.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Outbound } from "../../platform/outbound/outbound.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import type { Store } from "../../platform/store/store.ts";
import type { Runtime } from "./runtime.ts";

/** What an operation may use. `runtime` is there in the daemon only: with `--direct` nothing else runs. */
export interface OperationContext {
  readonly db: Database;
  readonly store: Store;
  readonly config: Config;
  readonly settings: ChangeableSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** Sends to addresses that a person has entered. */
  readonly outbound: Outbound;
  /** For secrets that are stored. */
  readonly sealer: Sealer;
  readonly runtime: Runtime | undefined;
  /** Who asks over HTTP. Undefined in this process itself (`--direct`), which may do what the database lets it do. */
  readonly caller?: Caller | undefined;
}

/** What an operation may know of who asks. */
export interface Caller {
  /** The request came over the loopback interface, and not through a proxy that passes on what others ask. */
  readonly isLocal: boolean;
  /** It carried a valid API key. */
  readonly isAuthenticated: boolean;
  /** Aborted when the connection ends before the answer does: nobody waits for it any more. */
  readonly gone: AbortSignal;
}

/** The use case behind a route: the same function over HTTP and with `--direct`. Throws `Problem` for what the caller did wrong. */
export type Operation<R extends Route> = (request: Request<R>, context: OperationContext) => Promise<Answer<R>>;

/** One operation for each route. */
export type Operations = { readonly [K in OperationId]: Operation<Routes[K]> };
