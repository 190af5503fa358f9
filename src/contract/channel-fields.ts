import type { ChannelKindName } from "./constants.ts";

/** A setting of a channel to phones, for forms and questions. The schemas of the kinds check the values. */
export interface ChannelField {
  readonly name: string;
  /** As a question asks for it. */
  readonly label: string;
  readonly isRequired?: true;
  readonly isSecret?: true;
  /** Asked only if the user wants it. */
  readonly fallback?: string;
  /** homesec makes up a value when none is given. */
  readonly isRandom?: true;
}

/** A service, where to get what it needs, and its settings in the order of the questions. */
export interface ChannelForm {
  readonly title: string;
  readonly hint: string;
  readonly fields: readonly ChannelField[];
}

const server = (fallback?: string): ChannelField => ({
  name: "server",
  label: "Address of the server",
  ...(fallback === undefined ? { isRequired: true } : { fallback }),
});

/** What each kind of channel needs. */
export const channelForms: Readonly<Record<ChannelKindName, ChannelForm>> = {
  ntfy: {
    title: "ntfy",
    hint: "Install the ntfy app. No account is needed: whoever knows the topic gets the messages.",
    fields: [
      server("https://ntfy.sh"),
      { name: "topic", label: "Topic", isRequired: true, isRandom: true },
      { name: "username", label: "User name" },
      { name: "token", label: "Access token", isSecret: true },
      { name: "password", label: "Password of the user", isSecret: true },
    ],
  },
};

/** The secret that a channel takes: the first one, or the password if a user name is given. */
export function secretFieldOf(kind: ChannelKindName, hasUserName: boolean): string | undefined {
  const secrets = channelForms[kind].fields.filter(({ isSecret }) => isSecret).map(({ name }) => name);
  return hasUserName && secrets.includes("password") ? "password" : secrets[0];
}
