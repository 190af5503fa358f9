import { lazy, Suspense, useState } from "react";
import type { z } from "zod";
import { channelForms } from "../../../src/contract/channel-fields.ts";
import { channelRoutes, type PhoneChannel } from "../../../src/contract/routes/channels.ts";
import { notificationRoutes } from "../../../src/contract/routes/notifications.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { Ago } from "../../texts/format.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { isFormKind } from "./phone/draft.ts";
import { ThisDevice } from "./this-device.tsx";

type Channel = z.output<typeof PhoneChannel>;

/** Few visits add a phone. */
const PhoneForm = lazy(() => import("./phone/form.tsx"));

const channelReplies = [channelRoutes.listChannels, notificationRoutes.getNotificationConfig] as const;

/** The channels to phones, with a test message for each. */
export function Phones() {
  const { phones } = useAdminTexts();
  const list = useReply(channelRoutes.listChannels, {}, { everyMs: 15_000 });
  return (
    <Section title={phones.title}>
      <Loaded reply={list} waiting={<div className="h-24" />}>
        {({ channels }) => (
          <>
            <ThisDevice />
            {channels.length === 0 && <p className="text-sm text-soft">{phones.empty}</p>}
            {channels.map((channel) => (
              <Phone key={channel.id} channel={channel} taken={channels.map(({ name }) => name)} />
            ))}
            <AddPhone taken={channels.map(({ name }) => name)} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function AddPhone({ taken }: { readonly taken: readonly string[] }) {
  const { phones } = useAdminTexts();
  const [isOpen, setOpen] = useState(false);
  if (!isOpen) {
    return (
      <Button className="mt-3 min-h-11" onClick={() => setOpen(true)}>
        {phones.add}
      </Button>
    );
  }
  return (
    <Suspense fallback={<div className="h-96" />}>
      <PhoneForm taken={taken} onDone={() => setOpen(false)} />
    </Suspense>
  );
}

function Phone({ channel, taken }: { readonly channel: Channel; readonly taken: readonly string[] }) {
  const { phones } = useAdminTexts();
  const [isEdited, setEdited] = useState(false);
  const { name, kind, settings, last_attempt_at, last_error } = channel;
  if (isEdited && isFormKind(kind)) {
    return (
      <Suspense fallback={<div className="h-96" />}>
        <PhoneForm stored={{ kind, channel }} taken={taken} onDone={() => setEdited(false)} />
      </Suspense>
    );
  }
  const where = [settings["topic"], settings["service"], settings["server"]].filter(Boolean).join(" · ");
  return (
    <article className="mb-2 rounded-xl border border-line bg-card p-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <span>
          <span className="font-semibold">{name}</span> <span className="text-sm text-soft">{channelForms[kind].title}</span>
        </span>
        <Switch channel={channel} />
      </div>
      <p className="text-sm break-all text-soft">{where}</p>
      {last_attempt_at !== null && (
        <p className={`text-sm ${last_error === null ? "text-good" : "text-critical"}`}>
          {last_error ?? phones.accepted} <Ago time={last_attempt_at} className="text-soft" />
        </p>
      )}
      {kind === "ntfy" && last_attempt_at === null && (
        <p className="mt-1 text-sm">{phones.subscribe(String(settings["topic"]), String(settings["server"]))}</p>
      )}
      <Actions channel={channel} onEdit={isFormKind(kind) ? () => setEdited(true) : undefined} />
    </article>
  );
}

function Switch({ channel: { id, name, enabled } }: { readonly channel: Channel }) {
  const texts = useTexts();
  const attempt = useAttempt();
  const update = useAction(channelRoutes.updateChannel, channelReplies);
  const toggle = (): void => void attempt(update.run({ params: { id }, body: { enabled: !enabled } }));
  return (
    <Button role="switch" aria-checked={enabled} aria-label={name} onClick={toggle} isBusy={update.isRunning}>
      {enabled ? texts.common.on : texts.common.off}
    </Button>
  );
}

interface ActionsProps {
  readonly channel: Channel;
  /** Undefined: the page has no form for its kind. */
  readonly onEdit: (() => void) | undefined;
}

/** A test message, the form, and the removal of the channel. */
function Actions({ channel: { id, name }, onEdit }: ActionsProps) {
  const texts = useTexts();
  const { channels, phones } = useAdminTexts();
  const attempt = useAttempt();
  const test = useAction(channelRoutes.testChannel, channelReplies);
  const remove = useAction(channelRoutes.deleteChannel, channelReplies);
  const [result, setResult] = useState<{ readonly isSent: boolean; readonly text: string }>();
  const send = async (): Promise<void> => {
    setResult(undefined);
    try {
      const { success, message, error } = await test.run({ params: { id } });
      setResult({ isSent: success, text: success ? message : (error ?? message) });
    } catch (error) {
      setResult({ isSent: false, text: texts.fault(error) });
    }
  };
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      <Button look="main" onClick={() => void send()} isBusy={test.isRunning}>
        {test.isRunning ? channels.sending : channels.test}
      </Button>
      {onEdit && (
        <Button onClick={onEdit} aria-label={phones.editTitle(name)}>
          {phones.edit}
        </Button>
      )}
      <ConfirmButton
        label={phones.remove(name)}
        text={texts.event.remove}
        title={phones.removeTitle(name)}
        onConfirm={() => void attempt(remove.run({ params: { id } }), phones.removed(name))}
      >
        {phones.removeHint}
      </ConfirmButton>
      <p role="status" className={`w-full text-sm ${result?.isSent ? "text-good" : "text-critical"}`}>
        {result?.text}
      </p>
    </div>
  );
}
