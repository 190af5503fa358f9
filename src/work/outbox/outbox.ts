import { z } from "zod";
import { type OutboundEvent, outboundEvents } from "../../contract/outbound-events.ts";
import type { Sql } from "../../platform/database/database.ts";
import { queueDeliveries } from "./outbox-repository.ts";

export { replaceUnsent } from "./outbox-repository.ts";

/**
 * Queues these events for every enabled webhook that subscribed to them or is named for them, in the transaction that caused them. They are stored in the
 * contract's wire format. Throws a `ZodError` if an event does not match its schema.
 */
export async function emit(sql: Sql, events: readonly OutboundEvent[], now: Date): Promise<void> {
  if (events.length === 0) return;
  await queueDeliveries(
    sql,
    events.map((event) => ({
      type: event.type,
      eventId: event.eventId,
      data: wireData(event),
      about: event.about === undefined ? null : String(event.about.eventId),
      alert: event.alert,
      webhookIds: event.webhookIds ?? [],
      availableAt: event.about?.judgementDueAt ?? now,
    })),
    now,
  );
}

function wireData({ type, data }: OutboundEvent): string {
  return JSON.stringify(z.encode(outboundEvents[type] as z.ZodType, data));
}
