import { useEffect, useRef, useState } from "react";
import { channelRoutes } from "../../../../src/contract/routes/channels.ts";
import { call } from "../../../api/client.ts";
import { Button } from "../../../parts/button.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { useTexts } from "../../../texts/texts.tsx";

/** How long one request waits, and how many follow each other: five minutes. */
const waitSeconds = 20;
const turns = 15;

interface TelegramChatProps {
  readonly token: string;
  /** Empty for the one of Telegram. */
  readonly server: string;
  readonly onChat: (id: string) => void;
}

/** Waits for a message to the bot, and takes its chat. Several chats are offered. */
export function TelegramChat({ token, server, onChat }: TelegramChatProps) {
  const texts = useTexts();
  const { phones } = useAdminTexts();
  const [said, setSaid] = useState("");
  const [chats, setChats] = useState<readonly { readonly id: string; readonly title: string }[]>([]);
  const waiting = useRef<AbortController>(undefined);
  const [isWaiting, setWaiting] = useState(false);
  useEffect(() => () => waiting.current?.abort(), []);
  const take = (chat: { readonly id: string; readonly title: string }): void => {
    setSaid(phones.chatFound(chat.title));
    onChat(chat.id);
  };
  const search = async ({ signal }: AbortController): Promise<void> => {
    for (let turn = 0; turn <= turns && !signal.aborted; turn += 1) {
      const body = {
        token: token.trim(),
        ...(server.trim() !== "" && { server: server.trim() }),
        wait_seconds: turn === 0 ? 0 : waitSeconds,
      };
      const found = await call(channelRoutes.findTelegramChats, { body }, signal);
      const [first, ...others] = found.chats;
      if (first) {
        setChats(others.length === 0 ? [] : found.chats);
        return take(first);
      }
      setSaid(phones.chatWrite(found.bot));
    }
    setSaid(phones.chatNone);
  };
  const start = (): void => {
    const controller = new AbortController();
    waiting.current?.abort();
    waiting.current = controller;
    setWaiting(true);
    search(controller)
      .catch((error: unknown) => controller.signal.aborted || setSaid(texts.fault(error)))
      .finally(() => setWaiting(false));
  };
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button onClick={start} isBusy={isWaiting} disabled={token.trim() === ""}>
        {phones.chatFind}
      </Button>
      <p role="status" className="min-w-0 text-sm">
        {said}
      </p>
      {chats.length > 0 && (
        <div className="flex w-full flex-wrap gap-2">
          {chats.map((chat) => (
            <Button key={chat.id} look="quiet" onClick={() => take(chat)}>
              {chat.title}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}
