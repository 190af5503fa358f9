import { lazy, type ReactNode, Suspense, useState } from "react";
import { Link } from "wouter";
import { recipientRoutes } from "../../../src/contract/routes/recipients.ts";
import { ruleRoutes } from "../../../src/contract/routes/rules.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useFormat } from "../../texts/format.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { useTimesWords } from "../rules/words.ts";
import { SettingsFrame } from "./frame.tsx";
import type { RecipientRecord } from "./recipient/draft.ts";

/** Few visits change a recipient. */
const RecipientForm = lazy(() => import("./recipient/form.tsx"));

/** The people whom rules notify: where and when each gets messages, and what waits. */
export default function RecipientsPage() {
  const { recipients } = useAdminTexts();
  const list = useReply(recipientRoutes.listRecipients, {}, { everyMs: 15_000 });
  return (
    <SettingsFrame title={recipients.title}>
      <p className="mb-4 max-w-prose text-soft">{recipients.intro}</p>
      <Loaded reply={list} waiting={<div className="h-96" />}>
        {({ recipients: all }) => {
          const names = all.map(({ name }) => name);
          return (
            <>
              {all.length === 0 && <Empty title={recipients.empty} hint={recipients.emptyHint} />}
              <ul className="grid max-w-3xl gap-3">
                {all.map((recipient) => (
                  <li key={recipient.id}>
                    <Card recipient={recipient} others={names.filter((name) => name !== recipient.name)} />
                  </li>
                ))}
              </ul>
              <Add others={names} />
            </>
          );
        }}
      </Loaded>
    </SettingsFrame>
  );
}

function Add({ others }: { readonly others: readonly string[] }) {
  const { recipients } = useAdminTexts();
  const [isOpen, setOpen] = useState(false);
  if (!isOpen) {
    return (
      <Button className="mt-3 min-h-11" onClick={() => setOpen(true)}>
        {recipients.add}
      </Button>
    );
  }
  return (
    <div className="mt-3 max-w-3xl">
      <Suspense fallback={<div className="h-dvh" />}>
        <RecipientForm others={others} onDone={() => setOpen(false)} />
      </Suspense>
    </div>
  );
}

interface CardProps {
  readonly recipient: RecipientRecord;
  /** Names of the other recipients. */
  readonly others: readonly string[];
}

function Card({ recipient, others }: CardProps) {
  const [isEdited, setEdited] = useState(false);
  if (isEdited) {
    return (
      <Suspense fallback={<div className="h-dvh" />}>
        <RecipientForm stored={recipient} others={others} onDone={() => setEdited(false)} />
      </Suspense>
    );
  }
  return (
    <article className={`rounded-xl border border-line bg-card p-4 ${recipient.enabled ? "" : "border-dashed"}`}>
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 className="text-lg font-semibold break-words">{recipient.name}</h2>
        <Switch recipient={recipient} />
      </header>
      <p className="text-sm break-all text-soft">{recipient.channels.join(" · ")}</p>
      <Held recipient={recipient} />
      <Facts recipient={recipient} />
      <Actions recipient={recipient} onEdit={() => setEdited(true)} />
    </article>
  );
}

function Switch({ recipient: { id, name, enabled } }: { readonly recipient: RecipientRecord }) {
  const texts = useTexts();
  const attempt = useAttempt();
  const update = useAction(recipientRoutes.updateRecipient, [recipientRoutes.listRecipients]);
  const toggle = (): void => void attempt(update.run({ params: { id }, body: { enabled: !enabled } }));
  return (
    <Button role="switch" aria-checked={enabled} aria-label={name} onClick={toggle} isBusy={update.isRunning} className="min-h-11">
      {enabled ? texts.common.on : texts.common.off}
    </Button>
  );
}

/** The alerts that wait for the hours, with the way to them. */
function Held({ recipient: { held_alerts, held_until } }: { readonly recipient: RecipientRecord }) {
  const { recipients } = useAdminTexts();
  const format = useFormat();
  if (held_until === null) return null;
  return (
    <p className="mt-2 text-sm font-medium text-medium">
      {recipients.held(held_alerts, format.time(held_until))}{" "}
      <Link href="/alerts" className="inline-block py-1 text-accent underline">
        {recipients.heldLink}
      </Link>
    </p>
  );
}

/** Hours, wishes, repeats and escalation in words. */
function Facts({ recipient }: { readonly recipient: RecipientRecord }) {
  const texts = useTexts();
  const { recipients } = useAdminTexts();
  const format = useFormat();
  const timesWords = useTimesWords();
  const rules = useReply(ruleRoutes.listRules, { query: { limit: 1000 } }).data?.items ?? [];
  const { hours, severity, rule_ids: ids, repeat_minutes, repeat_times, escalate_to, escalate_minutes } = recipient;
  const minutes = (count: number): string => format.duration(count * 60_000);
  const named = ids?.map((id) => rules.find((rule) => rule.id === id)?.name ?? texts.alerts.ruleGone);
  return (
    <dl className="mt-2 text-sm">
      <Fact name={recipients.hours}>
        {hours === null ? recipients.anytime : hours.map(timesWords).join("; ")}
        {hours !== null && <span className="block text-soft">{recipients.outside(recipient.critical_anytime)}</span>}
      </Fact>
      <Fact name={recipients.wishes}>
        {recipients.from[severity]}
        {named && <span className="block text-soft">{recipients.rules(named.join(", "))}</span>}
      </Fact>
      <Fact name={recipients.unanswered}>
        {repeat_times === 0 ? recipients.noRepeats : recipients.repeats(minutes(repeat_minutes), repeat_times)}
        {escalate_to !== null && <span className="block">{recipients.escalates(escalate_to, minutes(escalate_minutes))}</span>}
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="grid gap-x-4 border-t border-line py-2 sm:grid-cols-[13rem_1fr]">
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}

function Actions({ recipient: { id, name }, onEdit }: { readonly recipient: RecipientRecord; readonly onEdit: () => void }) {
  const texts = useTexts();
  const { recipients } = useAdminTexts();
  const attempt = useAttempt();
  const remove = useAction(recipientRoutes.deleteRecipient, [recipientRoutes.listRecipients]);
  return (
    <div className="mt-1 flex flex-wrap gap-2">
      <Button onClick={onEdit} aria-label={recipients.editTitle(name)} className="min-h-11">
        {recipients.edit}
      </Button>
      <ConfirmButton
        label={recipients.remove(name)}
        text={texts.event.remove}
        title={recipients.removeTitle(name)}
        onConfirm={() => void attempt(remove.run({ params: { id } }), recipients.removed(name))}
      >
        {recipients.removeHint}
      </ConfirmButton>
    </div>
  );
}
