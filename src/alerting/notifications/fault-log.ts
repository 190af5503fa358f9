import { causeOf } from "../../base/log/cause.ts";
import type { Log } from "../../base/log/log.ts";
import type { Outcome } from "../delivery/outcome.ts";
import type { Channel } from "./channels.ts";

interface Told {
  readonly id: string;
  readonly channel: Channel;
  readonly alertId: string | null;
  readonly silenceId: string | null;
  /** `sent`: to some of its recipients. */
  readonly status: string;
}

/** Tells the log of channels that do not work: once per cause, however many messages it holds up, and when it is over. */
export interface FaultLog {
  heard(notification: Told, outcome: Outcome): void;
  ended(notification: Told, reason: string): void;
}

/** Causes are remembered in this process only: after a restart each is told once more. */
export function createFaultLog(log: Log): FaultLog {
  const causes = new Map<Channel, string>();
  const ended = ({ id, channel, alertId, silenceId, status }: Told, reason: string): void =>
    log.error(
      { channel, notification: id, ...(alertId === null ? { silence: silenceId } : { alert: alertId }), reason },
      status === "sent"
        ? "a mail went to some of its recipients, and is not tried again for the others"
        : "a notification was given up; it is in the dead letters of the queue deliver",
    );
  return {
    ended,
    heard: (notification, outcome) => {
      const { channel, id } = notification;
      switch (outcome.kind) {
        case "sent":
          if (causes.delete(channel)) log.info({ channel }, "notifications go out again");
          if (outcome.refusedFor !== undefined)
            log.warn({ channel, notification: id, reason: outcome.refusedFor }, "a mail was not taken for every recipient");
          return;
        case "failed":
          ended(notification, outcome.answer);
          return;
        case "again": {
          const cause = causeOf(outcome.answer);
          if (causes.get(channel) === cause) return;
          causes.set(channel, cause);
          const fields = { channel, notification: id, reason: outcome.answer };
          if (outcome.misconfigured)
            log.error(fields, "notifications cannot be sent as homesec is configured; they wait until that is mended");
          else log.warn(fields, "a notification could not be sent; it is tried again");
        }
      }
    },
  };
}
