/** State of a built-in service. */
export type Condition =
  /** The service is loading. Requests wait until it is ready. */
  | { readonly state: "starting" }
  | { readonly state: "working" }
  /** The service cannot work. `fault` gives the reason and the fix. */
  | { readonly state: "faulty"; readonly fault: string };

/** Returns the reason why a service cannot work, or undefined while it works or starts. */
export function faultOf(condition: Condition): string | undefined {
  return condition.state === "faulty" ? condition.fault : undefined;
}

/** A message from a child process: it is listening, or loading has ended. */
export type Message =
  | { readonly kind: "listens"; readonly port: number; readonly loading: boolean }
  | { readonly kind: "loaded"; readonly fault: string | null; readonly about: object };

/** Reads a message from a child process. Returns undefined for messages of other senders. */
export function readMessage(message: unknown): Message | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  if ("port" in message && typeof message.port === "number") {
    return { kind: "listens", port: message.port, loading: "loading" in message && message.loading === true };
  }
  if ("fault" in message && (message.fault === null || typeof message.fault === "string")) {
    const about = "about" in message && typeof message.about === "object" ? (message.about ?? {}) : {};
    return { kind: "loaded", fault: message.fault, about };
  }
  return undefined;
}

/** Number of exits in a row before the service first works that count as a fault. */
const mostEarlyEnds = 3;

/** Tracks the condition of a service across restarts of its process. Calls `onChange` with each new condition. */
export class ConditionKeeper {
  readonly #onChange: (condition: Condition) => void;
  #condition: Condition = { state: "starting" };
  #earlyEnds = 0;
  #told = false;

  constructor(onChange: (condition: Condition) => void) {
    this.#onChange = onChange;
  }

  current(): Condition {
    return this.#condition;
  }

  /** Takes a message from the process. */
  heard(message: Message): void {
    if (message.kind === "listens" && message.loading) return;
    this.#told = true;
    this.#earlyEnds = 0;
    const fault = message.kind === "loaded" ? message.fault : null;
    this.#become(fault === null ? { state: "working" } : { state: "faulty", fault });
  }

  /** Handles an unexpected exit of the process. `how` is its exit code or signal. */
  ended(how: string): void {
    if (this.#told) {
      this.#told = false;
      // A fault stays until the next process reports.
      if (this.#condition.state === "working") this.#become({ state: "starting" });
      return;
    }
    this.#earlyEnds += 1;
    if (this.#earlyEnds < mostEarlyEnds) return;
    const fault = `its process ended ${this.#earlyEnds} times before it was ready, last with ${how}; see the log for details`;
    this.#become({ state: "faulty", fault });
  }

  #become(condition: Condition): void {
    if (JSON.stringify(condition) === JSON.stringify(this.#condition)) return;
    this.#condition = condition;
    this.#onChange(condition);
  }
}
