import { causeOf, type Log } from "../../base/log/log.ts";
import type { Channel } from "./channel.ts";
import type { Counted } from "./outcome.ts";

/** The log line of one attempt, or of a message that ended without one. */
export interface LogEntry {
  readonly counted: Counted;
  /** Where the message goes, such as a webhook's id. Each target has its own faults. */
  readonly target: string;
  readonly level: "info" | "warn" | "error";
  readonly text: string;
  readonly fields: object;
  /** Why it failed; null for a success. */
  readonly reason: string | null;
  /** A failure that is logged at its level every time, not only once for each cause. */
  readonly isAlarm?: boolean;
}

/** A target with this many different causes does not work: further causes add nothing. */
const mostCauses = 20;

/**
 * Makes the log of deliveries. It logs each fault of a target once, however many messages it holds up, and logs when the target works
 * again; repetitions go to the level `debug`. It forgets its faults when the process ends, so a restart logs each of them again.
 */
export function createFaultLog(log: Log, recovered: Channel<unknown, unknown>["recovered"]): { write(entry: LogEntry): void } {
  const faults = new Map<string, { readonly causes: Set<string>; failures: number }>();
  return {
    write: ({ counted, target, level, text, fields, reason, isAlarm }) => {
      const known = faults.get(target);
      if (counted === "success") {
        if (known) {
          faults.delete(target);
          const again = recovered(target, known.failures);
          log.info(again.fields, again.text);
        }
        return log[level](fields, text);
      }
      if (isAlarm) return log[level](fields, text);
      const fault = known ?? { causes: new Set(), failures: 0 };
      faults.set(target, fault);
      if (counted === "failure") fault.failures += 1;
      const cause = `${counted} ${causeOf(reason ?? "")}`;
      const isKnown = fault.causes.has(cause) || fault.causes.size >= mostCauses;
      if (!isKnown) fault.causes.add(cause);
      log[isKnown ? "debug" : level](fields, text);
    },
  };
}
