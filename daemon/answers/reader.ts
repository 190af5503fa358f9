import { storeFault } from "../../src/alerting/answers/sources-repository.ts";
import type { TakingContext } from "../../src/alerting/answers/take.ts";
import type { Outbound } from "../../src/platform/outbound/outbound.ts";

/** What the readers of the services that bring answers need. */
export interface ReaderContext extends TakingContext {
  readonly outbound: Pick<Outbound, "post" | "lines">;
}

/**
 * Creates the function that stores why the answers of a source cannot be read; null: they can. The log has one line when an outage begins,
 * whatever the service says meanwhile, and one when it ends.
 */
export function createFaultReport(source: string, { db, clock, log }: ReaderContext): (fault: string | null) => Promise<void> {
  let isFailing = false;
  return async (fault) => {
    await db.query((sql) => storeFault(sql, source, fault, clock.now()));
    const isNews = isFailing !== (fault !== null);
    isFailing = fault !== null;
    if (!isNews) return;
    if (fault === null) log.info({ source }, "homesec reads the buttons of phones again");
    else log.warn({ source, why: fault }, "homesec cannot read the buttons of phones; trying again");
  };
}
