import type { z } from "zod";
import type { PhoneMessage } from "./phone-message.ts";

/** A POST to a service. */
export interface PhoneRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** The service cannot be at home. */
  readonly isOnInternet?: true;
}

/** The meaning of a service's answer. */
export interface Verdict {
  /** The service has the message. A status of 2xx alone does not prove it: a captive portal answers 200 too. */
  readonly isAccepted: boolean;
  /** The service's id of the message; null if it gives none. */
  readonly reference?: string | null;
  /** The service's own words, when it refuses. */
  readonly error?: string | undefined;
  /** The fix for the user. */
  readonly fix?: string | undefined;
  /** No retry can help: the message is a dead letter. */
  readonly isFinal?: boolean;
  /** The service knows this phone no more: the channel is switched off. */
  readonly isGone?: boolean;
  /** The wait that the service asks for, in milliseconds. */
  readonly waitMs?: number;
  /** The picture is the reason; the message without it may be accepted. */
  readonly isPictureRefused?: boolean;
}

/** A call that shows whether a service would take messages, without sending one. */
export interface ChannelCheck {
  /** Without a body it is a GET. */
  readonly request: Pick<PhoneRequest, "url" | "headers" | "isOnInternet"> & { readonly body?: string };
  /** Says why the service would take no message; undefined if it would, as far as the call shows. `body` has the secrets masked. */
  fault(reply: { readonly status: number; readonly body: string }): { readonly error: string; readonly fix: string } | undefined;
}

/** Writes the requests of one channel and reads the answers. */
export interface Sender {
  /** Address of the service: its secrets are sent nowhere else. */
  readonly server: string;
  /** Largest picture in bytes; null: the service takes none. */
  readonly pictureBytes: number | null;
  request(message: PhoneMessage): PhoneRequest;
  readonly check: ChannelCheck;
  /** Says what an answer means. `body` is its beginning, with the secrets masked. */
  verdict(reply: { readonly status: number; readonly body: string }): Verdict;
  /** Changes a message that the service has, by its reference. Undefined: the service cannot. */
  readonly change?: {
    request(message: PhoneMessage, reference: string): PhoneRequest;
    /** A message that is gone or can be changed no more is final. */
    verdict(reply: { readonly status: number; readonly body: string }): Verdict;
  };
}

/** A service that brings messages to phones. */
export interface PhoneKind {
  /** As people call it. */
  readonly title: string;
  readonly settings: z.ZodObject;
  /** The settings that are sealed and never returned. */
  readonly secrets: readonly string[];
  /** The references of messages that can be changed, as a regular expression of PostgreSQL; undefined: none. */
  readonly changeable?: string;
  /** Makes the sender of a channel. Throws a `ZodError` for settings that do not fit. */
  sender(settings: unknown): Sender;
}

/** Declares a service. */
export function phoneKind<const Z extends z.ZodObject>(kind: {
  readonly title: string;
  readonly settings: Z;
  readonly secrets: readonly (keyof z.output<Z> & string)[];
  readonly changeable?: string;
  sender(settings: z.output<Z>): Sender;
}): PhoneKind {
  return { ...kind, sender: (settings) => kind.sender(kind.settings.parse(settings)) };
}

/** Reads a JSON object; undefined for anything else. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a text of an answer; undefined for anything else. */
export const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
