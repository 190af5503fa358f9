/** What an attempt to deliver something led to, whatever the channel. */
export type Outcome =
  | {
      readonly kind: "sent";
      readonly answer: string;
      /** Recipients that the mail server refused for good, each with its answer. */
      readonly refusedFor?: string;
      /** Recipients that the mail server may accept later. */
      readonly unreached?: readonly string[];
      readonly response?: Response;
    }
  | {
      readonly kind: "again";
      /** What the other side answered, or why it could not be reached. */
      readonly answer: string;
      /** Only a change of the configuration helps, so retries are slower: many servers lock an account after a few failed logins. */
      readonly misconfigured?: true;
      /** The other side asked to wait this long, in milliseconds. */
      readonly waitMs?: number;
      readonly unreached?: readonly string[];
      readonly response?: Response;
    }
  | {
      readonly kind: "failed";
      readonly answer: string;
      /** The other side answered 410 Gone: it accepts nothing more. */
      readonly isGone?: true;
      readonly response?: Response;
    };

/** The HTTP response to an attempt. */
export interface Response {
  readonly status: number;
  /** Milliseconds until the response arrived. */
  readonly ms: number;
  /** The first 2,000 characters, storable as text. */
  readonly body: string;
}

/** How metrics and the log count an outcome. */
export type Counted = "success" | "retry" | "failure";
