import { type ReactNode, useState } from "react";
import { notificationRoutes } from "../../../src/contract/routes/notifications.ts";
import { useAction } from "../../api/use-reply.ts";
import { Button } from "../../parts/button.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useTexts } from "../../texts/texts.tsx";

interface ChannelTestProps {
  readonly channel: "email" | "webhook";
  /** Instead of the usual recipients of mails. */
  readonly recipients?: readonly string[];
  /** Called when a message was taken. */
  readonly onSent?: () => void;
  /** Fields beside the button. */
  readonly children?: ReactNode;
}

/** A test message, and what became of it. */
export function ChannelTest({ channel, recipients = [], onSent, children }: ChannelTestProps) {
  const texts = useTexts();
  const { channels } = useAdminTexts();
  const test = useAction(notificationRoutes.testNotification, []);
  const [result, setResult] = useState<{ readonly isSent: boolean; readonly text: string }>();
  const send = async (): Promise<void> => {
    setResult(undefined);
    try {
      const body = { channel, ...(recipients.length > 0 && { email_recipients: [...recipients] }) };
      const { success, message, error } = await test.run({ body });
      setResult({ isSent: success, text: success ? message : (error ?? message) });
      if (success) onSent?.();
    } catch (error) {
      setResult({ isSent: false, text: texts.fault(error) });
    }
  };
  return (
    <form
      className={`mt-4 grid gap-3 border-t border-line pt-4 ${children ? "sm:grid-cols-[1fr_auto] sm:items-start" : "justify-items-start"}`}
      onSubmit={(submitted) => {
        submitted.preventDefault();
        void send();
      }}
    >
      {children}
      <Button type="submit" look="main" isBusy={test.isRunning} className={`min-h-11 ${children ? "sm:mt-6" : ""}`}>
        {test.isRunning ? channels.sending : channels.test}
      </Button>
      <p role="status" className={`min-h-6 text-sm ${children ? "sm:col-span-2" : ""} ${result?.isSent ? "text-good" : "text-critical"}`}>
        {result?.text}
      </p>
    </form>
  );
}
