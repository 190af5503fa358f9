import type { z } from "zod";
import { type ChannelField, channelForms } from "../../../../src/contract/channel-fields.ts";
import type { PhoneChannel } from "../../../../src/contract/routes/channels.ts";

/** A channel as the API returns it. */
export type ChannelRecord = z.output<typeof PhoneChannel>;

/** The kinds that the form adds, in the order of the choice. */
export const formKinds = ["ntfy", "telegram", "pushover", "gotify", "home_assistant", "apprise"] as const;
export type FormKind = (typeof formKinds)[number];

/** What the form holds: the name, and each setting as it is typed. */
export interface PhoneDraft {
  readonly kind: FormKind;
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** Whether the form can edit a channel. */
export const isFormKind = (kind: string): kind is FormKind => formKinds.some((each) => each === kind);

/** Returns the draft of a new channel. Its name is the one of the service, with a number if that is taken. */
export function newDraft(kind: FormKind, taken: readonly string[]): PhoneDraft {
  const { title, fields } = channelForms[kind];
  const isTaken = (name: string): boolean => taken.some((each) => each.toLowerCase() === name.toLowerCase());
  let name = title;
  for (let number = 2; isTaken(name); number += 1) name = `${title} ${number}`;
  const random = fields.filter(({ isRandom }) => isRandom).map((field) => [field.name, randomName()]);
  return { kind, name, settings: Object.fromEntries(random) };
}

/** Returns the draft of a stored channel. Its secrets are unknown: an empty field keeps them. */
export function draftOf(kind: FormKind, { name, settings }: ChannelRecord): PhoneDraft {
  return { kind, name, settings: Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, String(value)])) };
}

/** Returns the settings that a draft sets. An emptied setting of a stored channel is removed, but not an empty secret. */
export function settingsOf({ kind, settings }: PhoneDraft, stored?: ChannelRecord): Record<string, string | null> {
  const entries = channelForms[kind].fields.flatMap(({ name }): [string, string | null][] => {
    const value = settings[name]?.trim() ?? "";
    if (value !== "") return value === stored?.settings[name] ? [] : [[name, value]];
    return stored?.settings[name] === undefined ? [] : [[name, null]];
  });
  return Object.fromEntries(entries);
}

/** What most people leave empty stands folded at the end. */
export function isCommon({ name, isRequired, fallback }: ChannelField): boolean {
  return isRequired === true || (name === "server" && fallback === undefined);
}

/** No one can guess it: on a public server it is the only secret. */
function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `homesec-${[...bytes].map((byte) => (byte % 36).toString(36)).join("")}`;
}
