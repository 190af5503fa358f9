import { causeOf } from "../../base/log/cause.ts";
import type { Log } from "../../base/log/log.ts";

/** What an attempt was about, as the log shows it. */
interface Failed {
  readonly webhook: string;
  readonly error: string | null;
  readonly [field: string]: unknown;
}

/** Tells the log of webhooks that do not work: each fault once, however many deliveries it holds up, and when it is over. */
export interface FaultLog {
  /** A delivery is tried again (`retry`) or given up (`failure`). What was told before goes to `debug`. */
  failed(fields: Failed, then: "retry" | "failure"): void;
  /** A delivery has arrived. */
  arrived(webhook: string): void;
}

/** What a webhook says in so many ways is always the same: it does not work. */
const mostCauses = 20;

/** Faults are remembered in this process only: after a restart each is told once more. */
export function createFaultLog(log: Log): FaultLog {
  const faults = new Map<string, { readonly told: Set<string>; givenUp: number }>();
  return {
    failed: (fields, then) => {
      const fault = faults.get(fields.webhook) ?? { told: new Set(), givenUp: 0 };
      faults.set(fields.webhook, fault);
      if (then === "failure") fault.givenUp += 1;
      const cause = `${then} ${causeOf(fields.error ?? "")}`;
      const isKnown = fault.told.has(cause) || fault.told.size >= mostCauses;
      const level = isKnown ? "debug" : "warn";
      if (!isKnown) fault.told.add(cause);
      const fate = then === "retry" ? "; it is tried again" : " and is given up; it is in the dead letters of the queue deliver";
      log[level](fields, `a webhook could not be delivered${fate}`);
    },
    arrived: (webhook) => {
      const fault = faults.get(webhook);
      if (!fault) return;
      faults.delete(webhook);
      const remedy = fault.givenUp > 0 ? "; `homesec dlq requeue deliver` sends what was given up meanwhile" : "";
      log.info({ webhook, given_up: fault.givenUp }, `a webhook works again${remedy}`);
    },
  };
}
