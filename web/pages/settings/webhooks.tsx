import { Link } from "wouter";
import type { z } from "zod";
import { type Webhook, webhookRoutes } from "../../../src/contract/routes/webhooks.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { Ago, useFormat } from "../../texts/format.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { SettingsFrame } from "./frame.tsx";

/** A webhook as the API returns it. */
export type WebhookRecord = z.output<typeof Webhook>;

/** The routes whose replies a change of a webhook changes. */
export const webhookReplies = [webhookRoutes.listWebhooks, webhookRoutes.getWebhook, webhookRoutes.getWebhookHealth] as const;

/** The outbound webhooks with their health. */
export default function WebhooksPage() {
  const { webhooks } = useAdminTexts();
  const list = useReply(webhookRoutes.listWebhooks, { query: { limit: 1000 } }, { everyMs: 15_000 });
  const add = (
    <Link href="/settings/webhooks/new" className="inline-flex min-h-11 items-center rounded-lg bg-accent px-4 font-medium text-on-accent">
      {webhooks.add}
    </Link>
  );
  return (
    <SettingsFrame title={webhooks.title} actions={add}>
      <Loaded reply={list} waiting={<div className="h-96" />}>
        {({ webhooks: all }) =>
          all.length === 0 ? (
            <Empty title={webhooks.empty} hint={webhooks.emptyHint} />
          ) : (
            <>
              <Health />
              <ul className="grid gap-3 lg:grid-cols-2">
                {all.map((webhook) => (
                  <li key={webhook.id}>
                    <Card webhook={webhook} />
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </SettingsFrame>
  );
}

function Health() {
  const { webhooks } = useAdminTexts();
  const format = useFormat();
  const { data } = useReply(webhookRoutes.getWebhookHealth, {}, { everyMs: 15_000 });
  return (
    <p className="mb-4 min-h-6 text-sm text-soft">
      {data &&
        webhooks.health(
          data.successful_deliveries_24h,
          data.failed_deliveries_24h,
          data.average_response_time_ms === null ? undefined : format.number(Math.round(data.average_response_time_ms)),
        )}
    </p>
  );
}

function Card({ webhook }: { readonly webhook: WebhookRecord }) {
  const { webhooks } = useAdminTexts();
  const { id, name, url, last_delivery_at, last_delivery_status, total_deliveries, successful_deliveries } = webhook;
  return (
    <article className={`h-full rounded-xl border border-line bg-card p-4 ${webhook.enabled ? "" : "opacity-80"}`}>
      <header className="flex items-start justify-between gap-3">
        <Link href={`/settings/webhooks/${id}`} className="min-w-0 text-lg font-semibold underline-offset-4 hover:underline">
          {name}
        </Link>
        <EnableSwitch webhook={webhook} />
      </header>
      <p className="text-sm break-all text-soft">{url}</p>
      <p className="mt-2 text-sm">
        {last_delivery_at === null || last_delivery_status === null ? (
          webhooks.noDelivery
        ) : (
          <>
            <DeliveryState status={last_delivery_status} /> · <Ago time={last_delivery_at} /> ·{" "}
            {webhooks.accepted(successful_deliveries, total_deliveries)}
          </>
        )}
      </p>
      {webhook.disabled_reason !== null && (
        <p className="mt-1 text-sm text-high">
          <DaemonText>{webhook.disabled_reason}</DaemonText>
        </p>
      )}
    </article>
  );
}

const colours = { success: "text-good", failed: "text-critical", retrying: "text-high", pending: "text-soft" } as const;

/** The state of a delivery by word and colour. */
export function DeliveryState({ status }: { readonly status: keyof typeof colours }) {
  const { webhooks } = useAdminTexts();
  return <span className={`font-medium ${colours[status]}`}>{webhooks.status[status]}</span>;
}

/** Switches the deliveries of a webhook on and off. */
export function EnableSwitch({ webhook: { id, name, enabled } }: { readonly webhook: WebhookRecord }) {
  const texts = useTexts();
  const attempt = useAttempt();
  const enable = useAction(webhookRoutes.enableWebhook, webhookReplies);
  const disable = useAction(webhookRoutes.disableWebhook, webhookReplies);
  const toggle = (): void => void attempt((enabled ? disable : enable).run({ params: { id } }));
  return (
    <Button role="switch" aria-checked={enabled} aria-label={name} onClick={toggle} isBusy={enable.isRunning || disable.isRunning}>
      {enabled ? texts.common.on : texts.common.off}
    </Button>
  );
}
