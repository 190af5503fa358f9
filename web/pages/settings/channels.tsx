import { useState } from "react";
import { Link } from "wouter";
import type { z } from "zod";
import { type NotificationConfig, notificationRoutes } from "../../../src/contract/routes/notifications.ts";
import { ruleRoutes } from "../../../src/contract/routes/rules.ts";
import { useReply } from "../../api/use-reply.ts";
import { TextField } from "../../parts/fields.tsx";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { ChannelTest } from "./channel-test.tsx";
import { Note, SettingsFrame } from "./frame.tsx";
import { Lines } from "./lines.tsx";
import { Phones } from "./phones.tsx";

type Config = z.output<typeof NotificationConfig>;
type Channel = "email" | "webhook";

/** The ways that alerts take: what is set up, what is missing, and a test message for each. */
export default function ChannelsPage() {
  const { channels } = useAdminTexts();
  const config = useReply(notificationRoutes.getNotificationConfig, {}, { everyMs: 5_000 });
  return (
    <SettingsFrame title={channels.title}>
      <Loaded reply={config} waiting={<div className="h-96" />}>
        {(data) => (
          <>
            {!data.notification_enabled && (
              <Note title={channels.off} isWarning>
                <Lines lines={["NOTIFICATION_ENABLED=true"]} />
              </Note>
            )}
            <Mail config={data} />
            <Chat config={data} />
            <Phones />
          </>
        )}
      </Loaded>
      <Note title={channels.more}>
        {channels.moreHint}{" "}
        <Link href="/settings/webhooks" className="text-accent underline">
          {channels.moreLink}
        </Link>
      </Note>
    </SettingsFrame>
  );
}

function Mail({ config }: { readonly config: Config }) {
  const { channels } = useAdminTexts();
  const [recipients, setRecipients] = useState("");
  const { email_configured, smtp_host, smtp_port, smtp_from_address, default_email_recipients } = config;
  const lines = [
    ...(smtp_host === null ? ["SMTP_HOST=smtp.example.com", "SMTP_PORT=587", "SMTP_USER=me@example.com", "SMTP_PASSWORD='…'"] : []),
    ...(smtp_from_address === null ? ["SMTP_FROM_ADDRESS='Home <me@example.com>'"] : []),
    ...(default_email_recipients.length === 0 ? ["DEFAULT_EMAIL_RECIPIENTS=me@example.com"] : []),
  ];
  const to = recipients.split(/[\s,;]+/).filter(Boolean);
  return (
    <Section title={channels.mail}>
      <div className="rounded-xl border border-line bg-card p-4">
        <Status isReady={lines.length === 0} channel="email" />
        {smtp_host !== null && (
          <p className="text-sm text-soft">
            {channels.server(`${smtp_host}:${smtp_port}`, smtp_from_address)}
            {default_email_recipients.length > 0 && ` · ${channels.to(default_email_recipients.join(", "))}`}
          </p>
        )}
        {lines.length > 0 && <Lines lines={lines} />}
        {email_configured && (
          <ChannelTest channel="email" recipients={to}>
            <TextField
              label={channels.recipients}
              hint={channels.recipientsHint}
              type="text"
              inputMode="email"
              autoComplete="email"
              placeholder={default_email_recipients.join(", ")}
              value={recipients}
              onText={setRecipients}
            />
          </ChannelTest>
        )}
      </div>
    </Section>
  );
}

function Chat({ config }: { readonly config: Config }) {
  const { channels } = useAdminTexts();
  return (
    <Section title={channels.chat}>
      <div className="rounded-xl border border-line bg-card p-4">
        <Status isReady={config.webhook_configured} channel="webhook" />
        {config.default_webhook_url !== null && <p className="text-sm text-soft">{channels.posts(config.default_webhook_url)}</p>}
        {config.webhook_configured ? (
          <ChannelTest channel="webhook" />
        ) : (
          <Lines lines={["DEFAULT_WEBHOOK_URL=https://example.org/homesec"]} />
        )}
      </div>
    </Section>
  );
}

/** Whether a channel is set up, and the number of rules that use it. */
function Status({ isReady, channel }: { readonly isReady: boolean; readonly channel: Channel }) {
  const { channels } = useAdminTexts();
  const { data } = useReply(ruleRoutes.listRules, { query: { limit: 1000 } });
  const users = data?.items.filter(({ enabled, channels: its }) => enabled && its?.includes(channel)).length;
  return (
    <p className="flex flex-wrap justify-between gap-x-4">
      <span className={`font-semibold ${isReady ? "text-good" : "text-medium"}`}>{isReady ? channels.ready : channels.missing}</span>
      {users !== undefined && (
        <Link href="/rules" className="text-sm text-accent underline-offset-4 hover:underline">
          {channels.rules(users)}
        </Link>
      )}
    </p>
  );
}
