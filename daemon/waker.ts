import type { HandOver } from "../src/platform/store/hand-over.ts";
import type { WakeNote } from "../src/work/jobs/wakes-repository.ts";

interface Wakeable {
  wake(): void;
}

/** Makes the function that wakes the worker of this process that has something to do after a commit with a note. Subscribe it to `Database.onCommitted`. */
export function createWaker(workers: {
  readonly publisher: Wakeable;
  readonly aggregator: Wakeable;
  readonly watcher: Wakeable;
  readonly handOver: Pick<HandOver, "wake">;
  /** Hands over the queue `deliver`. */
  readonly lanes: Pick<HandOver, "wake">;
}): (note: string) => void {
  return (text) => {
    const note = text as WakeNote;
    if (note === "journal") workers.publisher.wake();
    else if (note === "batches") workers.aggregator.wake();
    else if (note === "watcher") workers.watcher.wake();
    else if (note === "jobs:deliver") workers.lanes.wake("deliver");
    else workers.handOver.wake(note.slice("jobs:".length));
  };
}
