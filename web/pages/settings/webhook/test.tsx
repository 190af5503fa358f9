import { useState } from "react";
import { outboundEventTypes, sampleKinds } from "../../../../src/contract/constants.ts";
import { webhookRoutes } from "../../../../src/contract/routes/webhooks.ts";
import { useAction } from "../../../api/use-reply.ts";
import { Button } from "../../../parts/button.tsx";
import { SelectField } from "../../../parts/fields.tsx";
import { Section } from "../../../parts/page.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { useTexts } from "../../../texts/texts.tsx";
import type { WebhookRecord } from "../webhooks.tsx";

type EventType = (typeof outboundEventTypes)[number];
type Sample = EventType | (typeof sampleKinds)[number];

/** The event type of an alternative sample. */
const typeOf = { camera_health: "event_created", scene_change: "anomaly_detected" } as const;

/** Sends a sample to a webhook and shows the answer. */
export function WebhookTest({ webhook }: { readonly webhook: WebhookRecord }) {
  const texts = useTexts();
  const { webhooks, channels } = useAdminTexts();
  const [sample, setSample] = useState<Sample>(webhook.event_types[0] ?? "alert_fired");
  const test = useAction(webhookRoutes.testWebhook, []);
  const [said, setSaid] = useState<{ readonly isGood: boolean; readonly text: string; readonly body: string }>();
  const send = async (): Promise<void> => {
    setSaid(undefined);
    const body =
      sample === "camera_health" || sample === "scene_change" ? { event_type: typeOf[sample], kind: sample } : { event_type: sample };
    try {
      const result = await test.run({ params: { id: webhook.id }, body });
      const text = result.success ? webhooks.tested(result.status_code, result.response_time_ms) : (result.error_message ?? "");
      setSaid({ isGood: result.success, text, body: result.response_body });
    } catch (error) {
      setSaid({ isGood: false, text: texts.fault(error), body: "" });
    }
  };
  const samples: readonly Sample[] = [...outboundEventTypes, ...sampleKinds];
  return (
    <Section title={channels.test}>
      <form
        className="grid gap-3 rounded-xl border border-line bg-card p-4 sm:grid-cols-[1fr_auto] sm:items-end"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          void send();
        }}
      >
        <SelectField
          label={webhooks.sample}
          value={sample}
          options={samples.map((each) => [each, webhooks.event[each]] as const)}
          onValue={setSample}
        />
        <Button type="submit" look="main" isBusy={test.isRunning} className="min-h-11">
          {test.isRunning ? channels.sending : channels.test}
        </Button>
        <p role="status" className={`min-h-6 text-sm sm:col-span-2 ${said?.isGood ? "text-good" : "text-critical"}`}>
          {said?.text}
          {said && said.body !== "" && <span className="mt-1 block font-mono break-all text-soft">{said.body.slice(0, 300)}</span>}
        </p>
      </form>
    </Section>
  );
}
