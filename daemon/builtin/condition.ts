/** How a built-in service is. */
export type Condition =
  /** It loads; who asks now waits. */
  | { readonly state: "starting" }
  | { readonly state: "working" }
  /** It cannot work, and `fault` says why and what to do. */
  | { readonly state: "faulty"; readonly fault: string };

/** Why a service cannot work; undefined while it can, or starts. */
export function faultOf(condition: Condition): string | undefined {
  return condition.state === "faulty" ? condition.fault : undefined;
}

/** What a child process tells: that it listens, or how its loading ended. */
export type Message =
  | { readonly kind: "listens"; readonly port: number; readonly loading: boolean }
  | { readonly kind: "loaded"; readonly fault: string | null; readonly about: object };

/** Reads a message of a child process; undefined for what is none of ours. */
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

/** So many ends in a row before it could work are no accident. */
const mostEarlyEnds = 3;

/** Keeps the condition of a service over the lives of its process; `onChange` is told of each other one. */
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

  /** A process has told something. */
  heard(message: Message): void {
    if (message.kind === "listens" && message.loading) return;
    this.#told = true;
    this.#earlyEnds = 0;
    const fault = message.kind === "loaded" ? message.fault : null;
    this.#become(fault === null ? { state: "working" } : { state: "faulty", fault });
  }

  /** A process has ended though it is wanted; `how` says with which code or signal. */
  ended(how: string): void {
    if (this.#told) {
      this.#told = false;
      // a fault stays until the next process knows better
      if (this.#condition.state === "working") this.#become({ state: "starting" });
      return;
    }
    this.#earlyEnds += 1;
    if (this.#earlyEnds < mostEarlyEnds) return;
    const fault = `its process ended ${this.#earlyEnds} times before it could work, last with ${how}; the log says more`;
    this.#become({ state: "faulty", fault });
  }

  #become(condition: Condition): void {
    if (JSON.stringify(condition) === JSON.stringify(this.#condition)) return;
    this.#condition = condition;
    this.#onChange(condition);
  }
}
