import type { FreshContent } from "../src/monitoring/images/fresh-content.ts";
import type { HandOver } from "../src/platform/store/hand-over.ts";
import type { OperationContext } from "../src/work/operations/operation.ts";
import type { Runtime } from "../src/work/operations/runtime.ts";
import type { Peers } from "./cluster/peers.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Upstreams } from "./upstreams.ts";

/** What the parts of the daemon share, when they are made. */
export interface Parts {
  readonly context: OperationContext;
  readonly runtime: Runtime;
  /** Under which this process claims its jobs. */
  readonly processId: string;
  readonly upstreams: Upstreams;
  readonly handOver: HandOver;
  /** The hand-over of what is delivered: its lanes are kept in the rows, so it never leaves this process. */
  readonly lanes: HandOver;
  readonly metrics: Metrics;
  /** What the file watcher has read, for the detect stage. */
  readonly fresh: FreshContent;
  /** The other daemons on this database. */
  readonly peers: Peers;
}
