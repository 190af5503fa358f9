import { useId, useState } from "react";
import { Link } from "wouter";
import type { z } from "zod";
import { channels as allChannels, allRecipients, severities } from "../../../src/contract/constants.ts";
import { channelRoutes } from "../../../src/contract/routes/channels.ts";
import { type NotificationConfig, notificationRoutes } from "../../../src/contract/routes/notifications.ts";
import { recipientRoutes } from "../../../src/contract/routes/recipients.ts";
import { webhookRoutes } from "../../../src/contract/routes/webhooks.ts";
import { useReply } from "../../api/use-reply.ts";
import { inputLook } from "../../parts/fields.tsx";
import { Risk } from "../../parts/risk.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useTexts } from "../../texts/texts.tsx";
import { type Draft, usualKey } from "./draft.ts";
import { Chip, Chips, FieldNotes, Group, Tick } from "./fields.tsx";

interface PartProps {
  readonly draft: Draft;
  readonly change: (changed: Partial<Draft>) => void;
}

type Channel = (typeof allChannels)[number];
type Config = z.output<typeof NotificationConfig>;

/** The channels that can send alerts now; mails need a recipient. */
export function usableChannels({ available_channels, default_email_recipients }: Config): Channel[] {
  return available_channels.filter((channel) => channel !== "email" || default_email_recipients.length > 0);
}

const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/**
 * Returns the channels to phones and the webhooks that a rule may name, with those of `named` that exist no more. A rule may name a webhook
 * by its id, if the name means something else too.
 */
function useNamedChannels(named: readonly string[]): readonly { readonly word: string; readonly name: string }[] {
  const phones = useReply(channelRoutes.listChannels, {}).data?.channels ?? [];
  const webhooks = useReply(webhookRoutes.listWebhooks, { query: { limit: 1000 } }).data?.webhooks ?? [];
  const known = [...phones, ...webhooks].filter(({ name }) => !allChannels.some((channel) => sameName(channel, name)));
  return [
    ...new Map(known.map(({ name }) => [name.toLowerCase(), { word: name, name }])).values(),
    ...named
      .filter((word) => !known.some(({ name }) => sameName(name, word)))
      .map((word) => ({ word, name: webhooks.find(({ id }) => id === word)?.name ?? word })),
  ];
}

/** How the alerts are sent. Without a channel to phones, `push` shows only in a rule that names it. */
export function ChannelsField({ draft, change }: PartProps) {
  const texts = useTexts();
  const { rules } = useMoreTexts();
  const { data } = useReply(notificationRoutes.getNotificationConfig, {});
  const usable = data ? usableChannels(data) : allChannels;
  const addresses = { email: data?.default_email_recipients.join(", "), webhook: data?.default_webhook_url, push: undefined };
  const own = draft.channels ?? [];
  const neutral = allChannels.filter((channel) => channel !== "push" || usable.includes(channel) || own.includes(channel));
  const people = useReply(recipientRoutes.listRecipients, {}).data?.recipients ?? [];
  const isPerson = (word: string): boolean => word === allRecipients || people.some(({ name }) => sameName(name, word));
  const named = own.filter((word) => !allChannels.some((channel) => channel === word));
  const choices = useNamedChannels(named.filter((word) => !isPerson(word)));
  const set = (next: readonly string[]): void => change({ channels: next.length === 0 ? null : [...next] });
  return (
    <Group title={rules.tellTitle} hint={rules.tellHint} field="channels">
      {neutral.map((channel) => (
        <Tick
          key={channel}
          isOn={own.includes(channel)}
          onChange={(isOn) => set([...allChannels.filter((each) => (each === channel ? isOn : own.includes(each))), ...named])}
        >
          <span className="first-letter:uppercase">{texts.alerts.channel[channel]}</span>{" "}
          <span className="text-sm break-all text-soft">{usable.includes(channel) ? addresses[channel] : rules.notSetUp}</span>
        </Tick>
      ))}
      {choices.map(({ word, name }) => (
        <Tick
          key={word}
          isOn={own.some((each) => sameName(each, word))}
          onChange={(isOn) => set([...own.filter((each) => !sameName(each, word)), ...(isOn ? [word] : [])])}
        >
          {name}
        </Tick>
      ))}
      {neutral.some((channel) => !usable.includes(channel)) && (
        <Link
          href="/settings/channels"
          className="inline-flex min-h-11 items-center text-sm text-accent underline-offset-4 hover:underline"
        >
          {rules.setUp}
        </Link>
      )}
      <People names={people.map(({ name }) => name)} own={own} onChange={set} />
    </Group>
  );
}

interface PeopleProps {
  /** Names of all recipients. */
  readonly names: readonly string[];
  readonly own: readonly string[];
  readonly onChange: (next: readonly string[]) => void;
}

/** The people whom the rule notifies. Everyone includes each person. */
function People({ names, own, onChange }: PeopleProps) {
  const { rules } = useMoreTexts();
  const isEveryone = own.includes(allRecipients);
  if (names.length === 0 && !isEveryone) return null;
  const others = (word: string): string[] => own.filter((each) => !sameName(each, word));
  const isNamed = (name: string): boolean => own.some((each) => sameName(each, name));
  return (
    <fieldset className="mt-3 min-w-0">
      <legend className="font-medium">{rules.people}</legend>
      <p className="text-sm text-soft">{rules.peopleHint}</p>
      <Tick isOn={isEveryone} onChange={(isOn) => onChange([...others(allRecipients), ...(isOn ? [allRecipients] : [])])}>
        {rules.everyone}
      </Tick>
      {names.map((name) => (
        <Tick key={name} isOn={isNamed(name)} onChange={(isOn) => onChange([...others(name), ...(isOn ? [name] : [])])}>
          {name}
        </Tick>
      ))}
    </fieldset>
  );
}

/** How serious the alerts say they are. */
export function SeverityField({ draft, change }: PartProps) {
  const { rules } = useMoreTexts();
  return (
    <Group title={rules.severity} field="severity">
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-4">
        {severities.map((severity) => (
          <label
            key={severity}
            className="relative flex min-h-11 cursor-pointer items-center justify-center rounded-lg border border-line bg-card px-3 hover:bg-raised has-checked:border-2 has-checked:border-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="severity"
              checked={draft.severity === severity}
              onChange={() => change({ severity })}
              className="absolute inset-0 size-full cursor-pointer opacity-0"
            />
            <Risk level={severity} />
          </label>
        ))}
      </div>
    </Group>
  );
}

const cooldowns = [0, 60, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400];

/** How often the rule may alert, and what happens to the others. */
export function CooldownFields({ draft, change }: PartProps) {
  const { rules } = useMoreTexts();
  const format = useFormat();
  const id = useId();
  const seconds = [...new Set([...cooldowns, draft.cooldown_seconds])].toSorted((one, other) => one - other);
  return (
    <>
      <div className="mb-5">
        <label htmlFor={id} className="font-semibold">
          {rules.cooldownTitle}
        </label>
        <select
          id={id}
          value={draft.cooldown_seconds}
          onChange={({ target }) => change({ cooldown_seconds: Number(target.value) })}
          className={`${inputLook} mt-2`}
        >
          {seconds.map((each) => (
            <option key={each} value={each}>
              {each === 0 ? rules.noCooldown : format.duration(each * 1000)}
            </option>
          ))}
        </select>
        <FieldNotes field="cooldown_seconds" />
      </div>
      <KeyField draft={draft} change={change} />
      <div className="mb-5">
        <Tick isOn={draft.escalate} onChange={(escalate) => change({ escalate })}>
          {rules.escalate}
        </Tick>
        <Tick isOn={draft.digest} onChange={(digest) => change({ digest })}>
          {rules.digest}
        </Tick>
      </div>
    </>
  );
}

const usualKeys = [usualKey, `${usualKey}:{object_type}`, "{rule_id}"] as const;
type UsualKey = (typeof usualKeys)[number];
const isUsual = (key: string): key is UsualKey => (usualKeys as readonly string[]).includes(key);

/** Which alerts share the cooldown: usual choices in words, or a template. */
function KeyField({ draft, change }: PartProps) {
  const { rules } = useMoreTexts();
  const key = draft.dedup_key_template;
  const [isOwn, setOwn] = useState(!isUsual(key));
  const id = useId();
  return (
    <Group title={rules.keyTitle} field="dedup_key_template">
      <Chips>
        {usualKeys.map((each) => (
          <Chip
            key={each}
            name="key"
            isOn={!isOwn && key === each}
            onChange={() => {
              setOwn(false);
              change({ dedup_key_template: each });
            }}
          >
            {rules.keys[each as keyof typeof rules.keys]}
          </Chip>
        ))}
        <Chip name="key" isOn={isOwn} onChange={() => setOwn(true)}>
          {rules.keys.own}
        </Chip>
      </Chips>
      {isOwn && (
        <label htmlFor={id} className="mt-3 block text-sm">
          {rules.ownKey}
          <input
            id={id}
            value={key}
            maxLength={255}
            spellCheck={false}
            autoCapitalize="none"
            onChange={({ target }) => change({ dedup_key_template: target.value })}
            className={`${inputLook} font-mono`}
          />
          <span className="text-soft">{rules.ownKeyHint}</span>
        </label>
      )}
    </Group>
  );
}

/** The least confidence of a detection. */
export function ConfidenceField({ draft, change }: PartProps) {
  const { rules } = useMoreTexts();
  const id = useId();
  return (
    <div className="mb-5">
      <label htmlFor={id} className="font-semibold">
        {rules.confidenceTitle}
      </label>
      <input
        id={id}
        type="number"
        inputMode="numeric"
        step="any"
        placeholder={rules.anyConfidence}
        value={draft.min_confidence === null ? "" : Number((draft.min_confidence * 100).toFixed(4))}
        onChange={({ target }) => change({ min_confidence: target.value === "" ? null : Number((Number(target.value) / 100).toFixed(6)) })}
        className={`${inputLook} mt-2`}
      />
      <FieldNotes field="min_confidence" />
    </div>
  );
}
