import { For } from "../../api/use-may.tsx";
import { Breakers } from "./breakers.tsx";
import { CompareDetectors } from "./compare-detectors.tsx";
import { DeadLetters } from "./dead-letters.tsx";
import { FileQuestion } from "./file.tsx";
import { SystemFrame } from "./frame.tsx";
import { Queues, Watcher } from "./queues.tsx";
import { Selftest } from "./selftest.tsx";
import { Times } from "./times.tsx";

/** How pictures go through homesec: what waits, what failed, what is slow, and a test of it all. */
export default function ProcessingPage() {
  return (
    <SystemFrame>
      <div className="gap-6 lg:grid lg:grid-cols-2">
        <Queues />
        <Times />
      </div>
      <For who="owner">
        <Selftest />
        <CompareDetectors />
        <DeadLetters />
      </For>
      <div className="gap-6 lg:grid lg:grid-cols-2">
        <Breakers />
        <div>
          <Watcher />
          <FileQuestion />
        </div>
      </div>
    </SystemFrame>
  );
}
