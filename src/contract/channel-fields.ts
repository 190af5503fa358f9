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
      { name: "answer_topic", label: "Topic that the buttons answer to" },
    ],
  },
  telegram: {
    title: "Telegram",
    hint: "In Telegram, write /newbot to @BotFather. It asks for two names and gives you a token.",
    fields: [
      server("https://api.telegram.org"),
      { name: "token", label: "Token of the bot", isRequired: true, isSecret: true },
      { name: "chat_id", label: "Chat", isRequired: true },
    ],
  },
  pushover: {
    title: "Pushover",
    hint: "At pushover.net you find your user key, and create an application, which has a token.",
    fields: [
      server("https://api.pushover.net"),
      { name: "token", label: "Token of the application", isRequired: true, isSecret: true },
      { name: "user", label: "User key", isRequired: true, isSecret: true },
      { name: "device", label: "Device" },
    ],
  },
  gotify: {
    title: "Gotify",
    hint: "On the page of your Gotify server, create an application, which has a token.",
    fields: [server(), { name: "token", label: "Token of the application", isRequired: true, isSecret: true }],
  },
  home_assistant: {
    title: "Home Assistant",
    hint: "In Home Assistant, create a long-lived access token at the bottom of your profile, under Security.",
    fields: [
      server(),
      { name: "token", label: "Long-lived access token", isRequired: true, isSecret: true },
      { name: "service", label: "Notify action, such as mobile_app_annas_phone", isRequired: true },
    ],
  },
  apprise: {
    title: "Apprise",
    hint: "On the page of your Apprise API server, save a configuration, which has a key.",
    fields: [server(), { name: "key", label: "Key of the configuration", isRequired: true, isSecret: true }, { name: "tag", label: "Tag" }],
  },
  web_push: {
    title: "Web Push",
    hint: "Open the page of homesec on the device: Settings, Channels, Notify this device.",
    fields: [],
  },
};

/** The secret that a channel takes: the first one, or the password if a user name is given. */
export function secretFieldOf(kind: ChannelKindName, hasUserName: boolean): string | undefined {
  const secrets = channelForms[kind].fields.filter(({ isSecret }) => isSecret).map(({ name }) => name);
  return hasUserName && secrets.includes("password") ? "password" : secrets[0];
}
