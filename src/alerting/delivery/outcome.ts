/** How soon a retry is worth it. */
interface Pace {
  /** Only a change of the configuration helps, so retries are slower: many servers lock an account after a few failed logins. */
  readonly misconfigured?: true;
  /** The refusal passes, but hardly within minutes, so retries are slower. `account`: every other message would be refused too. */
  readonly lasting?: "message" | "account";
}

/** The outcome of an attempt, for every channel. */
export type Outcome = {
  /** The other side's answer, or the reason why it could not be reached. */
  readonly answer: string;
  /** Undefined when there was no HTTP response. */
  readonly response?: Response;
} & ( // The pace of a message that was sent is about the recipients who were not reached
  | (Pace & {
      readonly kind: "sent";
      /** Recipients that the mail server refused for good, each with its answer. */
      readonly refusedFor?: string;
      /** Recipients that the mail server may accept later. */
      readonly unreached?: readonly string[];
      /** The service's id of the message. */
      readonly reference?: string;
    })
  | (Pace & {
      readonly kind: "again";
      /** The other side asked to wait this long, in milliseconds. */
      readonly waitMs?: number;
      readonly unreached?: readonly string[];
    })
  /** `isGone`: the other side answered 410 and accepts nothing more. */
  | { readonly kind: "failed"; readonly isGone?: true }
);

/** An HTTP response: its status, the milliseconds until it arrived, and the first 2,000 characters of its body, storable as text. */
export interface Response {
  readonly status: number;
  readonly ms: number;
  readonly body: string;
}

/** How metrics and the log count an outcome. */
export type Counted = "success" | "retry" | "failure";
