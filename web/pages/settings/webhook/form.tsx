import { useState } from "react";
import { integrationTypes, outboundEventTypes } from "../../../../src/contract/constants.ts";
import { Button } from "../../../parts/button.tsx";
import { Fault } from "../../../parts/fault.tsx";
import { CheckField, Field, inputLook, SelectField, TextField } from "../../../parts/fields.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { useTexts } from "../../../texts/texts.tsx";
import type { WebhookDraft } from "./draft.ts";
import { Limits } from "./limits.tsx";

interface WebhookFormProps {
  readonly initial: WebhookDraft;
  readonly submit: string;
  readonly isRunning: boolean;
  /** The error of the last attempt, if it failed. */
  readonly error: Error | null;
  readonly onSubmit: (draft: WebhookDraft) => void;
}

interface PartProps {
  readonly draft: WebhookDraft;
  readonly change: (part: Partial<WebhookDraft>) => void;
}

/** The form of a webhook. What most people leave as it is stands folded at the end. */
export function WebhookForm({ initial, submit, isRunning, error, onSubmit }: WebhookFormProps) {
  const { webhooks } = useAdminTexts();
  const [draft, setDraft] = useState(initial);
  const change = (part: Partial<WebhookDraft>): void => setDraft((before) => ({ ...before, ...part }));
  return (
    <form
      className="grid gap-4 rounded-xl border border-line bg-card p-4"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        onSubmit(draft);
      }}
    >
      <div className="grid gap-4 md:grid-cols-2">
        <TextField name="name" label={webhooks.name} required maxLength={100} value={draft.name} onText={(name) => change({ name })} />
        <SelectField
          label={webhooks.format}
          value={draft.format}
          options={integrationTypes.map((type) => [type, webhooks.formats[type]] as const)}
          onValue={(format) => change({ format })}
        />
        <div className="md:col-span-2">
          <TextField
            label={webhooks.url}
            hint={webhooks.urlHint[draft.format]}
            name="url"
            type="url"
            required
            maxLength={2048}
            placeholder="https://"
            value={draft.url}
            onText={(url) => change({ url })}
          />
        </div>
      </div>
      <EventTypes draft={draft} change={change} />
      <Limits draft={draft} change={change} />
      <details className="rounded-lg border border-line p-3">
        <summary className="min-h-8 font-medium">{webhooks.advanced}</summary>
        <Advanced draft={draft} change={change} />
      </details>
      <Fault error={error} />
      <Button type="submit" look="main" isBusy={isRunning} disabled={draft.events.length === 0} className="min-h-11 justify-self-start">
        {submit}
      </Button>
    </form>
  );
}

function EventTypes({ draft, change }: PartProps) {
  const { webhooks } = useAdminTexts();
  const toggle = (type: (typeof outboundEventTypes)[number]) => (isOn: boolean) =>
    change({ events: outboundEventTypes.filter((each) => (each === type ? isOn : draft.events.includes(each))) });
  return (
    <fieldset>
      <legend className="text-sm font-medium">{webhooks.events}</legend>
      <div className="grid sm:grid-cols-2 lg:grid-cols-3">
        {outboundEventTypes.map((type) => (
          <CheckField key={type} label={webhooks.event[type]} checked={draft.events.includes(type)} onChecked={toggle(type)} />
        ))}
      </div>
    </fieldset>
  );
}

function Advanced({ draft, change }: PartProps) {
  const { webhooks } = useAdminTexts();
  return (
    <div className="mt-3 grid gap-4">
      <Auth draft={draft} change={change} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          name="max_retries"
          label={webhooks.retries}
          type="number"
          min={0}
          max={10}
          value={draft.retries}
          onText={(retries) => change({ retries })}
        />
        <TextField
          name="retry_delay_seconds"
          label={webhooks.delay}
          hint={webhooks.delayHint}
          type="number"
          min={1}
          max={3600}
          value={draft.delay}
          onText={(delay) => change({ delay })}
        />
      </div>
      <Field label={webhooks.headers} hint={webhooks.headersHint}>
        {(ties) => (
          <textarea
            {...ties}
            rows={2}
            spellCheck={false}
            value={draft.headers}
            onChange={({ target }) => change({ headers: target.value })}
            className={`${inputLook} font-mono text-sm`}
          />
        )}
      </Field>
      <Field label={webhooks.template} hint={webhooks.templateHint}>
        {(ties) => (
          <textarea
            {...ties}
            rows={4}
            spellCheck={false}
            maxLength={32_768}
            value={draft.template}
            onChange={({ target }) => change({ template: target.value })}
            className={`${inputLook} font-mono text-sm`}
          />
        )}
      </Field>
    </div>
  );
}

function Auth({ draft, change }: PartProps) {
  const { webhooks } = useAdminTexts();
  const texts = useTexts();
  const kinds = ["none", "bearer", "basic", "header"] as const;
  const hasUser = draft.auth === "basic" || draft.auth === "header";
  const hasSecret = hasUser || draft.auth === "bearer";
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <SelectField
        label={webhooks.auth}
        value={draft.auth}
        options={[
          ...(draft.name !== "" && draft.auth === "keep" ? [["keep", webhooks.authKeep] as const] : []),
          ...kinds.map((kind) => [kind, kind === "none" ? texts.common.off : webhooks.auths[kind]] as const),
        ]}
        onValue={(auth) => change({ auth })}
      />
      {hasUser && (
        <TextField
          label={draft.auth === "basic" ? webhooks.user : webhooks.headerName}
          required
          value={draft.user}
          onText={(user) => change({ user })}
        />
      )}
      {hasSecret && (
        <TextField
          label={webhooks.secret}
          type="password"
          autoComplete="off"
          required
          value={draft.secret}
          onText={(secret) => change({ secret })}
        />
      )}
    </div>
  );
}
