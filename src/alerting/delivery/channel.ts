import type { Sql } from "../../platform/database/database.ts";
import type { ClaimedJob } from "../../work/jobs/jobs-repository.ts";
import type { LogEntry } from "./fault-log.ts";
import type { Counted, Outcome } from "./outcome.ts";

/**
 * One kind of message as the engine delivers it: how to load it, render it, send it and store the result. `Item` is the message as the
 * database has it, `Request` is what goes over the network.
 */
export interface Channel<Item, Request> {
  /** Reads the message of a job; undefined when nothing is left to deliver. */
  load(sql: Sql, id: string): Promise<Item | undefined>;
  /** Makes the request, or decides that none is sent now; undefined when the message has no content any more. */
  render(item: Item, run: Run): Promise<Rendered<Request> | undefined>;
  /** Makes one attempt and says what the answer means. Never throws for what the other side did. */
  send(request: Request, signal: AbortSignal): Promise<Outcome>;
  /**
   * Stores the attempt and the next state, in the transaction that ends the job. Locks rows in the order of decision 8. Undefined: the
   * message was deleted meanwhile, together with its job.
   */
  store(sql: Sql, item: Item, result: Result<Request>, job: ClaimedJob): Promise<Stored | undefined>;
  /** Runs after the commit: counts metrics, and returns what the log says about it. */
  afterCommit(item: Item, result: Result<Request>, stored: Stored): LogEntry | undefined;
  /** The log line of a target that works again, after `failures` messages failed for good. */
  recovered(target: string, failures: number): Pick<LogEntry, "fields" | "text">;
}

/** One run of a job. */
export interface Run {
  readonly job: ClaimedJob;
  readonly startedAt: Date;
  readonly signal: AbortSignal;
}

/** The result of rendering: a request to send, an outcome that needs no request, or the reason why nothing is sent now. */
export type Rendered<Request> =
  | { readonly kind: "request"; readonly request: Request }
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  | Unsent;

/** Why nothing was sent: the message waits until later, or it ended without an attempt. */
export type Unsent =
  | { readonly kind: "waits"; readonly until: Date; readonly reason: string | null }
  /** A null reason keeps the stored one. */
  | { readonly kind: "ended"; readonly as: "cancelled"; readonly reason: string | null }
  | { readonly kind: "ended"; readonly as: "expired" | "failed"; readonly reason: string };

/** An attempt and its outcome. `request` is undefined when none could be made. */
export interface Attempted<Request> {
  readonly kind: "attempted";
  readonly startedAt: Date;
  readonly outcome: Outcome;
  readonly request: Request | undefined;
}

/** The result of one run of a job. `at` is when the attempt, or the decision not to make one, ended. */
export type Result<Request> = (Attempted<Request> | Unsent) & { readonly at: Date };

/** How a job ends: it is finished, given back for a later attempt, or moved to the dead letters. */
export type JobEnd =
  | { readonly kind: "finish" }
  | {
      readonly kind: "release";
      readonly availableAt: Date;
      readonly error: string | null;
      /** As `releaseJob` counts it. */
      readonly attempt: "free" | "deferred";
      readonly priority?: number;
    }
  | { readonly kind: "bury"; readonly error: string };

/** The decision of `store`: how the job ends, and how the result counts. A message that waits or was cancelled does not count. */
export interface Stored {
  readonly job: JobEnd;
  readonly counted: Counted | undefined;
}
