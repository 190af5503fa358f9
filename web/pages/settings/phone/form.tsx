import { useState } from "react";
import { type ChannelField, channelForms } from "../../../../src/contract/channel-fields.ts";
import { channelRoutes } from "../../../../src/contract/routes/channels.ts";
import { notificationRoutes } from "../../../../src/contract/routes/notifications.ts";
import { useAction } from "../../../api/use-reply.ts";
import { Button } from "../../../parts/button.tsx";
import { Fault } from "../../../parts/fault.tsx";
import { SelectField, TextField } from "../../../parts/fields.tsx";
import { useToast } from "../../../parts/toast.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { useTexts } from "../../../texts/texts.tsx";
import { type ChannelRecord, draftOf, type FormKind, formKinds, isCommon, newDraft, type PhoneDraft, settingsOf } from "./draft.ts";
import { TelegramChat } from "./telegram-chat.tsx";

const changes = [channelRoutes.listChannels, notificationRoutes.getNotificationConfig] as const;

interface PhoneFormProps {
  /** The channel to edit, of this kind; without it, the form adds one. */
  readonly stored?: { readonly kind: FormKind; readonly channel: ChannelRecord };
  /** Names of the other channels. */
  readonly taken: readonly string[];
  readonly onDone: () => void;
}

/** Adds or changes a channel to phones. The settings that most people leave as they are stand folded at the end. */
export default function PhoneForm({ stored, taken, onDone }: PhoneFormProps) {
  const texts = useTexts();
  const { phones } = useAdminTexts();
  const toast = useToast();
  const [draft, setDraft] = useState<PhoneDraft>(() => (stored ? draftOf(stored.kind, stored.channel) : newDraft("ntfy", taken)));
  const create = useAction(channelRoutes.createChannel, changes);
  const update = useAction(channelRoutes.updateChannel, changes);
  const channel = stored?.channel;
  const save = async (): Promise<void> => {
    const settings = settingsOf(draft, channel);
    if (channel) await update.run({ params: { id: channel.id }, body: { name: draft.name, settings } });
    else await create.run({ body: { name: draft.name, kind: draft.kind, settings } });
    toast(channel ? phones.saved(draft.name) : phones.added(draft.name));
    onDone();
  };
  return (
    <form
      aria-label={channel ? phones.editTitle(channel.name) : phones.add}
      className="mb-2 grid gap-4 rounded-xl border border-line bg-card p-4"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        // the form shows the error
        save().catch(() => undefined);
      }}
    >
      <div className="grid gap-4 md:grid-cols-2">
        {!channel && (
          <SelectField
            label={phones.service}
            value={draft.kind}
            options={formKinds.map((kind) => [kind, channelForms[kind].title] as const)}
            onValue={(kind) => setDraft(newDraft(kind, taken))}
          />
        )}
        <TextField
          name="name"
          label={phones.name}
          hint={phones.nameHint}
          required
          maxLength={100}
          value={draft.name}
          onText={(name) => setDraft({ ...draft, name })}
        />
      </div>
      {!channel && <p className="text-sm">{phones.hints[draft.kind]}</p>}
      <Fields draft={draft} channel={channel} onChange={setDraft} />
      <Fault error={create.error ?? update.error} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="main" isBusy={create.isRunning || update.isRunning}>
          {channel ? texts.common.save : phones.submit}
        </Button>
        <Button onClick={onDone}>{texts.common.cancel}</Button>
      </div>
    </form>
  );
}

interface FieldsProps {
  readonly draft: PhoneDraft;
  readonly channel: ChannelRecord | undefined;
  readonly onChange: (draft: PhoneDraft) => void;
}

function Fields({ draft, channel, onChange }: FieldsProps) {
  const { phones } = useAdminTexts();
  const { fields } = channelForms[draft.kind];
  const set = (name: string, value: string): void => onChange({ ...draft, settings: { ...draft.settings, [name]: value } });
  const shown = (field: ChannelField) => (
    <SettingField key={field.name} field={field} draft={draft} channel={channel} onText={(text) => set(field.name, text)} />
  );
  const folded = fields.filter((field) => !isCommon(field));
  return (
    <>
      <div className="grid gap-4 md:grid-cols-2">{fields.filter(isCommon).map(shown)}</div>
      {draft.kind === "telegram" && (
        <TelegramChat
          token={draft.settings["token"] ?? ""}
          server={draft.settings["server"] ?? ""}
          onChat={(id) => onChange({ ...draft, settings: { ...draft.settings, chat_id: id } })}
        />
      )}
      {folded.length > 0 && (
        <details className="rounded-lg border border-line p-3">
          <summary className="min-h-8 font-medium">{phones.more}</summary>
          <div className="mt-3 grid gap-4 md:grid-cols-2">{folded.map(shown)}</div>
        </details>
      )}
    </>
  );
}

interface SettingFieldProps extends Omit<FieldsProps, "onChange"> {
  readonly field: ChannelField;
  readonly onText: (text: string) => void;
}

/** A secret that is stored is not shown: an empty field keeps it. */
function SettingField({ field, draft, channel, onText }: SettingFieldProps) {
  const { phones } = useAdminTexts();
  const { name, isRequired, isSecret, fallback } = field;
  const isSet = channel?.secrets.includes(name) ?? false;
  const hints: Readonly<Record<string, string>> = phones.fieldHints;
  const label = name === "token" ? phones.tokens[draft.kind] : phones.fields[name as keyof typeof phones.fields];
  return (
    <TextField
      name={name}
      label={label}
      hint={isSet ? phones.keeps : hints[name]}
      type={isSecret ? "password" : "text"}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      required={isRequired === true && !isSet}
      placeholder={fallback}
      value={draft.settings[name] ?? ""}
      onText={onText}
    />
  );
}
