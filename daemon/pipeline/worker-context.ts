import type { FreshContent } from "../../src/monitoring/images/fresh-content.ts";
import type { JobDispatcher } from "../../src/platform/store/job-dispatcher.ts";
import type { OperationContext } from "../../src/work/operations/operation.ts";
import type { Runtime } from "../../src/work/operations/runtime.ts";
import type { Peers } from "../cluster/peers.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Upstreams } from "../upstreams/upstreams.ts";

/** Shared dependencies of the workers of a daemon or of a self-test. */
export interface WorkerContext {
  readonly context: OperationContext;
  readonly runtime: Runtime;
  /** Claims of this process carry this id. */
  readonly processId: string;
  readonly upstreams: Upstreams;
  readonly dispatcher: JobDispatcher;
  /** Dispatches the queue `deliver`. Its sub-queues exist only in the rows, so its jobs never leave this process. */
  readonly deliveryDispatcher: JobDispatcher;
  readonly metrics: Metrics;
  /** Contents that the file watcher has just read, for the detect stage. */
  readonly fresh: FreshContent;
  /** The other daemons on this database. */
  readonly peers: Peers;
}
