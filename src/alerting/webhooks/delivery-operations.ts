import { dayMs } from "../../base/clock/clock.ts";
import { notFound, Problem } from "../../contract/problem.ts";
import type { webhookRoutes } from "../../contract/routes/webhooks.ts";
import { uuidOf } from "../../contract/values.ts";
import type { Operations } from "../../work/operations/operation.ts";
import {
  attemptsOf,
  countDeliveries,
  deliveryTotals,
  findDelivery,
  listDeliveries,
  retryDeliveries,
  successShares,
} from "./deliveries-repository.ts";
import { noSuchWebhook } from "./webhook.ts";
import { countWebhooks, findWebhook } from "./webhooks-repository.ts";

type DeliveryRoutes = Pick<
  typeof webhookRoutes,
  "listWebhookDeliveries" | "getWebhookDelivery" | "retryWebhookDelivery" | "getWebhookHealth"
>;

/** The operations on webhook deliveries. */
export const deliveryOperations: Pick<Operations, keyof DeliveryRoutes> = {
  listWebhookDeliveries: async ({ params, query: { limit, offset } }, { db }) => {
    const id = uuidOf(params.id);
    const found = await db.query(async (sql) => {
      if (id === undefined || !(await findWebhook(sql, id))) return undefined;
      return { deliveries: await listDeliveries(sql, id, { limit, offset }), total: await countDeliveries(sql, id) };
    });
    if (!found) throw noSuchWebhook(params.id);
    const { deliveries, total } = found;
    return { deliveries: [...deliveries], total, limit, offset, has_more: offset + deliveries.length < total };
  },

  getWebhookDelivery: async ({ params }, { db }) => {
    const id = uuidOf(params.delivery_id);
    const found =
      id &&
      (await db.query(async (sql) => {
        const delivery = await findDelivery(sql, id);
        return delivery && { ...delivery, attempts: [...(await attemptsOf(sql, id))] };
      }));
    if (!found) throw notFound("Delivery", params.delivery_id);
    const { data: _, emitted_at: __, ...record } = found;
    return record;
  },

  retryWebhookDelivery: async ({ params }, context) => {
    const id = uuidOf(params.delivery_id);
    const retry = await context.db.transaction(async (sql) => {
      const old = id && (await findDelivery(sql, id));
      if (!old) throw notFound("Delivery", params.delivery_id);
      if (old.status !== "failed") {
        throw new Problem("conflict", `Delivery ${id} is ${old.status}; only a failed one can be retried`);
      }
      const webhook = await findWebhook(sql, old.webhook_id, "lock");
      if (!webhook?.enabled) {
        throw new Problem("conflict", `The webhook of delivery ${id} is disabled; enable webhook ${old.webhook_id} first`);
      }
      const [created] = await retryDeliveries(sql, [old.id], context.clock.now());
      const delivery = created && (await findDelivery(sql, created.id));
      if (!delivery) throw notFound("Delivery", params.delivery_id);
      return delivery;
    });
    const { data: _, emitted_at: __, ...record } = retry;
    return record;
  },

  getWebhookHealth: async (_request, { db, clock }) => {
    const since = new Date(clock.now().getTime() - dayMs);
    const { webhooks, enabled, totals, shares } = await db.query(async (sql) => ({
      webhooks: await countWebhooks(sql, false),
      enabled: await countWebhooks(sql, true),
      totals: await deliveryTotals(sql, since),
      shares: await successShares(sql, since),
    }));
    return {
      total_webhooks: webhooks,
      enabled_webhooks: enabled,
      healthy_webhooks: shares.filter((share) => share > 0.9).length,
      unhealthy_webhooks: shares.filter((share) => share < 0.5).length,
      total_deliveries_24h: totals.total,
      successful_deliveries_24h: totals.successful,
      failed_deliveries_24h: totals.failed,
      average_response_time_ms: totals.averageMs === null ? null : Math.round(totals.averageMs * 100) / 100,
    };
  },
};
