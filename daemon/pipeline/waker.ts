import type { JobDispatcher } from "../../src/platform/store/job-dispatcher.ts";
import type { WakeNote } from "../../src/work/jobs/wakes-repository.ts";

interface Wakeable {
  wake(): void;
}

/** Creates the function that wakes the worker that has work after a commit with a note. Subscribe it to `Database.onCommitted`. */
export function createWaker(workers: {
  readonly publisher: Wakeable;
  readonly aggregator: Wakeable;
  readonly watcher: Wakeable;
  readonly dispatcher: Pick<JobDispatcher, "wake">;
  /** Dispatches the queue `deliver`. */
  readonly deliveryDispatcher: Pick<JobDispatcher, "wake">;
}): (note: string) => void {
  return (text) => {
    const note = text as WakeNote;
    if (note === "journal") workers.publisher.wake();
    else if (note === "batches") workers.aggregator.wake();
    else if (note === "watcher") workers.watcher.wake();
    else if (note === "jobs:deliver") workers.deliveryDispatcher.wake("deliver");
    else if (note.startsWith("jobs:")) workers.dispatcher.wake(note.slice("jobs:".length));
  };
}
