import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { webhookRoutes } from "../../../src/contract/routes/webhooks.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Note, SettingsFrame } from "./frame.tsx";
import { Deliveries } from "./webhook/deliveries.tsx";
import { changeBody, draftOf, emptyDraft, newBody } from "./webhook/draft.ts";
import { WebhookForm } from "./webhook/form.tsx";
import { WebhookTest } from "./webhook/test.tsx";
import { EnableSwitch, type WebhookRecord, webhookReplies } from "./webhooks.tsx";

/** One webhook, or the form of a new one. */
export default function WebhookPage() {
  const id = useParams()["id"] ?? "";
  return id === "new" ? <NewWebhook /> : <StoredWebhook key={id} id={id} />;
}

function NewWebhook() {
  const { webhooks } = useAdminTexts();
  const create = useAction(webhookRoutes.createWebhook, webhookReplies);
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string }>();
  if (made) {
    return (
      <SettingsFrame title={webhooks.made}>
        <Note title={webhooks.signing}>
          <p>{webhooks.signingHint}</p>
          <CopyText label={webhooks.signing} text={made.secret} />
        </Note>
        <Link
          href={`/settings/webhooks/${made.id}`}
          className="inline-flex min-h-11 items-center rounded-lg bg-accent px-4 font-medium text-on-accent"
        >
          {webhooks.goOn}
        </Link>
      </SettingsFrame>
    );
  }
  return (
    <SettingsFrame title={webhooks.add}>
      <WebhookForm
        initial={emptyDraft}
        submit={webhooks.create}
        isRunning={create.isRunning}
        error={create.error}
        onSubmit={(draft) =>
          void create.run({ body: newBody(draft) }).then(
            ({ id, signing_secret }) => setMade({ id, secret: signing_secret }),
            () => {},
          )
        }
      />
    </SettingsFrame>
  );
}

function StoredWebhook({ id }: { readonly id: string }) {
  const { webhooks } = useAdminTexts();
  const webhook = useReply(webhookRoutes.getWebhook, { params: { id } });
  return (
    <SettingsFrame title={webhook.data?.name ?? webhooks.title} actions={webhook.data && <EnableSwitch webhook={webhook.data} />}>
      <Loaded reply={webhook} waiting={<div className="h-96" />}>
        {(data) => (
          <>
            {data.disabled_reason !== null && (
              <Note title={webhooks.disabled} isWarning>
                <DaemonText>{data.disabled_reason}</DaemonText>
              </Note>
            )}
            <WebhookTest webhook={data} />
            <Deliveries webhookId={id} />
            <Change webhook={data} />
            <Secret id={id} />
            <Remove webhook={data} />
          </>
        )}
      </Loaded>
    </SettingsFrame>
  );
}

function Change({ webhook }: { readonly webhook: WebhookRecord }) {
  const texts = useTexts();
  const { webhooks } = useAdminTexts();
  const attempt = useAttempt();
  const update = useAction(webhookRoutes.updateWebhook, webhookReplies);
  return (
    <Section title={webhooks.change}>
      <WebhookForm
        initial={draftOf(webhook)}
        submit={texts.common.save}
        isRunning={update.isRunning}
        error={update.error}
        onSubmit={(draft) => void attempt(update.run({ params: { id: webhook.id }, body: changeBody(draft) }), texts.event.saved)}
      />
    </Section>
  );
}

function Secret({ id }: { readonly id: string }) {
  const { webhooks } = useAdminTexts();
  const format = useFormat();
  const attempt = useAttempt();
  const [secret, setSecret] = useState<{ readonly text: string; readonly until: Date }>();
  const rotate = useAction(webhookRoutes.rotateWebhookSecret, []);
  const onRotate = async (): Promise<void> => {
    const made = await attempt(rotate.run({ params: { id } }));
    if (made) setSecret({ text: made.signing_secret, until: made.previous_secret_valid_until });
  };
  return (
    <Section title={webhooks.signing}>
      <p className="mb-3 text-sm text-soft">{webhooks.signingHint}</p>
      {secret && (
        <Note title={webhooks.newSecret}>
          <p>{webhooks.until(format.time(secret.until))}</p>
          <CopyText label={webhooks.newSecret} text={secret.text} />
        </Note>
      )}
      <ConfirmButton text={webhooks.rotate} title={webhooks.rotateTitle} look="plain" onConfirm={() => void onRotate()}>
        {webhooks.rotateHint}
      </ConfirmButton>
    </Section>
  );
}

function Remove({ webhook: { id, name } }: { readonly webhook: WebhookRecord }) {
  const texts = useTexts();
  const { webhooks } = useAdminTexts();
  const attempt = useAttempt();
  const [, go] = useLocation();
  const remove = useAction(webhookRoutes.deleteWebhook, [webhookRoutes.listWebhooks, webhookRoutes.getWebhookHealth]);
  const onRemove = async (): Promise<void> => {
    const isRemoved = await attempt(
      remove.run({ params: { id } }).then(() => true),
      webhooks.removed(name),
    );
    if (isRemoved) go("/settings/webhooks");
  };
  return (
    <Section title={texts.event.remove}>
      <p className="mb-3 text-sm text-soft">{webhooks.removeHint}</p>
      <ConfirmButton text={texts.event.remove} title={webhooks.removeTitle(name)} onConfirm={() => void onRemove()}>
        {webhooks.removeHint}
      </ConfirmButton>
    </Section>
  );
}
