import { channelForms } from "../../src/contract/channel-fields.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { allWebhooks, getsAlerts, type Webhook } from "../input/find.ts";
import type { Io } from "../io.ts";
import { usableChannels } from "../notifications/commands.ts";
import { plain } from "../output/terminal-format.ts";
import { mostShown } from "./cameras.ts";
import { askForChat, changeAddress, platformOf } from "./chat.ts";
import { isHere } from "./daemon.ts";
import { askForMail } from "./mail.ts";
import { askForPhone } from "./phone.ts";
import type { Setup } from "./questions.ts";

/** The channels that can send alerts now. */
interface Channels {
  readonly config: ReplyOf<"getNotificationConfig">;
  readonly usable: ReturnType<typeof usableChannels>;
  /** The webhooks that get alerts. */
  readonly webhooks: readonly Webhook[];
}

/** Reads the channels that can send alerts. */
export async function readChannels(io: Io): Promise<Channels> {
  const [config, webhooks] = await Promise.all([io.call("getNotificationConfig", {}), allWebhooks(io)]);
  return { config, usable: usableChannels(config), webhooks: webhooks.filter(getsAlerts) };
}

/** Shows the channels and asks for more. Resolves to whether something changed. */
export async function askForChannels(setup: Setup): Promise<boolean> {
  const { io, say, choose, saved } = setup;
  say("\n2 of 4: how alerts reach you");
  const before = saved.length;
  for (;;) {
    const { config, usable, webhooks } = await readChannels(io);
    const phones = (await io.call("listChannels", {})).channels.filter(({ enabled }) => enabled);
    const hasMail = usable.includes("email");
    if (hasMail)
      say(`  mail to ${plain(config.default_email_recipients.join(", "))} by ${plain(config.smtp_host ?? "")}:${config.smtp_port}`);
    if (usable.includes("webhook")) say(`  DEFAULT_WEBHOOK_URL: ${config.default_webhook_url}`);
    for (const { name, kind } of phones.slice(0, mostShown)) say(`  ${channelForms[kind].title}: channel ${plain(name)}`);
    for (const webhook of webhooks.slice(0, mostShown)) say(`  ${platformOf(webhook)}: webhook ${plain(webhook.name)}`);
    if (!config.notification_enabled) say("  Notifications are off: remove NOTIFICATION_ENABLED=false from the settings.");
    const isSet = usable.length + webhooks.length > 0;
    const choices = [
      hasMail ? "change the mail settings" : "mail",
      "a chat: Slack, Discord, Telegram, Microsoft Teams",
      "a phone: ntfy, Telegram, Pushover, Gotify, Home Assistant, Apprise",
      isSet ? "continue" : "none for now",
    ];
    const chosen = await choose(isSet ? "Set up more?" : "How do you want to get alerts?", choices, isSet ? 3 : 0);
    if (chosen === 3) return saved.length > before;
    if (chosen === 1) await askForChat(setup);
    else if (chosen === 2) await askForPhone(setup);
    else if (await isHere(io)) await askForMail(setup);
    else say("The daemon runs on another machine: set its SMTP_ variables there, as docs/alerts.md shows.");
  }
}

/**
 * Sends a test message over every channel and shows the answers. Offers to correct what fails. Resolves to whether every test that was
 * sent arrived in the end.
 */
export async function testChannels(setup: Setup, isChanged: boolean): Promise<boolean> {
  const { io, say, yes } = setup;
  say("\n4 of 4: test");
  const { usable, webhooks } = await readChannels(io);
  if (usable.length + webhooks.length === 0) {
    say("There is no channel to test. Run `homesec setup` again when you want alerts.");
    return true;
  }
  if (!(await yes("Send a test message now?", isChanged))) return true;
  let allArrived = true;
  for (const channel of usable) {
    const test = async () => {
      const { success, message } = await io.call("testNotification", { body: { channel } });
      return { success, answer: `${channel}: ${message}` };
    };
    const change = channel === "email" && (await isHere(io)) ? () => askForMail(setup) : undefined;
    allArrived = (await testUntilItWorks(setup, test, change)) && allArrived;
  }
  for (const webhook of webhooks) {
    const test = async () => {
      const body = { event_type: "alert_fired" as const };
      const { success, status_code, error_message, response_body } = await io.call("testWebhook", { params: { id: webhook.id }, body });
      const reason = [error_message, response_body.slice(0, 300)].filter(Boolean).join(": ");
      return { success, answer: `${webhook.name}: ${success ? `accepted with ${status_code}` : reason}` };
    };
    const change = async () => await changeAddress(setup, await io.call("getWebhook", { params: { id: webhook.id } }));
    allArrived = (await testUntilItWorks(setup, test, change)) && allArrived;
  }
  return allArrived;
}

type Test = () => Promise<{ readonly success: boolean; readonly answer: string }>;

async function testUntilItWorks(setup: Setup, test: Test, change: (() => Promise<void>) | undefined): Promise<boolean> {
  const { say, choose, unlessStopped } = setup;
  for (;;) {
    say("Sending ...");
    const { success, answer } = await unlessStopped(test());
    say(`${success ? "Sent" : "FAILED"}. ${plain(answer)}`);
    if (success) return true;
    const choices = ["try again", "leave it", ...(change === undefined ? [] : ["change the settings"])];
    const chosen = await choose("What now?", choices, change === undefined ? 1 : 2);
    if (chosen === 1) return false;
    if (chosen === 2) await change?.();
  }
}
