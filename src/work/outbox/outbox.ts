import { z } from "zod";
import { type OutboundEvent, outboundEvents } from "../../contract/outbound-events.ts";
import type { Sql } from "../../platform/database/database.ts";
import { queueDeliveries } from "./outbox-repository.ts";

/**
 * Has every enabled webhook that subscribed to these events told of them, in the transaction that made them true. They
 * are stored in the contract's wire form. Throws a `ZodError` when an event does not fit its schema.
 */
export async function emit(sql: Sql, events: readonly OutboundEvent[], now: Date): Promise<void> {
  if (events.length === 0) return;
  await queueDeliveries(
    sql,
    events.map((event) => ({ type: event.type, eventId: event.eventId, data: wireData(event) })),
    now,
  );
}

function wireData({ type, data }: OutboundEvent): string {
  return JSON.stringify(z.encode(outboundEvents[type] as z.ZodType, data));
}
