import type { severities } from "../../contract/constants.ts";

/** How urgent a message is for a phone, from the least urgent. docs/phones.md has the priorities of each service. */
export type Urgency = (typeof severities)[number];

/** A message as phones show it. */
export interface PhoneMessage {
  /** The same for each attempt. */
  readonly id: string;
  readonly title: string;
  /** Several lines, the most important first, so that a service with a short limit cuts the least important. */
  readonly text: string;
  readonly urgency: Urgency;
  /** Address of the page to open; undefined without PUBLIC_URL. */
  readonly link: string | undefined;
  /** Address of the picture at homesec, for services that take no file; undefined without PUBLIC_URL. */
  readonly pictureLink: string | undefined;
  /** The same as paths, for the page on a device that knows the address of homesec. */
  readonly paths?: { readonly page: string | undefined; readonly picture: string | undefined };
  /** A JPEG. */
  readonly picture: Buffer | undefined;
  /** Messages with the same topic are about the same thing, such as an event. */
  readonly topic: string;
  /** Who ended the alert, and when, for a message that is changed afterwards: it needs no buttons any more. */
  readonly ended?: string;
  /** Buttons that answer an alert; a service without buttons leaves them out. */
  readonly buttons?: readonly PhoneButton[];
}

/** A button of a message. */
export interface PhoneButton {
  readonly label: string;
  /** The signed text that comes back when someone presses the button: at most 64 characters of base64url. */
  readonly token: string;
}

/** Cuts a text to `longest` UTF-16 code units, at a word, with an ellipsis. Never cuts a character in half. */
export function cutAtWord(text: string, longest: number): string {
  if (text.length <= longest) return text;
  if (longest <= 1) return longest === 1 ? "…" : "";
  const head = text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "");
  const isWordEnd = /^\s/.test(text.slice(head.length));
  const word = isWordEnd ? head : head.replace(/\s+\S*$/, "");
  // One long word: a cut inside it shows more than nothing
  const kept = (word === "" || word.length < head.length / 2 ? head : word).trimEnd();
  return `${kept}…`;
}

/** Cuts a text at a word until it has at most `longest` bytes as UTF-8. */
export function cutToBytes(text: string, longest: number): string {
  let cut = text;
  for (let units = longest; Buffer.byteLength(cut) > longest; units -= Math.max(1, Math.ceil((Buffer.byteLength(cut) - longest) / 3))) {
    cut = cutAtWord(text, units);
  }
  return cut;
}
