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
  | { readonly kind: "listening"; readonly port: number; readonly loading: boolean }
  | { readonly kind: "loaded"; readonly fault: string | null; readonly about: object };

/** Reads a message from a child process. Returns undefined for messages of other senders. */
export function readMessage(message: unknown): Message | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  if ("port" in message && typeof message.port === "number") {
    return { kind: "listening", port: message.port, loading: "loading" in message && message.loading === true };
  }
  if ("fault" in message && (message.fault === null || typeof message.fault === "string")) {
    const about = "about" in message && typeof message.about === "object" ? (message.about ?? {}) : {};
    return { kind: "loaded", fault: message.fault, about };
  }
  return undefined;
}

/** Number of kills within `killsWithinMs` that count as a fault, although the service works in between. */
const maxKills = 3;
const killsWithinMs = 10 * 60_000;

/** Number of exits in a row before the service first works that count as a fault. */
const maxEarlyExits = 3;

/** Tracks the condition of a service across restarts of its process. Calls `onChange` with each new condition. */
export class ConditionTracker {
  readonly #onChange: (condition: Condition) => void;
  #condition: Condition = { state: "starting" };
  #earlyExits = 0;
  #reported = false;
  /** Times of the latest kills, on the monotonic clock. */
  #kills: readonly number[] = [];

  constructor(onChange: (condition: Condition) => void) {
    this.#onChange = onChange;
  }

  current(): Condition {
    return this.#condition;
  }

  /** Takes a message from the process. */
  receive(message: Message): void {
    if (message.kind === "listening" && message.loading) return;
    this.#reported = true;
    this.#earlyExits = 0;
    const fault = message.kind === "loaded" ? message.fault : null;
    this.#set(fault === null ? { state: "working" } : { state: "faulty", fault });
  }

  /** Handles that the service is not started at all. */
  refused(fault: string): void {
    this.#set({ state: "faulty", fault });
  }

  /** Handles an unexpected exit of the process. `how` is its exit code or signal, `killed` the explanation of a kill by the kernel. */
  exited(how: string, killed?: string): void {
    const now = performance.now();
    if (killed !== undefined) this.#kills = [...this.#kills.filter((at) => now - at < killsWithinMs), now];
    if (this.#reported) {
      this.#reported = false;
      if (killed !== undefined && this.#kills.length >= maxKills) {
        this.#set({ state: "faulty", fault: `${killed}; it happened ${this.#kills.length} times within ten minutes` });
        return;
      }
      // A fault stays until the next process reports.
      if (this.#condition.state === "working") this.#set({ state: "starting" });
      return;
    }
    this.#earlyExits += 1;
    if (this.#earlyExits < maxEarlyExits) return;
    const why = killed ?? "see the log for details";
    const fault = `its process ended ${this.#earlyExits} times before it was ready, last with ${how}; ${why}`;
    this.#set({ state: "faulty", fault });
  }

  #set(condition: Condition): void {
    if (JSON.stringify(condition) === JSON.stringify(this.#condition)) return;
    this.#condition = condition;
    this.#onChange(condition);
  }
}
