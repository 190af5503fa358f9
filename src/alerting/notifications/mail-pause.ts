import type { Clock } from "../../base/clock/clock.ts";
import { lastingDelayMs } from "../delivery/backoff.ts";
import type { Outcome } from "../delivery/outcome.ts";
import { notPastExpiry } from "./next-state.ts";
import type { Notification } from "./notification.ts";

/** Holds mails back while the mail server refuses every mail: homesec as it is configured, or the account. */
export interface MailPause {
  /** Starts a pause after an attempt that found such a refusal, and ends it after any other. */
  follow(outcome: Outcome): void;
  /** Returns until when a mail has to wait and why; undefined when it may be sent. */
  of(notification: Notification): { readonly until: Date; readonly reason: string } | undefined;
}

/** Makes the pause: one mail in 10 minutes tries the mail server, however many wait, so that no account gets locked. */
export function createMailPause(clock: Clock): MailPause {
  let refusal: { readonly answer: string; readonly at: Date; readonly until: number } | undefined;
  return {
    follow: (outcome) => {
      const isRefused = outcome.kind === "again" && (outcome.misconfigured || outcome.lasting === "account");
      refusal = isRefused ? { answer: outcome.answer, at: clock.now(), until: clock.monotonic() + lastingDelayMs } : undefined;
    },
    of: (notification) => {
      if (!refusal) return undefined;
      const { reason, nextAttemptAt } = notification;
      // It was held back by this refusal and is due before its time: a test of the channel found that it works
      if (reason?.startsWith(refusal.answer) && nextAttemptAt !== null && nextAttemptAt > refusal.at) return undefined;
      const waitMs = refusal.until - clock.monotonic();
      return waitMs > 0 ? { until: notPastExpiry(notification, clock.now(), waitMs), reason: refusal.answer } : undefined;
    },
  };
}
