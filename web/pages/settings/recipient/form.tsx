import { useState } from "react";
import { severities } from "../../../../src/contract/constants.ts";
import { channelRoutes } from "../../../../src/contract/routes/channels.ts";
import { notificationRoutes } from "../../../../src/contract/routes/notifications.ts";
import { recipientRoutes } from "../../../../src/contract/routes/recipients.ts";
import { ruleRoutes } from "../../../../src/contract/routes/rules.ts";
import { unusableChannels } from "../../../../src/contract/unusable-channels.ts";
import { useAction, useReply } from "../../../api/use-reply.ts";
import { Button } from "../../../parts/button.tsx";
import { Fault } from "../../../parts/fault.tsx";
import { CheckField, SelectField, TextField } from "../../../parts/fields.tsx";
import { useToast } from "../../../parts/toast.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { DaemonText } from "../../../texts/daemon-text.tsx";
import { useTexts } from "../../../texts/texts.tsx";
import { bodyOf, draftOf, emptyDraft, type RecipientDraft, type RecipientRecord } from "./draft.ts";
import { Hours } from "./hours.tsx";

interface RecipientFormProps {
  /** The recipient to change; without it, the form adds one. */
  readonly stored?: RecipientRecord;
  /** Names of the other recipients. */
  readonly others: readonly string[];
  readonly onDone: () => void;
}

interface PartProps {
  readonly draft: RecipientDraft;
  readonly change: (part: Partial<RecipientDraft>) => void;
}

/** Adds or changes a recipient. */
export default function RecipientForm({ stored, others, onDone }: RecipientFormProps) {
  const texts = useTexts();
  const { recipients } = useAdminTexts();
  const toast = useToast();
  const [draft, setDraft] = useState(() => (stored ? draftOf(stored) : emptyDraft));
  const create = useAction(recipientRoutes.createRecipient, [recipientRoutes.listRecipients]);
  const update = useAction(recipientRoutes.updateRecipient, [recipientRoutes.listRecipients]);
  const change = (part: Partial<RecipientDraft>): void => setDraft((before) => ({ ...before, ...part }));
  const save = async (): Promise<void> => {
    const body = bodyOf(draft);
    if (stored) await update.run({ params: { id: stored.id }, body });
    else await create.run({ body });
    toast(stored ? recipients.saved(body.name) : recipients.added(body.name));
    onDone();
  };
  return (
    <form
      aria-label={stored ? recipients.editTitle(stored.name) : recipients.add}
      className="mb-3 grid gap-5 rounded-xl border border-line bg-card p-4"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        // the form shows the error
        save().catch(() => undefined);
      }}
    >
      <TextField
        name="name"
        label={recipients.name}
        hint={recipients.nameHint}
        required
        maxLength={100}
        autoComplete="off"
        value={draft.name}
        onText={(name) => change({ name })}
      />
      <Channels draft={draft} change={change} />
      <Hours draft={draft} change={change} />
      <Wishes draft={draft} change={change} />
      <Unanswered draft={draft} change={change} others={others} />
      <Fault error={create.error ?? update.error} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="main" isBusy={create.isRunning || update.isRunning} className="min-h-11">
          {stored ? texts.common.save : recipients.submit}
        </Button>
        <Button onClick={onDone} className="min-h-11">
          {texts.common.cancel}
        </Button>
      </div>
    </form>
  );
}

/** The phones and mail addresses. A phone that was removed elsewhere stays in the list until it is unticked. */
function Channels({ draft, change }: PartProps) {
  const { recipients } = useAdminTexts();
  const { data } = useReply(channelRoutes.listChannels, {});
  const { data: config } = useReply(notificationRoutes.getNotificationConfig, {});
  const unusable = config ? unusableChannels(bodyOf(draft).channels, config) : [];
  const names = [...new Set([...(data?.channels ?? []).map(({ name }) => name), ...draft.phones])];
  return (
    <fieldset>
      <legend className="font-semibold">{recipients.channels}</legend>
      {data && names.length === 0 && <p className="text-sm text-soft">{recipients.noPhones}</p>}
      <div className="grid sm:grid-cols-2">
        {names.map((name) => (
          <CheckField
            key={name}
            label={name}
            checked={draft.phones.includes(name)}
            onChecked={(isOn) => change({ phones: toggled(draft.phones, name, isOn) })}
          />
        ))}
      </div>
      <TextField
        name="channels"
        label={recipients.mails}
        hint={recipients.mailsHint}
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        required={draft.phones.length === 0}
        value={draft.mails}
        onText={(mails) => change({ mails })}
      />
      {unusable.map((sentence) => (
        <p key={sentence} className="mt-1 text-sm text-medium">
          <DaemonText>{sentence}</DaemonText>
        </p>
      ))}
    </fieldset>
  );
}

/** Which alerts the recipient wants to get. */
function Wishes({ draft, change }: PartProps) {
  const { recipients } = useAdminTexts();
  // What is ticked later must not fold it
  const [isNarrow] = useState(draft.rules.length > 0);
  const { data } = useReply(ruleRoutes.listRules, { query: { limit: 1000 } });
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 font-semibold">{recipients.wishes}</legend>
      <SelectField
        label={recipients.severity}
        value={draft.severity}
        options={severities.map((severity) => [severity, recipients.from[severity]] as const)}
        onValue={(severity) => change({ severity })}
      />
      {data && data.items.length > 0 && (
        <details className="rounded-lg border border-line p-3" open={isNarrow}>
          <summary className="min-h-8 font-medium">{recipients.onlyRules}</summary>
          <p className="text-sm text-soft">{recipients.onlyRulesHint}</p>
          <div className="grid sm:grid-cols-2">
            {data.items.map(({ id, name }) => (
              <CheckField
                key={id}
                label={name}
                checked={draft.rules.includes(id)}
                onChecked={(isOn) => change({ rules: toggled(draft.rules, id, isOn) })}
              />
            ))}
          </div>
        </details>
      )}
    </fieldset>
  );
}

/** What happens while no one acknowledges an alert. */
function Unanswered({ draft, change, others }: PartProps & { readonly others: readonly string[] }) {
  const { recipients } = useAdminTexts();
  const names = [...new Set([...others, draft.escalateTo])].filter(Boolean);
  return (
    <fieldset>
      <legend className="font-semibold">{recipients.unanswered}</legend>
      <div className="mt-2 grid items-start gap-3 sm:grid-cols-2">
        <TextField
          {...{ name: "repeat_minutes", label: recipients.repeatMinutes, hint: recipients.repeatHint }}
          {...{ type: "number", min: 1, max: 1440, required: true }}
          value={draft.repeatMinutes}
          onText={(repeatMinutes) => change({ repeatMinutes })}
        />
        <TextField
          {...{ name: "repeat_times", label: recipients.repeatTimes, hint: recipients.repeatTimesHint }}
          {...{ type: "number", min: 0, max: 100, required: true }}
          value={draft.repeatTimes}
          onText={(repeatTimes) => change({ repeatTimes })}
        />
        <SelectField
          label={recipients.escalateTo}
          hint={names.length === 0 ? recipients.escalateLater : undefined}
          value={draft.escalateTo}
          options={[["", recipients.nobody] as const, ...names.map((name) => [name, name] as const)]}
          onValue={(escalateTo) => change({ escalateTo })}
        />
        {draft.escalateTo !== "" && (
          <TextField
            {...{ name: "escalate_minutes", label: recipients.escalateMinutes }}
            {...{ type: "number", min: 1, max: 1440, required: true }}
            value={draft.escalateMinutes}
            onText={(escalateMinutes) => change({ escalateMinutes })}
          />
        )}
      </div>
    </fieldset>
  );
}

function toggled(list: readonly string[], value: string, isOn: boolean): readonly string[] {
  return [...list.filter((each) => each !== value), ...(isOn ? [value] : [])];
}
