import { useState } from "react";
import type { z } from "zod";
import { type Delivery, webhookRoutes } from "../../../../src/contract/routes/webhooks.ts";
import { useAction, useReply } from "../../../api/use-reply.ts";
import { useAttempt } from "../../../parts/attempt.ts";
import { Button } from "../../../parts/button.tsx";
import { Section } from "../../../parts/page.tsx";
import { Loaded } from "../../../parts/states.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { DaemonText } from "../../../texts/daemon-text.tsx";
import { Ago, useFormat } from "../../../texts/format.tsx";
import { useTexts } from "../../../texts/texts.tsx";
import { DeliveryState } from "../webhooks.tsx";

type DeliveryRecord = z.output<typeof Delivery>;

const step = 20;

/** What was sent to a webhook, newest first, with a retry for what failed. */
export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const texts = useTexts();
  const { webhooks } = useAdminTexts();
  const [limit, setLimit] = useState(step);
  const request = { params: { id: webhookId }, query: { limit } };
  const deliveries = useReply(webhookRoutes.listWebhookDeliveries, request, { everyMs: 5_000 });
  return (
    <Section title={webhooks.deliveries}>
      <Loaded reply={deliveries} waiting={<div className="h-40" />}>
        {(data) =>
          data.deliveries.length === 0 ? (
            <p className="text-soft">{webhooks.noDelivery}</p>
          ) : (
            <>
              <ul className="rounded-xl border border-line bg-card px-4">
                {data.deliveries.map((delivery) => (
                  <li key={delivery.id} className="border-b border-line py-2 last:border-0">
                    <Row delivery={delivery} />
                  </li>
                ))}
              </ul>
              {data.has_more && (
                <Button className="mt-3 w-full" onClick={() => setLimit(Math.min(1000, limit + 2 * step))}>
                  {texts.common.more}
                </Button>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function Row({ delivery }: { readonly delivery: DeliveryRecord }) {
  const { webhooks } = useAdminTexts();
  const attempt = useAttempt();
  const [isOpen, setOpen] = useState(false);
  const retry = useAction(webhookRoutes.retryWebhookDelivery, [webhookRoutes.listWebhookDeliveries]);
  const { id, status, event_type, created_at, error_message } = delivery;
  const named = (webhooks.event as Readonly<Record<string, string>>)[event_type] ?? event_type;
  return (
    <div className="flex flex-wrap items-start justify-between gap-2">
      <details className="min-w-0 flex-1" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="min-h-11 py-1">
          <DeliveryState status={status} /> · {named} · <Ago time={created_at} className="text-soft" />
          {error_message !== null && (
            <span className="block text-sm text-soft">
              <DaemonText>{error_message}</DaemonText>
            </span>
          )}
        </summary>
        {isOpen && <Attempts deliveryId={id} />}
      </details>
      {status === "failed" && (
        <Button isBusy={retry.isRunning} onClick={() => void attempt(retry.run({ params: { delivery_id: id } }), webhooks.retrying)}>
          {webhooks.retry}
        </Button>
      )}
    </div>
  );
}

function Attempts({ deliveryId }: { readonly deliveryId: string }) {
  const { webhooks } = useAdminTexts();
  const format = useFormat();
  const delivery = useReply(webhookRoutes.getWebhookDelivery, { params: { delivery_id: deliveryId } });
  return (
    <Loaded reply={delivery}>
      {({ attempts, next_retry_at }) => (
        <ol className="my-2 grid gap-1 text-sm">
          {attempts.map(({ attempt, started_at, finished_at, status_code, error, response }) => (
            <li key={attempt}>
              {webhooks.attempt(attempt, format.time(started_at), finished_at.getTime() - started_at.getTime(), status_code)}
              {error !== null && (
                <span className="block text-critical">
                  <DaemonText>{error}</DaemonText>
                </span>
              )}
              {response && <span className="block font-mono break-all text-soft">{response.slice(0, 300)}</span>}
            </li>
          ))}
          {next_retry_at && <li className="text-soft">{webhooks.next(format.time(next_retry_at))}</li>}
        </ol>
      )}
    </Loaded>
  );
}
