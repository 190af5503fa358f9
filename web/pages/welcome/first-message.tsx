import { Link } from "wouter";
import { channelRoutes } from "../../../src/contract/routes/channels.ts";
import { notificationRoutes } from "../../../src/contract/routes/notifications.ts";
import { ruleRoutes } from "../../../src/contract/routes/rules.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { ChannelTest } from "../settings/channel-test.tsx";
import { ThisDevice } from "../settings/this-device.tsx";
import type { Progress } from "./progress.ts";

const linkLook = "inline-flex min-h-11 items-center justify-center rounded-lg border border-line px-4 text-sm font-medium hover:bg-raised";

/** Leads to a way for messages, sends a test on it, and lets the rules use it. */
export function FirstMessage({ progress: { rules = [], noteMessage } }: { readonly progress: Progress }) {
  const { welcome, channels, phones } = useAdminTexts();
  const config = useReply(notificationRoutes.getNotificationConfig, {}, { everyMs: 10_000 });
  const attempt = useAttempt();
  const test = useAction(channelRoutes.testChannel, []);
  const testDevice = async (id: string): Promise<void> => {
    const sent = await attempt(test.run({ params: { id } }), ({ success, message, error }) => (success ? message : (error ?? message)));
    if (sent?.success) noteMessage();
  };
  return (
    <Loaded reply={config}>
      {({ email_configured, webhook_configured, default_email_recipients, available_channels }) => {
        const isMailReady = email_configured && default_email_recipients.length > 0;
        return (
          <>
            <p className="mb-3">{welcome.messageHint}</p>
            <ThisDevice onChannel={({ id }) => void testDevice(id)} />
            {available_channels.includes("push") && <UseChannel channel="push" name={phones.title} rules={rules} />}
            <div className="mt-3 flex flex-wrap gap-2">
              <Link href="/settings/channels" className={linkLook}>
                {welcome.phone}
              </Link>
              <Link href="/settings/channels" className={linkLook}>
                {isMailReady ? welcome.mailReady : welcome.mail}
              </Link>
              <Link href="/settings/webhooks/new" className={linkLook}>
                {welcome.chat}
              </Link>
            </div>
            {isMailReady && (
              <>
                <ChannelTest channel="email" onSent={noteMessage} />
                <UseChannel channel="email" name={channels.mail} rules={rules} />
              </>
            )}
            {webhook_configured && (
              <>
                <ChannelTest channel="webhook" onSent={noteMessage} />
                <UseChannel channel="webhook" name={channels.chat} rules={rules} />
              </>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

interface UseChannelProps {
  readonly channel: "email" | "webhook" | "push";
  readonly name: string;
  readonly rules: NonNullable<Progress["rules"]>;
}

/** Lets rules that send nothing use a channel; nothing if every rule sends something. */
function UseChannel({ channel, name, rules }: UseChannelProps) {
  const { welcome } = useAdminTexts();
  const attempt = useAttempt();
  const update = useAction(ruleRoutes.updateRule, [ruleRoutes.listRules]);
  const silent = rules.filter(({ channels }) => (channels ?? []).length === 0);
  if (silent.length === 0) return null;
  const use = async (): Promise<void> => {
    for (const { id } of silent) await update.run({ params: { id }, body: { channels: [channel] } });
  };
  return (
    <Button isBusy={update.isRunning} className="min-h-11" onClick={() => void attempt(use(), welcome.used)}>
      {welcome.use(silent.length, name)}
    </Button>
  );
}
